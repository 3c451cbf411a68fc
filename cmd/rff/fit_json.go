package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/rffgo/rff/krr"
)

// fitSummary is what rff fit --json prints. What does not apply is left out.
type fitSummary struct {
	Data     string             `json:"data"`
	Rows     int64              `json:"rows"`
	Inputs   int                `json:"inputs"`
	Target   string             `json:"target,omitempty"`
	Task     string             `json:"task"`
	Classes  []string           `json:"classes,omitempty"`
	Features int                `json:"features"`
	Sampler  string             `json:"sampler"`
	Kernel   string             `json:"kernel,omitempty"`
	Lambda   []float64          `json:"lambda"`
	HeldOut  map[string]float64 `json:"held_out,omitempty"`
	Recall   map[string]float64 `json:"recall,omitempty"` // of classes with rows held out
	Seconds  map[string]float64 `json:"seconds"`
	Model    string             `json:"model"`
}

// writeSummary writes what was fitted as one JSON object.
func writeSummary(w io.Writer, set *openSet, fitted *krr.Model, sampler, model string, r *krr.Report, choosing float64) error {
	f := fitSummary{Data: set.name, Rows: r.Rows, Inputs: r.Inputs, Target: set.target, Task: "regression", Classes: r.Classes, Features: r.Features,
		Sampler: sampler, Lambda: r.Lambda, Model: model,
		Seconds: map[string]float64{"choosing_features": choosing, "reading": r.Read.Seconds(), "choosing_lambda": r.Select.Seconds(), "solving": r.Solve.Seconds()}}
	if k := fitted.Map().Kernel(); k != nil {
		f.Kernel = fmt.Sprint(k)
	}
	if len(r.Classes) > 0 {
		f.Task = "classification"
	}
	switch h := r.HeldOut; {
	case h != nil && f.Task == "regression":
		f.HeldOut = map[string]float64{"rows": float64(h.Rows), "r2": h.R2[0], "rmse": h.RMSE[0], "mae": h.MAE[0], "rmse_of_mean": h.Spread[0]}
	case h != nil:
		f.HeldOut = map[string]float64{"rows": float64(h.Rows), "accuracy": h.Accuracy, "accuracy_of_guess": h.Guess, "balanced_accuracy": h.Balanced}
		if h.AUC > 0 {
			f.HeldOut["roc_auc"] = h.AUC
		}
		if h.LogLoss > 0 {
			f.HeldOut["log_loss"] = h.LogLoss
		}
		f.Recall = map[string]float64{}
		for k, share := range h.Recall {
			if !math.IsNaN(share) {
				f.Recall[r.Classes[k]] = share
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

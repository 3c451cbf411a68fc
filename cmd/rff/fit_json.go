package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/krr"
)

// fitSummary is what rff fit --json prints. What does not apply is left out.
type fitSummary struct {
	Data     string    `json:"data"`
	Rows     int64     `json:"rows"`
	Inputs   int       `json:"inputs"`
	Target   string    `json:"target,omitempty"`
	Task     string    `json:"task"`
	Classes  []string  `json:"classes,omitempty"`
	Features int       `json:"features"`
	Sampler  string    `json:"sampler"`
	Kernel   string    `json:"kernel,omitempty"`
	Lambda   []float64 `json:"lambda"`
	Scaling  string    `json:"scaling,omitempty"`
	Loss     string    `json:"loss,omitempty"`  // but for squares
	Steps    int       `json:"steps,omitempty"` // of conjugate gradients or a descent
	// Pinball has the mean loss of each quantile on held-out rows, by its level.
	Pinball map[string]float64 `json:"held_out_pinball_loss,omitempty"`
	HeldOut fits.Values        `json:"held_out,omitempty"` // of that many "rows"
	Seconds map[string]float64 `json:"seconds"`
	Model   string             `json:"model"`
}

// writeSummary writes what was fitted as one JSON object.
func writeSummary(w io.Writer, set *openSet, fitted *krr.Model, sampler, scaling, model string, r *fits.Fitted, choosing float64) error {
	in, _ := fitted.Dims()
	_, features := fitted.Map().Dims()
	classes := r.Schema.Target.Classes
	f := fitSummary{Data: set.name, Rows: r.Train.Rows, Inputs: in, Target: set.target, Task: "regression", Classes: classes, Features: features,
		Sampler: sampler, Lambda: r.Lambda, Model: model, Scaling: scaling, Loss: r.Provenance["loss"], Steps: r.Solved.Iterations,
		Seconds: map[string]float64{"choosing_features": choosing, "reading": r.Took["rows"].Seconds(), "choosing_lambda": r.Took["select"].Seconds(), "solving": r.Took["solve"].Seconds()}}
	if k := fitted.Map().Kernel(); k != nil {
		f.Kernel = fmt.Sprint(k)
	}
	if len(classes) > 0 {
		f.Task = "classification"
	}
	if h := r.HeldOut; h != nil && h.RMSE == nil {
		f.HeldOut = fits.ClassValues(fits.Classes(h), classes)
	} else if h != nil {
		f.HeldOut = fits.NumberValues(fits.Numbers(h)[fits.Middle(r.Schema.Target.Quantiles)])
	}
	if h := r.HeldOut; h != nil {
		f.HeldOut["rows"] = float64(h.Rows)
		for k, level := range r.Schema.Target.Quantiles {
			if f.Pinball == nil {
				f.Pinball = map[string]float64{}
			}
			f.Pinball[fmt.Sprint(level)] = h.Loss[k]
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

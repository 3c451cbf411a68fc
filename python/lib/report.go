package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// fitted is the reply of what fits.
type fitted struct {
	Handle int64   `json:"handle"`
	Report *report `json:"report,omitempty"`
	Info   *facts  `json:"info,omitempty"`
	// Schema is that of sums.
	Schema *rff.Schema `json:"schema,omitempty"`
}

// fittedOf holds a model.
func fittedOf(m *krr.Model, r *report) *fitted {
	return &fitted{Handle: hold(m), Report: r, Info: factsOf(m)}
}

// report is krr.Report.
type report struct {
	Rows       int64              `json:"rows"`
	Lambda     []float64          `json:"lambda"`
	AtEdge     bool               `json:"at_edge"`
	Path       []point            `json:"path,omitempty"`
	HeldOut    map[string]any     `json:"held_out,omitempty"`
	Took       map[string]float64 `json:"took,omitempty"`
	Importance []float64          `json:"importance,omitempty"`
	Steps      []step             `json:"steps,omitempty"`
	Stopped    string             `json:"stopped,omitempty"`
}

type point struct {
	Lambda float64  `json:"lambda"`
	Error  []number `json:"error"`
	StdErr number   `json:"std_err"`
}

type step struct {
	Name     string `json:"name"`
	Best     string `json:"best"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
	Error    number `json:"error"`
	Why      string `json:"why"`
}

// number is a float64 whose JSON is null if it is not finite.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if v-v != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(v), 'g', -1, 64), nil
}

func numbersOf(v []float64) []number {
	out := make([]number, len(v))
	for i := range v {
		out[i] = number(v[i])
	}
	return out
}

func reportOf(m *krr.Model, r *krr.Report) *report {
	out := &report{Rows: r.Train.Rows, Lambda: m.Info().Lambda, AtEdge: r.AtEdge, Importance: r.Importance, Stopped: r.Stopped, Took: map[string]float64{}}
	out.addPath(r.Path)
	for stage, d := range r.Took {
		out.Took[stage] = d.Seconds()
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, step{s.Name, s.Best, s.Rows, s.Features, number(s.Error), s.Why})
	}
	if h := r.HeldOut; h != nil {
		out.HeldOut = map[string]any{"rows": h.Rows}
		if h.RMSE != nil {
			out.HeldOut["rmse"], out.HeldOut["mae"], out.HeldOut["r2"] = numbersOf(h.RMSE), numbersOf(h.MAE), numbersOf(h.R2)
		} else {
			out.HeldOut["accuracy"], out.HeldOut["recall"], out.HeldOut["auc"] = number(h.Accuracy), numbersOf(h.Recall), number(h.AUC)
		}
		if h.Loss != nil {
			out.HeldOut["loss"] = numbersOf(h.Loss)
		}
	}
	return out
}

func (r *report) addPath(path []krr.PathPoint) {
	for _, p := range path {
		r.Path = append(r.Path, point{p.Lambda, numbersOf(p.Error), number(p.StdErr)})
	}
}

// importanceOf is the key of the provenance where rff fit keeps the importance of the inputs.
const importanceOf = "importance"

// facts is krr.ModelInfo, and the size of the model.
type facts struct {
	Inputs        int               `json:"inputs"`
	Outputs       int               `json:"outputs"`
	Features      int               `json:"features"`
	Kernel        string            `json:"kernel"`
	Schema        rff.Schema        `json:"schema"`
	Precision     string            `json:"precision"`
	Lambda        []float64         `json:"lambda"`
	Clip          bool              `json:"clip"`
	Variance      bool              `json:"variance"`
	Noise         []number          `json:"noise"`
	Intervals     int               `json:"intervals"`
	Probabilities bool              `json:"probabilities"`
	Solver        string            `json:"solver"`
	Iterations    int               `json:"iterations"`
	Provenance    map[string]string `json:"provenance"`
	Importance    []float64         `json:"importance,omitempty"`
}

func factsOf(m *krr.Model) *facts {
	i := m.Info()
	in, out := m.Dims()
	_, features := m.Map().Dims()
	f := &facts{Inputs: in, Outputs: out, Features: features, Schema: i.Schema, Precision: string(i.Precision), Lambda: i.Lambda, Clip: i.ClipPredictions, Variance: i.Variance,
		Noise: numbersOf(i.Noise), Intervals: i.Intervals, Probabilities: i.Probabilities, Solver: i.Solved.Solver, Iterations: i.Solved.Iterations, Provenance: i.Provenance}
	if k := m.Map().Kernel(); k != nil {
		f.Kernel = fmt.Sprint(k)
	}
	for _, text := range strings.Split(i.Provenance[importanceOf], ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			f.Importance = nil
			break
		}
		f.Importance = append(f.Importance, v)
	}
	return f
}

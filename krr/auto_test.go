package krr_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

func TestAuto(t *testing.T) {
	t.Parallel()
	train, test := synthetic(3, 3000, 4, 1, 0.1), synthetic(4, 500, 4, 1, 0)
	for _, r := range []*rows{train, test} { // columns of very different scales
		for i := range r.x.Rows {
			r.x.Row(i)[0] = 1000 + 50*r.x.Row(i)[0]
			r.x.Row(i)[3] *= 1e-4
		}
	}
	model, report, err := krr.Auto(context.Background(), train, krr.AutoSettings{Budget: -1, SearchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var p mat.Dense
	if err := model.Predict(&p, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	var se, sy float64
	for i, y := range test.y.Data {
		se += (p.At(i, 0) - y) * (p.At(i, 0) - y)
		sy += (y - 3) * (y - 3)
	}
	if se/sy > 0.1 {
		t.Errorf("relative error %g; %+v", se/sy, report)
	}
	lo, hi := model.Range()
	if lo[0] != slices.Min(train.y.Data) || hi[0] != slices.Max(train.y.Data) {
		t.Errorf("predictions are confined to %v, %v", lo, hi)
	}
	if model.Info().Provenance["auto"] == "" || model.Map().Kernel() == nil || report.Train.Rows != 3000 || krr.SearchOf(report).Searched != 1000 {
		t.Errorf("report %+v", report)
	}
	if os.Getenv("RFF_BACKEND") == "openblas" { // Its bits are not the same twice.
		return
	}
	one := native()
	one.Workers = 1
	same, _, err := krr.Auto(context.Background(), train, krr.AutoSettings{Budget: -1, SearchRows: 1000, Fit: krr.Settings{Engine: one}})
	if err != nil {
		t.Fatal(err)
	}
	if !models(t, model, same) {
		t.Error("the same data and seed give another model")
	}
}

func TestAutoClasses(t *testing.T) {
	t.Parallel()
	r := classes(3, 800, 3, "a", "b", "c")
	for i := range r.x.Rows {
		r.x.Row(i)[1] = 5 // a constant column
	}
	model, report, err := krr.Auto(context.Background(), r, krr.AutoSettings{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	if !model.Info().Probabilities || report.HeldOut.Accuracy < 0.9 {
		t.Errorf("held out: %v", report.HeldOut)
	}
	var empty *rff.DegenerateDataError
	if _, _, err := krr.Auto(context.Background(), synthetic(1, 0, 3, 1, 0), krr.AutoSettings{}); !errors.As(err, &empty) {
		t.Errorf("no rows: %v", err)
	}
	// Five rows are few, but no reason to fail.
	if _, _, err := krr.Auto(context.Background(), synthetic(1, 12, 3, 1, 0), krr.AutoSettings{}); err != nil {
		t.Error(err)
	}
}

// A search in which no candidate predicts finite numbers ends in an error that says what to do.
func TestAutoOfHugeTargets(t *testing.T) {
	t.Parallel()
	r := synthetic(2, 100, 3, 1, 0.1)
	for i := range r.y.Data {
		r.y.Data[i] *= 1e153
	}
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		_, _, err := krr.Auto(t.Context(), r, krr.AutoSettings{Budget: -1, Features: 32, Fit: krr.Settings{Precision: p}})
		var value *rff.ValueError
		var degenerate *rff.DegenerateDataError
		if !errors.As(err, &value) && !errors.As(err, &degenerate) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

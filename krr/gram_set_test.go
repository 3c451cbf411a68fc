package krr_test

import (
	"errors"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// A Gram that was read from a file gives variances and confined predictions once they are
// set, those of a fit with these settings, from Solve and from Path.
func TestGramSet(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 24, 1), synthetic(1, 400, 3, 1, 0.2)
	path := filepath.Join(t.TempDir(), "g")
	if err := gram(t, m, r, krr.Float64).Save(path); err != nil {
		t.Fatal(err)
	}
	g, err := krr.LoadGram(path)
	if err != nil {
		t.Fatal(err)
	}
	s := g.Settings()
	s.Variance, s.ClipPredictions = true, true
	if err := g.Set(s); err != nil {
		t.Fatal(err)
	}
	if got := g.Settings(); !got.Variance || !got.ClipPredictions || g.Rows() != 400 {
		t.Errorf("%+v of %d rows", got, g.Rows())
	}
	want, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{1e-4}, Uncertainty: "variance", ClipPredictions: true})
	solved, err := g.Solve(t.Context(), 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	models, err := g.Path(t.Context(), []float64{1e-2, 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	x := dense(synthetic(2, 50, 3, 1, 0).x)
	x.Scale(3, x) // where some predictions leave the range
	var v, p mat.Dense
	if err := errors.Join(want.Variance(&v, x), want.Predict(&p, x)); err != nil {
		t.Fatal(err)
	}
	for name, model := range map[string]*krr.Model{"solve": solved, "path": models[1]} {
		var w, q mat.Dense
		if err := errors.Join(model.Variance(&w, x), model.Predict(&q, x)); err != nil {
			t.Fatal(err)
		}
		// The condition is at most 1/λ.
		if !mat.EqualApprox(&v, &w, 400*0x1p-52/1e-4) || !mat.EqualApprox(&p, &q, 400*0x1p-52/1e-4) {
			t.Errorf("%s: other variances or predictions than those of a fit", name)
		}
		if info := model.Info(); !info.Variance || !info.ClipPredictions || len(info.Schema.Target.Range) != 1 {
			t.Errorf("%s: the model says %+v", name, info)
		}
	}
	s.Variance, s.ClipPredictions, s.Schema.Inputs = false, false, rff.Columns("a", "b", "c")
	if err := g.Set(s); err != nil {
		t.Fatal(err)
	}
	if models, err = g.Path(t.Context(), []float64{1e-4}); err != nil || models[0].Variance(new(mat.Dense), x) == nil || models[0].Info().Schema.Target.Range != nil || models[0].Info().Schema.Inputs[2].Name != "c" {
		t.Errorf("%v; variance and range are kept though none are asked for", err)
	}
	for name, change := range map[string]func(s *krr.GramSettings){
		"precision": func(s *krr.GramSettings) { s.Precision = krr.Float32 },
		"unknown":   func(s *krr.GramSettings) { s.Precision = "float16" },
		"scaling":   func(s *krr.GramSettings) { s.Scaling = rff.Scaling{Shift: []float64{1, 2, 3}} },
		"names":     func(s *krr.GramSettings) { s.Schema.Inputs = rff.Columns("a", "c", "b") },
		"classes":   func(s *krr.GramSettings) { s.Schema.Target.Classes = []string{"a", "b"} },
	} {
		other, before := s, g.Settings()
		other.Variance = true
		change(&other)
		var bad *rff.ParameterError
		if err := g.Set(other); !errors.As(err, &bad) || g.Settings().Variance != before.Variance {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows of a matrix may have gaps between them, in what is predicted and in predictions.
func TestPredictWithGaps(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 24, 1), synthetic(1, 60, 3, 2, 0.2)
	model, _ := mustFit(t, m, r, krr.Settings{Lambdas: []float64{1e-4}})
	var want mat.Dense
	if err := model.Predict(&want, dense(r.x)); err != nil {
		t.Fatal(err)
	}
	gaps := func(rows, cols int) (d mat.Dense) {
		d.SetRawMatrix(blas64.General{Rows: rows, Cols: cols, Stride: cols + 2, Data: make([]float64, rows*(cols+2))})
		return d
	}
	x, got := gaps(60, 3), gaps(60, 2)
	x.Copy(dense(r.x))
	if err := model.Predict(&got, &x); err != nil || !mat.Equal(&got, &want) {
		t.Errorf("%v: other predictions", err)
	}
	for i, v := range got.RawMatrix().Data {
		if i%4 >= 2 && v != 0 {
			t.Fatalf("gap %d has %v", i, v)
		}
	}
}

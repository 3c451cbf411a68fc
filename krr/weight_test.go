package krr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// diluted returns the rows with others of weight 0 before, between and after them,
// and groups that keep every row in the fold it had.
func diluted(r *rows) *rows {
	rng := rand.New(rand.NewPCG(3, 3))
	var at []int // row of r, −1 for none
	at = append(at, -1, -1)
	for i := range r.x.Rows {
		for rng.IntN(3) == 0 {
			at = append(at, -1)
		}
		at = append(at, i)
	}
	at = append(at, -1)
	d := &rows{x: blas.NewGeneral[float64](len(at), r.x.Cols), y: blas.NewGeneral[float64](len(at), r.y.Cols),
		w: make([]float64, len(at)), batch: 83, classes: r.classes}
	for k, i := range at {
		if i < 0 {
			for j := range d.x.Row(k) {
				d.x.Row(k)[j] = 100 * rng.NormFloat64()
			}
			for j := range d.y.Row(k) {
				d.y.Row(k)[j] = 1e12 * rng.NormFloat64()
				if r.classes != nil {
					d.y.Row(k)[j] = -1
				}
			}
			if r.classes != nil {
				d.y.Row(k)[0] = 1
			}
			continue
		}
		copy(d.x.Row(k), r.x.Row(i))
		copy(d.y.Row(k), r.y.Row(i))
		d.w[k] = 1
		if r.w != nil {
			d.w[k] = r.w[i]
		}
	}
	return d
}

// Rows of weight 0 change no bit of a model nor of what is said about it, with
// every solver and criterion.
func TestWeightZero(t *testing.T) {
	m := gaussianMap(t, 1, 3, 60, 1.5)
	few, many := synthetic(3, 50, 3, 2, 0.1), synthetic(3, 700, 3, 2, 0.1)
	for _, r := range []*rows{few, many} {
		for i := range r.x.Rows {
			r.w = append(r.w, float64(1+i%3))
		}
	}
	labelled := classes(2, 700, 3, "a", "b", "c")
	for name, c := range map[string]struct {
		r *rows
		s krr.Settings
	}{
		"dual":        {few, krr.Settings{ClipPredictions: true}},
		"primal":      {many, krr.Settings{ClipPredictions: true}},
		"gcv":         {many, krr.Settings{Criterion: krr.GCV}},
		"loo":         {many, krr.Settings{Criterion: krr.LeaveOneOut}},
		"variance":    {many, krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "variance"}},
		"float32":     {many, krr.Settings{Precision: krr.Float32}},
		"classes":     {labelled, krr.Settings{}},
		"cg":          {many, krr.Settings{Passes: &krr.Passes{Memory: 80 << 20}, Lambdas: []float64{1e-3, 1e-2}}},
		"loss":        {many, krr.Settings{Loss: "huber:1", Passes: &krr.Passes{}}},
		"hard":        {labelled, krr.Settings{Loss: "hard:4"}},
		"few classes": {classes(2, 40, 3, "a", "b"), krr.Settings{}},
	} {
		c.s.Engine = native() // bits are compared: others need not give the same twice
		want, a, err := krr.Fit(context.Background(), m, c.r, c.s)
		if err != nil {
			t.Fatal(name, err)
		}
		d := diluted(c.r)
		got, b, err := krr.Fit(context.Background(), m, d, c.s)
		if err != nil {
			t.Fatal(name, err)
		}
		if x, y := statistics(a), statistics(b); fmt.Sprint(x) != fmt.Sprint(y) || fmt.Sprint(a.Counts, krr.WeightOf(a)) != fmt.Sprint(b.Counts, krr.WeightOf(b)) ||
			(c.s.Passes == nil && fmt.Sprint(krr.InfoOf(a).Solved) != fmt.Sprint(krr.InfoOf(b).Solved)) {
			t.Errorf("%s: %v\nwithout rows of weight 0 %v", name, y, x)
		}
		lo, hi := want.Range()
		lo0, hi0 := got.Range()
		if fmt.Sprint(lo, hi) != fmt.Sprint(lo0, hi0) || fmt.Sprint(want.Info().Noise) != fmt.Sprint(got.Info().Noise) {
			t.Errorf("%s: ranges %v, %v and %v, %v; noise %v, %v", name, lo, hi, lo0, hi0, want.Info().Noise, got.Info().Noise)
		}
		// Sampling probabilities of conjugate gradients go by row numbers.
		if c.s.Passes == nil && !models(t, got, want) {
			t.Errorf("%s: another model", name)
		}
		if a.Train.Rows != int64(c.r.x.Rows) || b.Train.Rows != a.Train.Rows {
			t.Errorf("%s: %d and %d rows of %d", name, a.Train.Rows, b.Train.Rows, c.r.x.Rows)
		}
	}
	// Intervals keep other rows apart, by their numbers. They are rows of the fit all the same.
	if _, r, err := krr.Fit(context.Background(), m, diluted(many), krr.Settings{Lambdas: []float64{1e-2}, Loss: "huber:1", Uncertainty: "intervals"}); err != nil || r.Train.Rows != int64(many.x.Rows) {
		t.Errorf("with intervals: %d rows of %d, %v", r.Train.Rows, many.x.Rows, err)
	}
	g, h := gram(t, m, many, krr.Float64), gram(t, m, diluted(many), krr.Float64)
	if g.Rows() != h.Rows() || !equalSums(g.Sums(), h.Sums()) || !slices.Equal(g.Reference(), h.Reference()) {
		t.Error("the sums of rows of weight 0 are not nothing")
	}
	x, err := g.Analyze(context.Background(), krr.DefaultLambdas())
	if err != nil {
		t.Fatal(err)
	}
	y, err := h.Analyze(context.Background(), krr.DefaultLambdas())
	if err != nil || fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("%v: analysis %v, %v", err, x[3], y[3])
	}
}

// Landmarks nearly as many as rows are fitted by sums of the map's own features, and with intervals
// by rows that are kept apart, also where rows of weight 0 make the data seem to have more rows.
func TestWeightZeroBesideLandmarks(t *testing.T) {
	r := synthetic(3, 100, 3, 2, 0.1)
	m, err := rff.Nystrom(rff.NewGaussian(1.5), dense(r.x.RowRange(0, 90)))
	if err != nil {
		t.Fatal(err)
	}
	every, err := rff.Nystrom(rff.NewGaussian(1.5), dense(r.x))
	if err != nil {
		t.Fatal(err)
	}
	fresh := dense(synthetic(4, 20, 3, 2, 0).x)
	for name, c := range map[string]struct {
		m *rff.Map
		s krr.Settings
	}{
		"variance":      {m, krr.Settings{Uncertainty: "variance"}},
		"one λ":         {m, krr.Settings{Uncertainty: "variance", Lambdas: []float64{1e-4}}},
		"leave-one-out": {m, krr.Settings{Criterion: krr.LeaveOneOut}},
		"sections":      {every, krr.Settings{Uncertainty: "variance"}},
		"intervals":     {every, krr.Settings{Uncertainty: "intervals", Lambdas: []float64{1e-4}}},
	} {
		c.s.Engine = native()
		want, a := mustFit(t, c.m, r, c.s)
		got, b := mustFit(t, c.m, diluted(r), c.s)
		if x, y := statistics(a), statistics(b); fmt.Sprint(x) != fmt.Sprint(y) || !models(t, got, want) {
			t.Errorf("%s: %v\nwithout rows of weight 0 %v", name, y, x)
		}
		var v, w mat.Dense
		if c.s.Uncertainty == "variance" && (want.Variance(&v, fresh) != nil || got.Variance(&w, fresh) != nil || !mat.Equal(&v, &w)) {
			t.Errorf("%s: other variances", name)
		}
		if c.s.Uncertainty == "intervals" {
			low, high := intervals(t, want, fresh, 0.9)
			if l, h := intervals(t, got, fresh, 0.9); !mat.Equal(l, low) || !mat.Equal(h, high) {
				t.Errorf("%s: other intervals", name)
			}
		}
	}
}

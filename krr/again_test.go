package krr_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/krr"
)

// twice bends column 2 and column 0 of three columns a second time.
var twice = rff.Scaling{Again: []int{2, 0}, Scale: []float64{2, 1, .5, 1, 4}, Shift: []float64{0, 1, 0, 0, -1},
	From: [][]float64{nil, nil, {-1, 1}, {-1, 0, 1}, {-2, 2}}, To: [][]float64{nil, nil, {-1, 1}, {0, 1, 0}, {0, 4}}}

// bentTwice is what twice makes of rows.
func bentTwice(r *rows) *rows {
	out := *r
	out.x = blas.NewGeneral[float64](r.x.Rows, 5)
	for i := range r.x.Rows {
		v := r.x.Row(i)
		hat := 0.0
		if c := max(-1, min(v[2], 1)); c < 0 {
			hat = 1 + c
		} else {
			hat = 1 - c
		}
		copy(out.x.Row(i), []float64{v[0] / 2, v[1] - 1, 2 * max(-1, min(v[2], 1)), hat, (max(-2, min(v[0], 2)) + 2 + 1) / 4})
	}
	return &out
}

// A fit of rows some of whose columns are bent again is that of the bent rows, however it is
// computed, and so are its predictions, also those of the model read back.
func TestColumnsAgain(t *testing.T) {
	t.Parallel()
	ctx, test := context.Background(), synthetic(2, 50, 3, 1, 0)
	m := gaussianMap(t, 1, 5, 64, 1)
	for name, c := range map[string]struct {
		data *rows
		krr.Settings
		tolerance float64 // rounding by eps, which a ridge of 10⁻³ amplifies by its inverse at most
	}{
		"sums":      {synthetic(1, 300, 3, 1, .1), krr.Settings{HeldOut: true}, 1e-12},
		"few rows":  {synthetic(1, 40, 3, 1, .1), krr.Settings{}, 1e-12},
		"float32":   {synthetic(1, 300, 3, 1, .1), krr.Settings{Precision: krr.Float32}, 1e-3},
		"passes":    {synthetic(1, 300, 3, 1, .1), krr.Settings{Passes: &krr.Passes{Tolerance: 1e-9}}, 1e-6},
		"variance":  {synthetic(1, 300, 3, 1, .1), krr.Settings{Uncertainty: "variance"}, 1e-12},
		"left out":  {synthetic(1, 300, 3, 1, .1), krr.Settings{Criterion: krr.LeaveOneOut}, 1e-12},
		"intervals": {synthetic(1, 300, 3, 1, .1), krr.Settings{Uncertainty: "intervals"}, 1e-12},
		"classes":   {classes(1, 300, 3, "a", "b", "c"), krr.Settings{Probabilities: true}, 1e-12},
		"hinge":     {classes(1, 300, 3, "a", "b"), krr.Settings{Loss: "squared-hinge"}, 1e-6},
	} {
		fit := func(data *rows, s rff.Scaling) *krr.Model {
			settings := c.Settings
			settings.Scaling, settings.Lambdas = s, []float64{1e-3}
			model, _, err := krr.Fit(ctx, m, data, settings)
			if err != nil {
				t.Fatal(name, err)
			}
			return model
		}
		model, plain := fit(c.data, twice), fit(bentTwice(c.data), rff.Scaling{})
		if in, _ := model.Dims(); in != 3 {
			t.Errorf("%s: %d inputs", name, in)
		}
		var file bytes.Buffer
		if _, err := model.WriteTo(&file); err != nil {
			t.Fatal(name, err)
		}
		back, err := krr.ReadModel(&file)
		if err != nil {
			t.Fatal(name, err)
		}
		same := func(what string, of func(m *krr.Model, dst *mat.Dense, x mat.Matrix) error) {
			var got, again, want mat.Dense
			if of(model, &got, dense(test.x)) != nil || of(back, &again, dense(test.x)) != nil || of(plain, &want, dense(bentTwice(test).x)) != nil {
				t.Fatal(name, what)
			}
			if diff := maxDiff(&got, &want); !(diff <= c.tolerance) || !mat.Equal(&got, &again) {
				t.Errorf("%s: %s differ by %g", name, what, diff)
			}
		}
		same("predictions", (*krr.Model).Predict)
		if c.Uncertainty != "" {
			same("variances", (*krr.Model).Variance)
		}
		if c.Uncertainty == "intervals" {
			same("ends", func(m *krr.Model, dst *mat.Dense, x mat.Matrix) error { return m.Interval(dst, new(mat.Dense), x, .9) })
		}
		if err := model.Predict(new(mat.Dense), dense(bentTwice(test).x)); err == nil || !strings.Contains(err.Error(), "3") {
			t.Errorf("%s: rows that are bent already pass: %v", name, err)
		}
	}
}

// A Gram of rows whose columns are bent again survives its file, and leaves out single rows.
func TestGramAgain(t *testing.T) {
	t.Parallel()
	ctx, data := context.Background(), synthetic(1, 300, 3, 1, .1)
	m := gaussianMap(t, 1, 5, 64, 1)
	path := func(data *rows, s rff.Scaling) []krr.PathPoint {
		g := krr.NewGram(m, 1, krr.GramSettings{Scaling: s})
		if err := g.AddSource(ctx, data); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := g.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := krr.ReadGram(&file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := back.LeaveOneOut(ctx, data, []float64{1e-3})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	got, want := path(data, twice)[0].Error[0], path(bentTwice(data), rff.Scaling{})[0].Error[0]
	if d := got - want; !(d*d < 1e-24) {
		t.Errorf("%v left out, want %v", got, want)
	}
	if _, err := krr.NewGram(m, 1, krr.GramSettings{Scaling: twice}).LeaveOneOut(ctx, bentTwice(data), []float64{1}); err == nil {
		t.Error("rows that are bent already pass")
	}
}

// Sums of rows of which other columns are bent again are no sums to add to, nor to go on with.
func TestOtherColumnsAgain(t *testing.T) {
	t.Parallel()
	other := twice
	other.Again = []int{1, 0}
	data, m := synthetic(1, 100, 3, 1, .1), gaussianMap(t, 1, 5, 16, 1)
	g, h := krr.NewGram(m, 1, krr.GramSettings{Scaling: twice}), krr.NewGram(m, 1, krr.GramSettings{Scaling: other})
	if err := g.Merge(h); err == nil || !strings.Contains(err.Error(), "scaling") {
		t.Errorf("merged: %v", err)
	}
	for name, passes := range map[string]*krr.Passes{"sums": nil, "passes": {Tolerance: 1e-9}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := krr.Settings{Scaling: twice, Lambdas: []float64{1e-3}, Passes: passes, Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: time.Nanosecond}}
		s.Progress = func(p krr.Progress) {
			if p.Stage == "iterations" {
				cancel()
			}
		}
		if _, _, err := krr.Fit(ctx, m, data, s); (err == nil) != (passes == nil) {
			t.Fatal(name, err)
		}
		s.Scaling = other
		var f *krr.FileError
		if _, _, err := krr.Fit(t.Context(), m, data, s); !errors.As(err, &f) || !strings.Contains(err.Error(), "scaling") {
			t.Errorf("%s go on: %v", name, err)
		}
	}
}

// Rows that are bent are plain numbers, with a name for none of them if some are of one column.
func TestScaledAgain(t *testing.T) {
	data, err := rff.WithSchema(synthetic(1, 20, 3, 1, .1), rff.Schema{Inputs: rff.Columns("a", "b", "c"), Target: rff.Target{Columns: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want, n := bentTwice(synthetic(1, 20, 3, 1, .1)), 0
	bent := dataset.Scaled(data, twice)
	if in, _ := bent.Schema().Dims(); in != 5 || bent.Schema().InputNames() != nil {
		t.Errorf("%d inputs called %v", in, bent.Schema().InputNames())
	}
	for b, err := range bent.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.X.Rows {
			for j, v := range b.X.Row(i) {
				if d := v - want.x.Row(n)[j]; d > 1e-14 || d < -1e-14 {
					t.Errorf("row %d, column %d: %v", n, j, v)
				}
			}
			n++
		}
	}
	if n != 20 {
		t.Errorf("%d rows", n)
	}
}

// A scaling of other columns is refused before the search.
func TestScalingOfOtherColumns(t *testing.T) {
	other := twice
	other.Again = []int{2, 3}
	for _, s := range []rff.Scaling{{Shift: []float64{1}}, other} {
		var p *rff.ParameterError
		data, fit := synthetic(1, 100, 3, 1, .1), krr.Settings{Scaling: s, Lambdas: []float64{1e-3}}
		if _, _, err := krr.Auto(t.Context(), data, krr.AutoSettings{Budget: time.Second, Fit: fit}); !errors.As(err, &p) {
			t.Errorf("Auto with %v: %v", s, err)
		}
		if _, _, err := krr.Fit(t.Context(), gaussianMap(t, 1, 3+len(s.Again), 16, 1), data, fit); !errors.As(err, &p) {
			t.Errorf("Fit with %v: %v", s, err)
		}
	}
}

// A function of months that is not smooth is nothing for kernels of their distance: Auto takes a
// column per month, and its model stands in a file.
func TestAutoLevels(t *testing.T) {
	t.Parallel()
	var of [24]float64
	rng := rand.New(rand.NewPCG(5, 5))
	for k := range of {
		of[k] = rng.NormFloat64()
	}
	made := func(seed uint64, n int) *rows {
		rng := rand.New(rand.NewPCG(seed, 1))
		return planted(seed, n, 3, .1, func(x []float64) float64 {
			k := rng.IntN(len(of))
			x[0] = float64(k)
			return of[k] + x[1]
		})
	}
	train, test := made(1, 1500), made(2, 1000)
	m, r := auto(t, train, krr.AutoSettings{Budget: time.Second})
	if s := krr.SearchOf(r).Scaling; s != "levels" {
		t.Errorf("Auto takes %s", s)
	}
	if e := relativeRMSE(t, m, test); e > .15 { // noise is .07 of the standard deviation
		t.Errorf("error %.3f", e)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	back, err := krr.ReadModel(&file)
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	if m.Predict(&a, dense(test.x)) != nil || back.Predict(&b, dense(test.x)) != nil || !mat.Equal(&a, &b) {
		t.Error("the model read back predicts something else")
	}
}

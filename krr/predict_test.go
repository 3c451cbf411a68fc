package krr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	columns "github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr"
)

// A model scales raw rows as the rows of its fit were scaled: it predicts what the
// model of scaled rows does of scaled rows, over more rows than a block has.
func TestPredictScales(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 2)
	scaling := rff.Scaling{Shift: []float64{1, -2, .5}, Scale: []float64{2, .5, 4}}
	raw, test := synthetic(1, 200, 3, 2, .1), synthetic(2, 1500, 3, 2, 0)
	scaled := func(x blas.General[float64]) blas.General[float64] {
		out := blas.NewGeneral[float64](x.Rows, x.Cols)
		columns.BentRows(nil, nil, scaling.Shift, scaling.Scale, out, x)
		return out
	}
	plain := *raw
	plain.x = scaled(raw.x)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		a, _, err := krr.Fit(context.Background(), m, raw, krr.Settings{Lambdas: []float64{1e-3}, Precision: p, Scaling: scaling})
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := krr.Fit(context.Background(), m, &plain, krr.Settings{Lambdas: []float64{1e-3}, Precision: p})
		if err != nil {
			t.Fatal(err)
		}
		var got, want mat.Dense
		if err := a.Predict(&got, dense(test.x)); err != nil {
			t.Fatal(err)
		}
		if err := b.Predict(&want, dense(scaled(test.x))); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.RawMatrix().Data, want.RawMatrix().Data) {
			t.Errorf("%v: a model that scales predicts otherwise than one of scaled rows", p)
		}
	}
}

// Nothing in the place of a matrix or of sums is an error, and no panic.
func TestNothingGiven(t *testing.T) {
	m, r, c := gaussianMap(t, 1, 2, 16, 2), synthetic(1, 30, 2, 1, .1), classes(1, 60, 2, "a", "b")
	model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Uncertainty: "intervals"})
	if err != nil {
		t.Fatal(err)
	}
	classifier, _, err := krr.Fit(t.Context(), m, c, krr.Settings{Uncertainty: "intervals", Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	x, g := dense(r.x), gram(t, m, r, krr.Float64)
	second := func(_ any, err error) error { return err }
	var noDense *mat.Dense
	var noVec *mat.VecDense
	for name, do := range map[string]func() error{
		"Predict x":         func() error { return model.Predict(new(mat.Dense), nil) },
		"Predict dense":     func() error { return model.Predict(new(mat.Dense), noDense) },
		"Predict vector":    func() error { return model.Predict(new(mat.Dense), noVec) },
		"Predict dst":       func() error { return model.Predict(nil, x) },
		"Variance x":        func() error { return model.Variance(new(mat.Dense), nil) },
		"Variance dst":      func() error { return model.Variance(nil, x) },
		"Interval x":        func() error { return model.Interval(new(mat.Dense), new(mat.Dense), nil, .5) },
		"Interval low":      func() error { return model.Interval(nil, new(mat.Dense), x, .5) },
		"Interval high":     func() error { return model.Interval(new(mat.Dense), nil, x, .5) },
		"Labels":            func() error { return second(classifier.Labels(nil)) },
		"LabelSets":         func() error { return second(classifier.LabelSets(nil, .5)) },
		"Probabilities x":   func() error { return classifier.Probabilities(new(mat.Dense), nil) },
		"Probabilities dst": func() error { return classifier.Probabilities(nil, x) },
		"Merge":             func() error { return g.Merge(nil) },
		"Subtract":          func() error { return g.Subtract(nil) },
	} {
		var missing *rff.ParameterError
		if err := do(); !errors.As(err, &missing) || missing.Need != "must be given" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Results have memory of their own, or there is an error that says so, and x is as it was.
func TestResultsApart(t *testing.T) {
	m, r := gaussianMap(t, 1, 2, 16, 2), synthetic(1, 30, 2, 2, .1)
	model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Lambdas: []float64{1e-3}, Uncertainty: "intervals"})
	if err != nil {
		t.Fatal(err)
	}
	classifier, _, err := krr.Fit(t.Context(), m, classes(1, 60, 2, "a", "b"), krr.Settings{Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	data := append(slices.Clone(r.x.Data), 0, 0)
	x, next, own := mat.NewDense(30, 2, data[:60]), mat.NewDense(30, 2, data[2:]), mat.NewDense(30, 2, nil)
	for name, do := range map[string]func() error{
		"a prediction":        func() error { return model.Predict(next, x) },
		"a row":               func() error { return model.PredictRow(data[:2], data[1:3]) },
		"variances":           func() error { return model.Variance(next, x) },
		"lower ends":          func() error { return model.Interval(next, own, x, .5) },
		"upper ends":          func() error { return model.Interval(own, next, x, .5) },
		"both ends in one":    func() error { return model.Interval(own, own, x, .5) },
		"probabilities":       func() error { return classifier.Probabilities(next, x) },
		"lower ends in place": func() error { return model.Interval(x, own, x, .5) },
	} {
		var shared *rff.ParameterError
		if err := do(); !errors.As(err, &shared) || !slices.Equal(data[:60], r.x.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A dst of another size than the results is an error that says both, and stays as it was. Where a
// method returns no error, and so only a program can be wrong, it panics with a constant.
func TestResultsOfAnotherSize(t *testing.T) {
	m, r, c := gaussianMap(t, 1, 2, 16, 2), synthetic(1, 30, 2, 2, .1), classes(1, 60, 2, "a", "b", "c")
	model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Uncertainty: "intervals"})
	if err != nil {
		t.Fatal(err)
	}
	classifier, _, err := krr.Fit(t.Context(), m, c, krr.Settings{Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(5, 2, slices.Clone(r.x.Data[:10]))
	for name, do := range map[string]struct {
		cols int
		into func(dst *mat.Dense) error
	}{
		"Predict":       {2, func(dst *mat.Dense) error { return model.Predict(dst, x) }},
		"scores":        {3, func(dst *mat.Dense) error { return classifier.Predict(dst, x) }},
		"Variance":      {2, func(dst *mat.Dense) error { return model.Variance(dst, x) }},
		"low":           {2, func(dst *mat.Dense) error { return model.Interval(dst, new(mat.Dense), x, .5) }},
		"high":          {2, func(dst *mat.Dense) error { return model.Interval(new(mat.Dense), dst, x, .5) }},
		"Probabilities": {3, func(dst *mat.Dense) error { return classifier.Probabilities(dst, x) }},
	} {
		for _, size := range [][2]int{{4, do.cols}, {6, do.cols}, {5, do.cols - 1}, {5, do.cols + 1}, {do.cols, 5}} {
			dst := mat.NewDense(size[0], size[1], nil)
			var shape *rff.ShapeError
			if err := do.into(dst); !errors.As(err, &shape) || shape.Rows != size[0] || shape.Cols != size[1] || shape.WantRows != 5 || shape.WantCols != do.cols || mat.Norm(dst, 1) != 0 {
				t.Errorf("%s into %v: %v, %v", name, size, err, dst.RawMatrix().Data)
			}
		}
		if err := do.into(mat.NewDense(5, do.cols, nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{0, 1, 3} {
		var shape *rff.ShapeError
		if err := model.PredictRow(make([]float64, n), []float64{1, 2}); !errors.As(err, &shape) || shape.Cols != n || shape.WantCols != 2 {
			t.Errorf("a row of %d predictions: %v", n, err)
		}
	}
	for name, do := range map[string]func(){
		"few probabilities":    func() { classifier.ProbabilitiesOf(make([]float64, 2), make([]float64, 3)) },
		"many probabilities":   func() { classifier.ProbabilitiesOf(make([]float64, 4), make([]float64, 3)) },
		"probabilities of few": func() { classifier.ProbabilitiesOf(make([]float64, 3), make([]float64, 2)) },
		"no probabilities":     func() { model.ProbabilitiesOf(make([]float64, 2), make([]float64, 2)) },
		"the class of none":    func() { classifier.ClassOf(nil) },
		"the class of few":     func() { classifier.ClassOf(make([]float64, 2)) },
		"the class of many":    func() { classifier.ClassOf(make([]float64, 4)) },
	} {
		func() {
			defer func() {
				p := recover()
				if text, ok := p.(string); !ok || !strings.HasPrefix(text, "krr: ") {
					t.Errorf("%s: panics with %v", name, p)
				}
			}()
			do()
		}()
	}
}

package krr_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// Many classes, whose sums have a reference of their own, have the solution of a regression
// on their codes, with weights and folds, and the same bits on every number of workers.
func TestManyClasses(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 3, 4, 48, 2)
	var labels []string
	for i := range 80 {
		labels = append(labels, fmt.Sprint(i))
	}
	r := classes(5, 1500, 4, labels...)
	for i := range r.x.Rows {
		r.w = append(r.w, float64(i%4)/2)
	}
	numbers := *r
	numbers.classes = nil
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		s := krr.Settings{Precision: p, Lambdas: []float64{1e-4, 1e-2}, Engine: rff.Engine{Workers: 1}}
		got, report, err := krr.Fit(ctx, m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		want, plain, err := krr.Fit(ctx, m, &numbers, s)
		if err != nil {
			t.Fatal(err)
		}
		// Sums of 1500 rows in float64, or of products in float32, over the least ridge.
		tolerance := map[krr.Precision]float64{krr.Float64: 1e-9, krr.Float32: 1e-2}[p]
		a, b := predicted(t, got, r), predicted(t, want, r)
		if d := maxDiff(a, b); d > tolerance {
			t.Errorf("%v: predictions differ by %g", p, d)
		}
		if d := math.Abs(krr.TotalOf(report.Path[0]) - krr.TotalOf(plain.Path[0])); d > tolerance {
			t.Errorf("%v: held-out errors differ by %g", p, d)
		}
		s.Engine.Workers = 3
		again, _, err := krr.Fit(ctx, m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(a, predicted(t, again, r)) {
			t.Errorf("%v: other bits on three workers", p)
		}
	}
}

func predicted(t *testing.T, m *krr.Model, r *rows) *mat.Dense {
	t.Helper()
	var out mat.Dense
	if err := m.Predict(&out, dense(r.x)); err != nil {
		t.Fatal(err)
	}
	return &out
}

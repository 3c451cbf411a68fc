package krr_test

import (
	"context"
	"slices"
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

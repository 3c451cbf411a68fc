package stream_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Coefficients may be columns of a wider matrix. A row has the same bits alone and among others, and a product
// of matrices has nearly the same numbers.
func TestPredictorTakesColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	filled := func(r, c int) blas.General[float64] {
		x := blas.NewGeneral[float64](r, c)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	m, err := rff.New(rff.NewGaussian(1), 3, 64, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	e, x, shift := blas.Engine{Workers: 1}, filled(5, 3), []float64{1, -2, 3}
	coef := dense.View(filled(64, 7), 0, 64, 2, 5)
	want := blas.NewGeneral[float64](5, 3)
	inside.Features64(m).Predict(e, want, x, coef, shift)
	for p, off := range map[*stream.Precision]float64{stream.Float64: 1e-13, stream.Float32: 1e-4} {
		by, got, one := p.NewPredictor(m, rff.Scaling{}, coef, shift), blas.NewGeneral[float64](5, 3), blas.NewGeneral[float64](1, 3)
		near := func(what string) {
			for i, v := range got.Data {
				if math.Abs(v-want.Data[i]) > off {
					t.Errorf("%s, %s: number %d is %v, want %v", p.Short, what, i, v, want.Data[i])
				}
			}
		}
		by.Multiply(e, got, x)
		near("matrices")
		by.Predict(e, got, x, false)
		near("vectors")
		for i := range 5 {
			by.Predict(e, one, x.RowRange(i, i+1), false)
			for k, v := range one.Data {
				if v != got.Row(i)[k] {
					t.Errorf("%s: row %d has %v alone, and %v among others", p.Short, i, one.Data, got.Row(i))
				}
			}
		}
	}
}

package stream_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/stream"
)

// The coefficients of a predictor that nobody has are freed by the next garbage collection, though
// its memory is in a pool.
func TestPredictorsAreFreed(t *testing.T) {
	m, err := rff.New(rff.NewGaussian(1), 3, 8, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	used := func() weak.Pointer[float64] {
		coef, x := blas.NewGeneral[float64](8, 1), blas.NewGeneral[float64](5, 3)
		by := stream.Float64.NewPredictor(m, rff.Scaling{}, coef, []float64{0})
		by.Predict(blas.Engine{Workers: 1}, blas.NewGeneral[float64](5, 1), x, false)
		return weak.Make(&coef.Data[0])
	}
	p := used()
	runtime.GC()
	if p.Value() != nil {
		t.Error("they are still there")
	}
}

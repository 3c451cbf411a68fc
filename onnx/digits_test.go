package onnx

import (
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// The error that a file says of itself has what float32 takes from the inputs. In 10⁸ + t with t
// in [0, 3] float32 has steps of 8: all rows become one or two, and a prediction of sin 2t is off by
// about 1. Of t itself float32 has 24 digits, and the error is below 10⁻⁵ (see bound).
func TestErrorHasLostDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		offset       float64
		float32      bool
		least, below float64
	}{{1e8, true, 0.5, 3}, {1e8, false, 0, 1e-6}, {0, true, 0, 1e-5}} {
		x, y := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil)
		for i := range 200 {
			v := 3 * random.Float64()
			x.Set(i, 0, c.offset+v)
			y.Set(i, 0, math.Sin(2*v))
		}
		m, err := rff.New(rff.NewGaussian(1), 1, 32, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := rff.FromMatrix(x, y)
		if err != nil {
			t.Fatal(err)
		}
		scaling := rff.Scaling{Shift: []float64{c.offset + 1.5}, Scale: []float64{1}}
		model, _, err := krr.Fit(t.Context(), m, rows, krr.Settings{Lambdas: []float64{1e-4}, Scaling: scaling})
		if err != nil {
			t.Fatal(err)
		}
		w, err := Write(io.Discard, model, Options{Float32: c.float32})
		if err != nil {
			t.Fatal(err)
		}
		if !(c.least <= w.Error && w.Error < c.below) {
			t.Errorf("offset %g, float32 %v: says an error of %.2g, want %g to %g", c.offset, c.float32, w.Error, c.least, c.below)
		}
	}
}

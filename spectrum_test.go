package rff

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/internal/portable"
)

// The radius of an isotropic spectrum is the length of the frequency that the same
// uniforms give at scale 1.
func TestRadiusIsTheLength(t *testing.T) {
	src := rand.NewPCG(6, 6)
	for _, k := range []Stationary{NewGaussian(1), NewMatern(0.5, 1), NewMatern(1.5, 1), NewMatern(2.5, 1)} {
		const d = 5
		sp, err := k.Spectrum(d)
		if err != nil {
			t.Fatal(err)
		}
		u, w := make([]float64, sp.Uniforms()), make([]float64, d)
		for range 50 {
			for i := range u {
				u[i] = portable.Uniform(src)
			}
			sp.Quantile(w, u)
			want := mat.Norm(mat.NewVecDense(d, w), 2)
			if got := sp.(Isotropic).Radius(u); math.Abs(got-want) > 1e-13*want {
				t.Errorf("%v: radius %.16g, length %.16g", k, got, want)
			}
		}
	}
}

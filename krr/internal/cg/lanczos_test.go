package cg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The eigenvalue estimates are those of the Lanczos matrix, to the percent that
// the bisection stops at.
func TestExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for n := 1; n < 40; n++ {
		step, beta := make([]float64, n), make([]float64, n)
		a := mat.NewSymDense(n, nil)
		for i := range n {
			step[i], beta[i] = math.Exp(2*rng.NormFloat64()), math.Exp(rng.NormFloat64())
			a.SetSym(i, i, 1/step[i])
			if i > 0 {
				a.SetSym(i, i, 1/step[i]+beta[i-1]/step[i-1])
				a.SetSym(i-1, i, math.Sqrt(beta[i-1])/step[i-1])
			}
		}
		var e mat.EigenSym
		if !e.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		v := e.Values(nil)
		var l lanczos
		for i := range step {
			l.add(step[i], beta[i])
		}
		lo, hi := l.extremes()
		if math.Abs(lo/v[0]-1) > 0.02 || math.Abs(hi/v[n-1]-1) > 0.02 {
			t.Errorf("n = %d: %g … %g, want %g … %g", n, lo, hi, v[0], v[n-1])
		}
	}
}

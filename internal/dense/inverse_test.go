package dense_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// TestInverseDiagonal multiplies: with X = (UᵀU)⁻¹ by two triangular solutions of the
// identity, the diagonals agree within rounding errors of n terms of these
// well-conditioned systems.
func TestInverseDiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	for _, n := range []int{1, 63, 64, 65, 150} {
		u, x := blas.NewGeneral[float64](n, n), blas.NewGeneral[float64](n, n)
		for i := range n {
			for j := i; j < n; j++ {
				u.Row(i)[j] = r.NormFloat64() / float64(n)
			}
			u.Row(i)[i] = 1 + r.Float64()
			x.Row(i)[i] = 1
		}
		e := blas.Engine{Workers: 2}
		blas.CholeskySolve(e, u, x)
		got := make([]float64, n)
		dense.InverseDiagonal(e, got, u)
		for i, v := range got {
			if want := x.Row(i)[i]; !(math.Abs(v-want) <= 1e-13*want) {
				t.Fatalf("n = %d: element %d is %g, want %g", n, i, v, want)
			}
		}
	}
}

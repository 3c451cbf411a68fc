package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// U·U⁻¹ is the identity to rounding errors, n·eps·cond, for sizes about the blocks,
// and the norm of the inverse is that of its largest singular value.
func TestInvertUpper(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, invertBlock - 1, invertBlock, invertBlock + 1, 2*invertBlock + 77} {
		u := blas.NewGeneral[float64](n, n)
		for i := range n {
			for j := range u.Row(i) { // what is below the diagonal does not matter
				u.Row(i)[j] = rng.NormFloat64() / float64(n)
			}
			u.Row(i)[i] = 1 + rng.Float64()
		}
		upper := mat.NewDense(n, n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				upper.Set(i, j, u.Row(i)[j])
			}
		}
		factor := Clone(u)
		InvertUpper(blas.Engine{}, u)
		inverse := mat.NewDense(n, n, u.Data)
		var product mat.Dense
		product.Mul(upper, inverse)
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if j < i && inverse.At(i, j) != 0 {
					t.Fatalf("n = %d: element %d, %d below the diagonal is %g", n, i, j, inverse.At(i, j))
				}
				if e := math.Abs(product.At(i, j) - want); e > 1e-12 {
					t.Fatalf("n = %d: element %d, %d of the product is off by %g", n, i, j, e)
				}
			}
		}
		var svd mat.SVD
		if !svd.Factorize(inverse, mat.SVDNone) {
			t.Fatal("no singular values")
		}
		largest := math.Pow(svd.Values(nil)[0], 2)
		for _, got := range []float64{NormSquared(u), InverseNormSquared(factor)} {
			if !(got <= largest*(1+1e-12) && got > 0.5*largest) {
				t.Errorf("n = %d: ‖U⁻¹‖² is %g, estimated as %g", n, largest, got)
			}
		}
	}
}

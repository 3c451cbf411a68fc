package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

// The product of a triangle has the bits of the whole product, for sizes about the
// blocks.
func TestMulUpper(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{1, 7, blas.BlockK, blas.BlockK + 1, 2*blas.BlockK + 30} {
		p, x := blas.NewGeneral[float64](n, n), blas.NewGeneral[float64](n, 3)
		for i := range n {
			for j := i; j < n; j++ {
				p.Row(i)[j] = rng.NormFloat64()
			}
		}
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		for _, trans := range []bool{false, true} {
			want := blas.NewGeneral[float64](n, 3)
			blas.Gemm(blas.Engine{}, trans, false, 1, p, x, 0, want)
			if got := MulUpper(blas.Engine{}, trans, p, x); !slices.Equal(got.Data, want.Data) {
				t.Errorf("n = %d, transposed %v: the products differ", n, trans)
			}
		}
	}
}

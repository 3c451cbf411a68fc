package blas

import (
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
)

// The reference's float32 fma, written apart from package asm's, agrees with it.
func TestReferenceFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 2))
	gemm := asm.Reference[float32]().Gemm
	b := make([]float32, 8)
	for range 200000 {
		// Few bits, so that ties and near-ties are frequent.
		few := func() float32 { return float32(r.IntN(1<<13)-1<<12) * float32(int64(1)<<r.IntN(30)) }
		x, y, z := few(), few(), few()
		b[0] = 1
		c := []float32{z}
		gemm(1, 1, 1, y, []float32{x}, 1, b, 8, c, 1, false, nil)
		if got := fma(x, y, z); got != c[0] {
			t.Fatalf("fma(%g, %g, %g) = %g, the reference has %g", x, y, z, got, c[0])
		}
	}
}

package asm

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTranspose(t *testing.T) { eachKernel(t, testTranspose[float64], testTranspose[float32]) }

// Every element is where the definition has it, and what lies between rows stays.
func testTranspose[T Float](t *testing.T, kern *Kernels[T]) {
	r := rand.New(rand.NewPCG(19, 20))
	for n := range 70 {
		lds, ldd := n+r.IntN(5), TransposeRows+r.IntN(5)
		frameS, src := framed[T]((TransposeRows-1)*lds+n, r.IntN(9))
		frameD, dst := framed[T](max(0, (n-1)*ldd+TransposeRows), r.IntN(9))
		for i := range src {
			src[i] = T(r.NormFloat64())
		}
		for i := range dst {
			dst[i] = T(-i)
		}
		keep, want := slices.Clone(src), slices.Clone(dst)
		for i := range TransposeRows {
			for l := range n {
				want[l*ldd+i] = src[i*lds+l]
			}
		}
		kern.Transpose(dst, ldd, src, lds, n)
		if err := equalFrame(frameS, src, keep); err != nil {
			t.Fatalf("n=%d: src: %v", n, err)
		}
		if err := equalFrame(frameD, dst, want); err != nil {
			t.Fatalf("n=%d: dst: %v", n, err)
		}
	}
}

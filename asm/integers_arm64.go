//go:build gc && !purego && !noasm

package asm

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

// neonRound has the arguments of Round: how many rows of words to write over the rows of a panel z.
type neonRound struct {
	z      unsafe.Pointer
	words  int
	factor unsafe.Pointer
}

// integersNEON binds words of two rows and, where the processor adds up products of bytes, of four.
func integersNEON(t *Kernels[float32]) {
	t.Int16 = integersOf(t, 2, neonWords)
	if cpuid.CPU.Supports(cpuid.ASIMDDP) {
		t.Int8 = integersOf(t, 4, neonQuads)
	}
}

func integersOf(t *Kernels[float32], rows, mode int) *Integers[float32] {
	panel, mr := t.Panel, t.MR
	return &Integers[float32]{
		Rows: rows,
		Round: func(z []float32, n int, factor []float32) {
			checkRound(z, n, rows, panel, factor)
			if n == 0 {
				return
			}
			whole := (n-1)/rows + 1
			clear(z[n*panel : whole*rows*panel])
			a := neonRound{unsafe.Pointer(unsafe.SliceData(z)), whole, unsafe.Pointer(unsafe.SliceData(factor))}
			run[float32](entryRound+rows/4, unsafe.Pointer(&a))
		},
		Accumulate: func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32) {
			checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
			tileNEON(m, n, k, unit, a, lda, b, bStride, c, ldc, mode, next)
		},
	}
}

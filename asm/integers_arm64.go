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
	t.Int16 = neonIntegers(t, 2, neonWords)
	if cpuid.CPU.Supports(cpuid.ASIMDDP) {
		t.Int8 = neonIntegers(t, 4, neonQuads)
	}
}

func neonIntegers(t *Kernels[float32], rows, mode int) *Integers[float32] {
	return integersOf(t, rows, func(z []float32, words int, factor []float32) {
		a := neonRound{unsafe.Pointer(unsafe.SliceData(z)), words, unsafe.Pointer(unsafe.SliceData(factor))}
		run[float32](entryRound+rows/4, unsafe.Pointer(&a))
	}, func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32) {
		tileNEON(m, n, k, unit, a, lda, b, bStride, c, ldc, mode, next)
	})
}

//go:build gc && !purego && !noasm

package asm

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:noescape
func words8x32AVX512(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)

//go:noescape
func madd8x32AVX512(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)

//go:noescape
func quads8x32AVX512(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)

//go:noescape
func madd4x24AVX2(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)

//go:noescape
func round2AVX512(z *float32, words int, factor *float32)

//go:noescape
func round4AVX512(z *float32, words int, factor *float32)

//go:noescape
func round2AVX2(z *float32, words int, factor *float32)

// A tileWords is Integers.Accumulate in assembly. Without next, it prefetches from a.
type tileWords func(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)

// integersAVX512 binds words of two rows and, where they are faster, of four.
func integersAVX512(t *Kernels[float32]) {
	if !cpuid.CPU.Supports(cpuid.AVX512VNNI) {
		t.Int16 = assembled(t, 2, round2AVX512, madd8x32AVX512)
		return
	}
	t.Int16 = assembled(t, 2, round2AVX512, words8x32AVX512)
	t.Int8 = assembled(t, 4, round4AVX512, quads8x32AVX512)
}

func integersAVX2(t *Kernels[float32]) { t.Int16 = assembled(t, 2, round2AVX2, madd4x24AVX2) }

func assembled(t *Kernels[float32], rows int, round func(z *float32, words int, factor *float32), tile tileWords) *Integers[float32] {
	return integersOf(t, rows, func(z []float32, words int, factor []float32) {
		round(unsafe.SliceData(z), words, unsafe.SliceData(factor))
	}, func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32) {
		tile(m, n, k, unsafe.SliceData(a), lda, unsafe.SliceData(b), bStride, unit, unsafe.SliceData(c), ldc, ahead(a, next))
	})
}

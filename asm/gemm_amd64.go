//go:build gc && !purego && !noasm

package asm

import "unsafe"

// The modes say what a tile product does with its chains s.
const (
	tileAdd       = iota // c = fma(alpha, s, c)
	tileOverwrite        // c = alpha·s
	tileSum              // float64 c += s; kernels of float32 only
)

// A tile is a tile product in assembly: Gemm of m rows, or Accumulate, by mode.
// Strides count elements; k may be 0, n and m may not.
type tile[T Float] func(m, n, k int, alpha T, a *T, lda int, b *T, bStride int, c unsafe.Pointer, ldc int, mode int, next *T)

//go:noescape
func dgemm8x16AVX512(m, n, k int, alpha float64, a *float64, lda int, b *float64, bStride int, c unsafe.Pointer, ldc int, mode int, next *float64)

//go:noescape
func sgemm8x32AVX512(m, n, k int, alpha float32, a *float32, lda int, b *float32, bStride int, c unsafe.Pointer, ldc int, mode int, next *float32)

//go:noescape
func dgemm4x12AVX2(m, n, k int, alpha float64, a *float64, lda int, b *float64, bStride int, c unsafe.Pointer, ldc int, mode int, next *float64)

//go:noescape
func sgemm4x24AVX2(m, n, k int, alpha float32, a *float32, lda int, b *float32, bStride int, c unsafe.Pointer, ldc int, mode int, next *float32)

// A tileWith is AccumulateWith in assembly.
type tileWith[T Float] func(n, k int, alpha T, a *T, lda int, y *T, ldy int, b *T, bStride int, c unsafe.Pointer, ldc int, sums unsafe.Pointer, ldSums int, mode int, next *T)

//go:noescape
func dgemm8x16With2AVX512(n, k int, alpha float64, a *float64, lda int, y *float64, ldy int, b *float64, bStride int, c unsafe.Pointer, ldc int, sums unsafe.Pointer, ldSums int, mode int, next *float64)

//go:noescape
func sgemm8x32With2AVX512(n, k int, alpha float32, a *float32, lda int, y *float32, ldy int, b *float32, bStride int, c unsafe.Pointer, ldc int, sums unsafe.Pointer, ldSums int, mode int, next *float32)

// tilesWith binds f as AccumulateWith.
func tilesWith[T Float](t *Kernels[T], f tileWith[T]) {
	mr, panel := t.MR, t.Panel
	t.AccumulateWith = func(n, k int, a []T, lda int, y []T, ldy int, b []T, bStride int, c []float64, ldc int, sums []float64, ldSums int, next []T) {
		checkTile(mr, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
		checkTile(2, n, k, mr, panel, y, ldy, b, bStride, len(sums), ldSums)
		f(n, k, 1, unsafe.SliceData(a), lda, unsafe.SliceData(y), ldy, unsafe.SliceData(b), bStride,
			unsafe.Pointer(unsafe.SliceData(c)), ldc, unsafe.Pointer(unsafe.SliceData(sums)), ldSums, sumMode[T](), ahead(a, next))
	}
}

// sumMode adds chains to float64 sums: in float64 fma(1, s, c) is c + s.
func sumMode[T Float]() int {
	if unsafe.Sizeof(*new(T)) == 4 {
		return tileSum
	}
	return tileAdd
}

// tiles binds f, whose tile is MR rows by one panel of t, as Gemm and Accumulate.
func tiles[T Float](t *Kernels[T], f tile[T]) {
	mr, panel := t.MR, t.Panel
	t.Gemm = func(m, n, k int, alpha T, a []T, lda int, b []T, bStride int, c []T, ldc int, overwrite bool, next []T) {
		checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
		mode := tileAdd
		if overwrite {
			mode = tileOverwrite
		}
		f(m, n, k, alpha, unsafe.SliceData(a), lda, unsafe.SliceData(b), bStride,
			unsafe.Pointer(unsafe.SliceData(c)), ldc, mode, ahead(a, next))
	}
	t.Accumulate = func(m, n, k int, a []T, lda int, b []T, bStride int, c []float64, ldc int, next []T) {
		checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
		f(m, n, k, 1, unsafe.SliceData(a), lda, unsafe.SliceData(b), bStride,
			unsafe.Pointer(unsafe.SliceData(c)), ldc, sumMode[T](), ahead(a, next))
	}
}

// ahead is the address to prefetch from. Without next it is a itself, which costs nothing.
func ahead[T Float](a, next []T) *T {
	if len(next) == 0 {
		return unsafe.SliceData(a)
	}
	return unsafe.SliceData(next)
}

package asm

import (
	"math"
	"unsafe"
)

// The loops of the module that simd.go of bench/web writes take the place of those in Go, if its
// vector instruction is fused, as it is on processors with such an instruction, in browsers that
// know it.

//go:wasmimport rff f64x4
//go:noescape
func simd64x4(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff f64x2
//go:noescape
func simd64x2(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff f64x1
//go:noescape
func simd64x1(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff f32x4
//go:noescape
func simd32x4(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff f32x2
//go:noescape
func simd32x2(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff f32x1
//go:noescape
func simd32x1(s unsafe.Pointer, k int32, a unsafe.Pointer, lda int32, b unsafe.Pointer, panel int32)

//go:wasmimport rff poly64
//go:noescape
func poly64(coef unsafe.Pointer, terms int32, x float64) float64

//go:wasmimport rff poly32
//go:noescape
func poly32(coef unsafe.Pointer, terms int32, x float32) float32

// fused reports whether the module's chains are there and fused: x² of x = 1 + 2⁻ᵇ has a last
// digit that a rounded product loses.
var fused = func() bool {
	x, y := 1+0x1p-30, float32(1+0x1p-13)
	s, b := chains[float64]{-1 - 0x1p-29}, [blockCols]float64{x}
	t, c := chains[float32]{-1 - 0x1p-12}, [blockCols]float32{y}
	simd64x1(unsafe.Pointer(&s), 1, unsafe.Pointer(&x), 8, unsafe.Pointer(&b), 8*blockCols)
	simd32x1(unsafe.Pointer(&t), 1, unsafe.Pointer(&y), 4, unsafe.Pointer(&c), 4*blockCols)
	return s[0] == 0x1p-60 && t[0] == 0x1p-26
}()

// chains64 is the multiplier of float64.
func chains64(s chains[float64], rows, k int, a []float64, lda int, b []float64, panel int) chains[float64] {
	if !fused {
		return chains64Go(s, rows, k, a, lda, b, panel)
	}
	_, _ = a[(k-1)*lda+rows-1], b[(k-1)*panel+blockCols-1]
	to, from, by := unsafe.Pointer(&s), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	switch rows {
	case 4:
		simd64x4(to, int32(k), from, int32(8*lda), by, int32(8*panel))
	case 2:
		simd64x2(to, int32(k), from, int32(8*lda), by, int32(8*panel))
	default:
		simd64x1(to, int32(k), from, int32(8*lda), by, int32(8*panel))
	}
	return s
}

// chains32 is the multiplier of float32.
func chains32(s chains[float32], rows, k int, a []float32, lda int, b []float32, panel int) chains[float32] {
	if !fused {
		return chains32Go(s, rows, k, a, lda, b, panel)
	}
	_, _ = a[(k-1)*lda+rows-1], b[(k-1)*panel+blockCols-1]
	to, from, by := unsafe.Pointer(&s), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	switch rows {
	case 4:
		simd32x4(to, int32(k), from, int32(4*lda), by, int32(4*panel))
	case 2:
		simd32x2(to, int32(k), from, int32(4*lda), by, int32(4*panel))
	default:
		simd32x1(to, int32(k), from, int32(4*lda), by, int32(4*panel))
	}
	return s
}

// at is Σ coef[i]·xⁱ by Horner's rule, of at least two terms.
func (p *polynomial[T]) at(x T) T {
	switch {
	case !fused:
		return p.atGo(x)
	case unsafe.Sizeof(x) == 8:
		return T(poly64(unsafe.Pointer(&p.coef), int32(p.terms), float64(x)))
	}
	return T(poly32(unsafe.Pointer(&p.coef), int32(p.terms), float32(x)))
}

// invertGo is Kernels.Invert.
func invertGo(v, u *Square, n int) {
	for i := n - 1; i >= 0; i-- {
		p, row, to := u[i][i], u[i][:n], v[i][:n]
		to[i] = 1 / p
		j := i + 1
		for ; j+blockCols <= n; j += blockCols {
			below := unsafe.Slice(&v[i+1][j], (j-i-1)*SquareRows+blockCols)
			s := chains64(chains[float64]{}, 1, j-i, row[i+1:], 1, below, SquareRows)
			for c := range blockCols { // what each column has below the first one's diagonal
				for l := j + 1; l <= j+c; l++ {
					s[c] = math.FMA(row[l], v[l][j+c], s[c])
				}
				to[j+c] = -s[c] / p
			}
		}
		for ; j < n; j++ {
			var s float64
			for l := i + 1; l <= j; l++ {
				s = math.FMA(row[l], v[l][j], s)
			}
			to[j] = -s / p
		}
	}
}

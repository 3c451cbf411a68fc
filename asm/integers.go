package asm

import (
	"math"
	"unsafe"
)

// Words returns float32 memory z as the words that are in it.
func Words[T Float](z []T) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(z))), len(z))
}

// integers returns the reference kernels of words of two rows on the shapes of t.
func integers(t *Kernels[float32]) *Integers[float32] {
	panel := t.Panel
	return integersOf(t, 2, func(z []float32, words int, factor []float32) { roundGo(z, words, panel, factor) },
		func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, _ []float32) {
			productsGo(panel, m, n, k, Words(a), lda, Words(b), bStride, unit, c, ldc)
		})
}

// integersOf returns kernels of words of that many rows on the shapes of t. round writes words over
// rows of z, whose last word is filled up with zeros. products is Accumulate.
func integersOf(t *Kernels[float32], rows int, round func(z []float32, words int, factor []float32), products func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32)) *Integers[float32] {
	panel, mr := t.Panel, t.MR
	return &Integers[float32]{
		Rows: rows,
		Round: func(z []float32, n int, factor []float32) {
			checkRound(z, n, rows, panel, factor)
			if n == 0 {
				return
			}
			words := (n-1)/rows + 1
			clear(z[n*panel : words*rows*panel])
			round(z, words, factor)
		},
		Accumulate: func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32) {
			checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
			products(m, n, k, a, lda, b, bStride, unit, c, ldc, next)
		},
	}
}

// checkRound panics unless z and factor are long enough.
func checkRound(z []float32, n, rows, panel int, factor []float32) {
	if n < 0 || len(factor) < panel {
		panic(errShortCols)
	}
	if n > 0 && len(z) < span((n-1)/rows*rows+rows, panel, 0) {
		panic(errShortZ)
	}
}

func roundGo(z []float32, words, panel int, factor []float32) {
	to := Words(z)
	q := func(row, c int) int32 { return int32(math.RoundToEven(float64(z[row*panel+c] * factor[c]))) }
	for w := range words {
		for c := range panel {
			to[w*panel+c] = uint32(uint16(q(2*w, c))) | uint32(q(2*w+1, c))<<16
		}
	}
}

func productsGo(panel, m, n, k int, a []uint32, lda int, b []uint32, bStride int, unit float64, c []float64, ldc int) {
	for i := range m {
		for j := range n {
			var s int32
			at := j/panel*bStride + j%panel
			for l := range k {
				p, q := a[l*lda+i], b[at+l*panel]
				s += int32(int16(p))*int32(int16(q)) + int32(p)>>16*(int32(q)>>16)
			}
			c[i*ldc+j] = math.FMA(float64(s), unit, c[i*ldc+j])
		}
	}
}

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

//go:noescape
func wordsNEONx4(a *neonGemm)

//go:noescape
func wordsNEONx2(a *neonGemm)

//go:noescape
func wordsNEONx1(a *neonGemm)

//go:noescape
func quadsNEONx4(a *neonGemm)

//go:noescape
func quadsNEONx2(a *neonGemm)

//go:noescape
func quadsNEONx1(a *neonGemm)

//go:noescape
func roundNEONx2(a *neonRound)

//go:noescape
func roundNEONx4(a *neonRound)

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
			if rows == 2 {
				roundNEONx2(&a)
			} else {
				roundNEONx4(&a)
			}
		},
		Accumulate: func(m, n, k int, a []float32, lda int, b []float32, bStride int, unit float64, c []float64, ldc int, next []float32) {
			checkTile(m, n, k, mr, panel, a, lda, b, bStride, len(c), ldc)
			tileNEON(m, n, k, unit, a, lda, b, bStride, c, ldc, mode, next)
		},
	}
}

func runWords(rows int, args *neonGemm) {
	switch rows {
	case 4:
		wordsNEONx4(args)
	case 2:
		wordsNEONx2(args)
	default:
		wordsNEONx1(args)
	}
}

func runQuads(rows int, args *neonGemm) {
	switch rows {
	case 4:
		quadsNEONx4(args)
	case 2:
		quadsNEONx2(args)
	default:
		quadsNEONx1(args)
	}
}

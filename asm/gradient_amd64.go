//go:build gc && !purego && !noasm

package asm

import "unsafe"

// residualTile returns the rows and targets of a tile if that many targets are left.
func residualTile(k family, targets int) (h, w int) {
	if k > avx512F32 {
		if targets >= 2 {
			return 2, 2
		}
		return 4, 1
	}
	switch {
	case targets >= 4:
		return 4, 4
	case targets >= 2:
		return 4, 2
	}
	return 8, 1
}

// backwardRows is the height of a tile of Backward.
func backwardRows(k family) int {
	if k > avx512F32 {
		return 2
	}
	return 4
}

// runGradient calls an entry of the table of k. It takes no function value, so that the operands
// stay on the caller's stack.
func runGradient(k family, entry int, operands unsafe.Pointer) {
	if k <= avx512F32 {
		gradientAVX512(operands, int(k-avx512F64)*gradientEntries+entry)
	} else {
		gradientAVX2(operands, int(k-avx2F64)*gradientEntries+entry)
	}
}

//go:noescape
func gradientAVX512(operands unsafe.Pointer, entry int)

//go:noescape
func gradientAVX2(operands unsafe.Pointer, entry int)

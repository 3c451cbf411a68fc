//go:build gc && !purego && !noasm

package asm

import "unsafe"

// residualTile returns the rows and targets of a tile if that many targets are left.
func residualTile(_ family, targets int) (h, w int) {
	if targets >= 2 {
		return 2, 2
	}
	return 4, 1
}

// backwardRows is the height of a tile of Backward.
func backwardRows(family) int { return 2 }

func runGradient(k family, entry int, operands unsafe.Pointer) {
	kernelNEON(operands, int(k)*neonEntries+entry)
}

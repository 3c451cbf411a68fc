//go:build gc && !purego && !noasm && (amd64 || arm64)

package asm

// The kernels of the gradient, in the order of their tables (asm/_gen), which have those of
// float64 and then those of float32. They equal residualsGo and backwardGo on whole tiles and
// adamGo on whole vectors.
const (
	entryResiduals      = iota // of a row and a target
	entryResidualsTiles        // of tiles by 1 target, then by 2 and 4
	_
	_
	entryBackward      // of a row
	entryBackwardTiles // of tiles of backwardRows
	entryAdam
	entryFolds // makes residuals of sweep.tiles rows from their partial sums, z
	gradientEntries
)

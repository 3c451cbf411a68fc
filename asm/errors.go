package asm

// Kernels panic with these, because only a programmer can cause them.
const (
	errShortX      = "asm: X is too short for Rows, D and LDX"
	errShortW      = "asm: W is too short for D and Cols"
	errShortCols   = "asm: Phase or Weight is too short for Cols"
	errBadScale    = "asm: Weight is nil and Scale not from MinScale to MaxScale"
	errShortZ      = "asm: output is too short for Rows, Cols and its strides"
	errBadStride   = "asm: stride smaller than a row"
	errShortY      = "asm: y is too short for Rows, targets and ldy"
	errShortAcc    = "asm: acc is too short for targets, Cols and lda"
	errBadTile     = "asm: tile outside 1..MR rows, or a negative size"
	errShortA      = "asm: a is too short for the tile"
	errShortB      = "asm: b is too short for the tile"
	errShortC      = "asm: c is too short for the tile"
	errShortR      = "asm: R is too short for Rows, Targets and LDR"
	errShortCoef   = "asm: A, B, GA or GB is too short for Panels and Targets"
	errShortSums   = "asm: Sums is too short for Rows and Targets"
	errShortD      = "asm: D is too short for Rows, Panels and DStride"
	errShortG      = "asm: G is too short for X, Run and GStride"
	errLength      = "asm: slice lengths differ"
	errPowerOfTwo  = "asm: size is not a power of two that divides the length"
	errUnknownFunc = "asm: unknown Func"
	errTerms       = "asm: Cos and CosSin have no Terms but Products"
)

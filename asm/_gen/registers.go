package main

import "fmt"

// Names of the general registers. Fifteen registers serve many stages, so a
// register has several names: one for each thing that it holds while a stage
// runs. R8 … R14 hold addresses of rows; see row.

// Feature kernels, throughout.
const (
	rStrip  = "DI"  // the struct strip
	rW      = "SI"  // W of this panel
	rPanels = "CX"  // panels left
	rColumn = "R13" // offset of this panel in Phase and Weight, in bytes
	rZ      = "AX"  // z of row 0 (but see zRegister)
)

// Projection.
const (
	rPhase      = "DX"
	rInputs     = "DX"  // inputs left
	rLDX        = "R12" // stride of the rows of x
	rPanelBytes = "R15" // of a panel of W
)

// Epilogue.
const (
	rFunction = "R12"
	rWeight   = "DX"
	rWeight2  = "R12" // weights of the sines
	rCoef     = "R15" // table of coefficients
)

// Output.
const (
	rMode      = "DX"
	rStep      = "DX"  // from one panel of the output to the next
	rZRow      = "BX"  // stride of the rows of z
	rNextPanel = "BX"  // where every row has a register: stride of the panels of z
	rThird     = "R14" // three times that
)

// Scores.
const (
	rSums    = "DX"  // sums of this target
	rLDSums  = "BX"  // from one target to the next
	rTargets = "R15" // targets left
	rLDY     = "R12" // stride of the rows of y
)

// Elementwise kernels.
const (
	rT     = "SI" // projections
	rSines = "R8" // z2
)

// Pipelined kernels; what is not here is as in feature kernels. R10, R11, AX
// and R13 are the rows 0 and 3 of the two panels of z that a tile covers.
const (
	rXRow0    = "R8"
	rXRow3    = "R9"
	rWRest    = "R10" // runs over W behind the inputs that are merged
	rZRow0    = "R10"
	rZRow3    = "R11"
	rZ2Row0   = "AX"  // of the second panel
	rZ2Row3   = "R13" // of the second panel
	rHold     = "R14" // room for a tile
	rWeightA  = "DX"  // weights of the tile that is finished
	rWeightB  = "CX"  // and of its sines
	rMove     = "CX"  // on the way from memory to memory
	rMask     = "CX"
	rStride   = "AX" // added to addresses between panels and strips
	rYPipe    = "CX"
	rLDYPipe  = "BX"
	rTLeft    = "R12" // targets left
	rYRow2    = "R15"
	rHoldSize = "BX" // of a row of rHold

	// Residuals.
	rCosCoef   = "DX" // coefficients of this target, of the first panel of the tile
	rSinCoef   = "AX"
	rCoefPanel = "BX" // from one panel of them to the next
	rPart      = "CX" // partial sums of row 0 and of row 2
	rPart2     = "R15"
	rLDPart    = "R12"
	rPartLeft  = "R10" // targets left
)

// row is the register of row base number b: the rows 0, 3, 6, … of an operand
// (see rowBases), or rows 0, 1, 2, … where each has its own.
func row(b int) string { return fmt.Sprint("R", 8+b) }

// field addresses a field of the struct strip of package asm. The assembler
// has its offset from go_asm.h, which the compiler writes.
func field(name string) string { return "strip_" + name + "(" + rStrip + ")" }

// constant is the operand for a constant of package asm.
func constant(name string) string { return "$const_" + name }

package blas

import "github.com/rffgo/rff/asm"

// The block lengths below are part of the definition of results. Other lengths would give
// other roundings.
const (
	// RowBlock is the number of rows whose sums form one fused chain in Sums (block
	// sums are added in order). It divides into whole strips of 4, 6, 8 and 12 rows,
	// and a strip of 8 columns of one block fills two thirds of a first-level cache
	// of 48 KiB.
	RowBlock = 504

	// BlockK is the longest inner dimension of one fused chain in Gemm and Syrk.
	// A strip of MR × BlockK stays in the first-level cache while it meets the
	// panels of the other operand.
	BlockK = 504

	// A diagonal block of blockTri rows is solved blockInv rows at a time with the inverse of
	// a blockInv × blockInv triangle, so that all but n·blockInv² multiply-adds are products.
	// The inverse of so small a triangle adds only an error of the size of its own condition
	// number, as in the solvers of GPU libraries.
	blockTri = 256
	blockInv = asm.SquareRows
)

func ceil(a, b int) int    { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceil(a, b) * b }

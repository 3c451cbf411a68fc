package blas

import (
	"fmt"
	"unsafe"
)

// Operation says how one operation runs: with which kernel and in which blocks.
type Operation struct {
	Name   string // "features", "gram", …
	Kernel string // instruction set and tile, or the backend's name
	Blocks string // block sizes; those that define the bits of a result are named so
}

// Describe returns how the operations of element type T run on e, for people
// and reports.
func Describe[T Float](e Engine) []Operation {
	k := kernelsOf[T](e)
	if k == nil {
		own := nativeKernels[T]()
		name := e.backend().Name()
		rows := fmt.Sprintf("row blocks of %d", RowBlock)
		tiles := fmt.Sprintf("one call per %d×%d tile and worker", foreignTile, foreignTile)
		cosine := own.ISA + " cosine"
		if _, ok := productsOf[T](e).(Elementwise[T]); ok {
			cosine = "cosine of its own"
		}
		return []Operation{
			{"features", name + " products, " + cosine, rows},
			{"gram", name + " products", rows + ", " + tiles},
			{"gemm", name, tiles},
			{"syrk", name, tiles},
			{"trsm", name, "chunks of right-hand sides"},
			{"cholesky", name + " products", "right-looking"},
			{"hadamard", own.ISA, "whole rows"},
		}
	}
	size := int(unsafe.Sizeof(*new(T)))
	feature := fmt.Sprintf("%s, strips of %d rows × %d columns", k.ISA, k.Strip, k.Width)
	tile := fmt.Sprintf("%s, %d×%d tile", k.ISA, k.MR, k.Width)
	group := max(1, gramGroupBytes/(k.Width*RowBlock*size))
	return []Operation{
		{"features", feature, fmt.Sprintf("%d KiB of frequencies at a time", groupBytes>>10)},
		{"gram", feature + "; " + tile, fmt.Sprintf("chains of %d rows (defines bits), groups of up to %d columns (%d KiB)",
			RowBlock, group*k.Width, group*k.Width*RowBlock*size>>10)},
		{"scores", feature, fmt.Sprintf("chains of %d rows (defines bits)", RowBlock)},
		{"predict", feature + "; dot product over 32 lanes", "one row, or chunks of rows"},
		{"gemm", tile, fmt.Sprintf("chains of %d (defines bits), %d×%d packed", BlockK, maxBlockM/k.MR*k.MR, maxBlockN/k.Width*k.Width)},
		{"syrk", tile, "those of gemm"},
		{"trsm", tile, fmt.Sprintf("blocks of %d, inverses of %d (define bits)", BlockTri, BlockInv)},
		{"cholesky", tile, "those of trsm"},
		{"hadamard", k.ISA, "whole rows"},
	}
}

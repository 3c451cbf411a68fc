package train

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// gradientRows is the number of rows whose products form one fused chain of the derivatives by
// frequencies. Another number would give other bits. Their features for 1,000 frequencies stay in a
// second-level cache, and they are enough rows to pay for the loads and stores of a tile of the
// product.
const gradientRows = 64

// The sizes below were chosen for speed. They never change a result.

// padRows rows lie between the panels of features and of D.
const padRows = 4

// blockBytes is the size of the features of a block of rows in the second-level cache of a worker.
// It is half of that cache; frequencies and derivatives have the rest.
func blockBytes[T asm.Float](kern *asm.Kernels[T]) int { return kern.L2 / 2 }

// groupPanels is the number of panels, which are whole tiles, that Backward and the product XᵀD take
// in turn. Their D of gradientRows rows, coefficients and derivatives fill a first-level cache.
func groupPanels[T asm.Float](kern *asm.Kernels[T], targets int) int {
	across := kern.Width / kern.Panel
	bytes := (gradientRows + padRows + 4*targets) * kern.Panel * int(unsafe.Sizeof(*new(T)))
	return max(1, kern.L1/bytes/across) * across
}

func ceil(a, b int) int    { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceil(a, b) * b }

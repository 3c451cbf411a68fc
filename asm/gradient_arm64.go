//go:build gc && !purego && !noasm

package asm

// family tells the kernels of the gradient by element type.
type family uint8

const (
	neonF64 family = iota
	neonF32
)

// residualTile returns the rows and targets of a tile if that many targets are left.
func residualTile(_ family, targets int) (h, w int) {
	if targets >= 2 {
		return 2, 2
	}
	return 4, 1
}

// backwardRows is the height of a tile of Backward.
func backwardRows(family) int { return 2 }

// runResiduals, runBackward and runAdam are switches, not function values, so that
// their arguments stay on the caller's stack.
func runResiduals(k family, rows, targets int, s *sweep) {
	switch {
	case k == neonF64 && rows == 4:
		residualsNEON64x4x1(s)
	case k == neonF64 && targets == 2:
		residualsNEON64x2x2(s)
	case k == neonF64:
		residualsNEON64x1x1(s)
	case rows == 4:
		residualsNEON32x4x1(s)
	case targets == 2:
		residualsNEON32x2x2(s)
	default:
		residualsNEON32x1x1(s)
	}
}

func runBackward(k family, rows int, s *sweep) {
	switch {
	case k == neonF64 && rows == 2:
		backwardNEON64x2(s)
	case k == neonF64:
		backwardNEON64x1(s)
	case rows == 2:
		backwardNEON32x2(s)
	default:
		backwardNEON32x1(s)
	}
}

func runAdam(k family, s *adamRun) {
	if k == neonF64 {
		adamNEON64(s)
	} else {
		adamNEON32(s)
	}
}

// The residuals kernels equal residualsGo on tiles of so many rows by targets.

//go:noescape
func residualsNEON64x4x1(a *sweep)

//go:noescape
func residualsNEON64x2x2(a *sweep)

//go:noescape
func residualsNEON64x1x1(a *sweep)

//go:noescape
func residualsNEON32x4x1(a *sweep)

//go:noescape
func residualsNEON32x2x2(a *sweep)

//go:noescape
func residualsNEON32x1x1(a *sweep)

// The backward kernels equal backwardGo on tiles of so many rows.

//go:noescape
func backwardNEON64x2(a *sweep)

//go:noescape
func backwardNEON64x1(a *sweep)

//go:noescape
func backwardNEON32x2(a *sweep)

//go:noescape
func backwardNEON32x1(a *sweep)

// The adam kernels equal adamGo on whole vectors.

//go:noescape
func adamNEON64(a *adamRun)

//go:noescape
func adamNEON32(a *adamRun)

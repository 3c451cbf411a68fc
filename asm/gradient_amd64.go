//go:build gc && !purego && !noasm

package asm

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

// runResiduals, runBackward and runAdam are switches, not function values, so that
// their arguments stay on the caller's stack.
func runResiduals(k family, rows, targets int, s *sweep) {
	switch k {
	case avx512F64:
		switch {
		case rows == 8:
			residuals8x1AVX512F64(s)
		case targets == 4:
			residuals4x4AVX512F64(s)
		case targets == 2:
			residuals4x2AVX512F64(s)
		default:
			residuals1x1AVX512F64(s)
		}
	case avx512F32:
		switch {
		case rows == 8:
			residuals8x1AVX512F32(s)
		case targets == 4:
			residuals4x4AVX512F32(s)
		case targets == 2:
			residuals4x2AVX512F32(s)
		default:
			residuals1x1AVX512F32(s)
		}
	case avx2F64:
		switch {
		case rows == 4:
			residuals4x1AVX2F64(s)
		case targets == 2:
			residuals2x2AVX2F64(s)
		default:
			residuals1x1AVX2F64(s)
		}
	case avx2F32:
		switch {
		case rows == 4:
			residuals4x1AVX2F32(s)
		case targets == 2:
			residuals2x2AVX2F32(s)
		default:
			residuals1x1AVX2F32(s)
		}
	}
}

func runBackward(k family, rows int, s *sweep) {
	switch {
	case k == avx512F64 && rows == 4:
		backward4AVX512F64(s)
	case k == avx512F64:
		backward1AVX512F64(s)
	case k == avx512F32 && rows == 4:
		backward4AVX512F32(s)
	case k == avx512F32:
		backward1AVX512F32(s)
	case k == avx2F64 && rows == 2:
		backward2AVX2F64(s)
	case k == avx2F64:
		backward1AVX2F64(s)
	case k == avx2F32 && rows == 2:
		backward2AVX2F32(s)
	case k == avx2F32:
		backward1AVX2F32(s)
	}
}

func runAdam(k family, s *adamRun) {
	switch k {
	case avx512F64:
		adamAVX512F64(s)
	case avx512F32:
		adamAVX512F32(s)
	case avx2F64:
		adamAVX2F64(s)
	case avx2F32:
		adamAVX2F32(s)
	}
}

// The residuals kernels equal residualsGo on tiles of so many rows by targets.

//go:noescape
func residuals8x1AVX512F64(s *sweep)

//go:noescape
func residuals4x4AVX512F64(s *sweep)

//go:noescape
func residuals4x2AVX512F64(s *sweep)

//go:noescape
func residuals1x1AVX512F64(s *sweep)

//go:noescape
func residuals8x1AVX512F32(s *sweep)

//go:noescape
func residuals4x4AVX512F32(s *sweep)

//go:noescape
func residuals4x2AVX512F32(s *sweep)

//go:noescape
func residuals1x1AVX512F32(s *sweep)

//go:noescape
func residuals4x1AVX2F64(s *sweep)

//go:noescape
func residuals2x2AVX2F64(s *sweep)

//go:noescape
func residuals1x1AVX2F64(s *sweep)

//go:noescape
func residuals4x1AVX2F32(s *sweep)

//go:noescape
func residuals2x2AVX2F32(s *sweep)

//go:noescape
func residuals1x1AVX2F32(s *sweep)

// The backward kernels equal backwardGo on tiles of so many rows.

//go:noescape
func backward4AVX512F64(s *sweep)

//go:noescape
func backward1AVX512F64(s *sweep)

//go:noescape
func backward4AVX512F32(s *sweep)

//go:noescape
func backward1AVX512F32(s *sweep)

//go:noescape
func backward2AVX2F64(s *sweep)

//go:noescape
func backward1AVX2F64(s *sweep)

//go:noescape
func backward2AVX2F32(s *sweep)

//go:noescape
func backward1AVX2F32(s *sweep)

// The adam kernels equal adamGo on whole vectors.

//go:noescape
func adamAVX512F64(s *adamRun)

//go:noescape
func adamAVX512F32(s *adamRun)

//go:noescape
func adamAVX2F64(s *adamRun)

//go:noescape
func adamAVX2F32(s *adamRun)

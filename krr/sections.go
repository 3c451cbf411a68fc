package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// A map that rff.Nystrom makes is z = Pᵀk, with kernel sections k and P = L⁻ᵀ. To
// multiply every row by P would take twice the work of ZᵀZ. Instead, sums are those of
// k until all rows are in, and then become those of z; coefficients are multiplied by
// P, so that a model has sections alone. All that is in float64: the congruence makes
// the rounding errors of sums ‖P‖² times as large, and of float32 nothing else would be
// left. To multiply float32 rows takes longer than float64 sums.

// sectionsOf returns the map of the sections k behind m, and P; of any other map m
// itself and an empty matrix.
func sectionsOf(m *rff.Map) (*rff.Map, blas.General[float64]) { return m.Factored() }

// precisionOf returns p, or what takes its place for m.
func precisionOf(m *rff.Map, p Precision) Precision {
	if _, landmarks := m.Sections(); landmarks {
		return Float64
	}
	return p
}

// unfold turns coefficients of z into those of sections: k·Pβ = zβ.
func unfold(e blas.Engine, p, coef blas.General[float64]) blas.General[float64] {
	return dense.MulUpper(e, false, p, coef)
}

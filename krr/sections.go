package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// A map that rff.Nystrom makes is z = Pᵀk, with kernel sections k and P = L⁻ᵀ. To
// multiply every row by P would take twice the work of ZᵀZ. Instead, sums are those of
// k until all rows are in, and then become those of z; coefficients are multiplied by
// P, so that a model has sections alone. In float32 every row is multiplied: the
// congruence makes the rounding errors of sums ‖P‖² times as large, and nothing else
// would be left.

// sectionsOf returns the map of the sections k behind m, and P; of any other map m
// itself and an empty matrix.
func sectionsOf(m *rff.Map) (*rff.Map, blas.General[float64]) { return m.Factored() }

// summedMap returns the map whose features a Gram of m sums.
func summedMap(m *rff.Map, p Precision) *rff.Map {
	if p == Float64 {
		m, _ = sectionsOf(m)
	}
	return m
}

// unfold turns coefficients of z into those of sections: k·Pβ = zβ.
func unfold(e blas.Engine, p, coef blas.General[float64]) blas.General[float64] {
	out := blas.NewGeneral[float64](coef.Rows, coef.Cols)
	blas.Gemm(e, false, false, 1, p, coef, 0, out)
	return out
}

package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// A map of kernel sections as rff.Nystrom makes it is z = Pᵀk with sections k and
// P = L⁻ᵀ. To multiply every row by P would take twice the work of ZᵀZ. It need not
// be done: sums are of k, and become those of z when all rows are in; coefficients
// are multiplied by P, so that a model has sections alone. In float32 rows are
// multiplied: the rounding errors of sums, which the congruence makes ‖P‖² times as
// large, would be all there is.

// sectionsOf returns the map of sections behind m, and P; m itself, and no P, if it is
// no such map.
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
	return dense.MulUpper(e, false, p, coef)
}

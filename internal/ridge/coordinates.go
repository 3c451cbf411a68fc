package ridge

import (
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/dense"
)

// Coordinates are the coordinates in which sums of the base features b are solved, for a map z
// = Pᵀb (package basis). They are those of z, whose sums whiten makes, or those of b with a
// penalty. The zero Coordinates are of a map without a base.
type Coordinates struct {
	change  *basis.Change // nil where coefficients are those of b
	penalty *penalty
}

// Settle chooses the coordinates for systems of sums of b, and turns the sums into sums in
// these coordinates, in place. few says that systems will be solved for FewLambdas or fewer and
// asked for nothing else. Then a factor with the penalty K for each λ is the cheapest way, and
// the sums stay as they are. It needs K, which is not known for a change that came from a file.
func Settle(e blas.Engine, c *basis.Change, few bool, sums ...*blas.Sums) Coordinates {
	if c == nil {
		return Coordinates{}
	}
	if few {
		if k, ok := c.Penalty(); ok {
			return Coordinates{penalty: &penalty{k, c.Norm()}}
		}
	}
	whiten(e, c.P(), c.Norm(), sums...)
	return Of(c)
}

// Of returns the coordinates of sums of z.
func Of(c *basis.Change) Coordinates { return Coordinates{change: c} }

// SettleCopy returns the sums of z and their coordinates. It leaves the sums of b as they are,
// and returns these where there is no change.
func SettleCopy(e blas.Engine, c *basis.Change, b *blas.Sums) (*blas.Sums, Coordinates) {
	if c == nil {
		return b, Coordinates{}
	}
	z := *b
	z.G, z.ZY, z.Z = dense.Clone(b.G), dense.Clone(b.ZY), slices.Clone(b.Z)
	return &z, Settle(e, c, false, &z)
}

// Base returns the coefficients of b that predict the same as the coefficients of a system.
func (c Coordinates) Base(e blas.Engine, coef blas.General[float64]) blas.General[float64] {
	return c.change.Base(e, coef)
}

// BaseRoot returns FPᵀ for an F of systems without a penalty: F(z − z̄) = FPᵀ(b − b̄).
func (c Coordinates) BaseRoot(e blas.Engine, f blas.General[float64]) blas.General[float64] {
	if c.change == nil {
		return f
	}
	fp := blas.NewGeneral[float64](f.Rows, f.Cols)
	blas.Gemm(e, false, true, 1, f, c.change.P(), 0, fp)
	return fp
}

// BaseMean returns b̄ for z̄.
func (c Coordinates) BaseMean(e blas.Engine, z []float64) []float64 {
	if c.change == nil {
		return z
	}
	mean := slices.Clone(z)
	blas.TrsmUpper(e, true, c.change.P(), blas.General[float64]{Rows: len(z), Cols: 1, Stride: 1, Data: mean})
	return mean
}

package ridge

import (
	gblas "gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Contains reports whether the rows of part may be some of those of all. If they are, the sums
// that remain are positive semidefinite, together with the targets and the number of rows,
//
//	Σ w(z, y, 1)(z, y, 1)ᵀ ⪰ 0,
//
// to within rounding errors of all. Contains checks that, which also holds for many other rows.
func Contains(e blas.Engine, all, part *blas.Sums) bool {
	n := len(all.Z)
	g := blas.NewGeneral[float64](n+1, n+1)
	sums := func(s *blas.Sums, sign float64) {
		for i := range n {
			to := g.Row(i)
			for j, v := range s.G.Row(i)[i:] {
				to[i+j] += float64(sign * v)
			}
			to[n] += float64(sign * s.Z[i])
		}
		g.Row(n)[n] += float64(sign * s.W)
	}
	sums(all, 1)
	roundings := 64 * max(all.Eps, 0x1p-52) // rounding errors of sums in another order
	var size, yy float64
	for i := range n + 1 {
		size += g.Row(i)[i]
	}
	sums(part, -1)
	for t, v := range all.YY {
		yy = max(yy, part.YY[t]-v-float64(roundings*v))
	}
	slack := max(all.Noise, roundings*size)
	for i := range n + 1 {
		g.Row(i)[i] += slack
	}
	return yy <= 0 && dense.Finite(g) && definite(e, g)
}

// definite reports whether the symmetric matrix whose upper triangle g has is positive definite.
// It overwrites g. The inverses in blas.Cholesky multiply rounding errors by the condition of
// their blocks, which a nearly singular matrix does not survive: then the factorisation that
// takes one column after the other decides, whose errors are those of its sums.
func definite(e blas.Engine, g blas.General[float64]) bool {
	diagonal := make([]float64, g.Rows)
	for i := range diagonal {
		diagonal[i] = g.Row(i)[i]
	}
	dense.Mirror(g)
	if blas.Cholesky(e, g) == nil {
		return true
	}
	for i, v := range diagonal {
		g.Row(i)[i] = v
	}
	return lapack.Implementation{}.Dpotf2(gblas.Lower, g.Rows, g.Data, g.Stride)
}

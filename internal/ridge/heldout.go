package ridge

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// HeldOut returns Σw(y − b − zᵀβ)² over the rows of h for every λ, for β and b trained on the
// rows of s. The errors of the targets of one λ stand together. It needs nothing but sums.
// Unless all is empty, it writes the coefficients there as SolveGrid does. The error is that of
// SolveGrid.
func (s *System) HeldOut(ctx context.Context, e blas.Engine, h *blas.Sums, grid []float64, all blas.General[float64], advance func(share float64)) (errs []float64, solved []Solved, err error) {
	errs = make([]float64, len(grid)*len(s.Y))
	solved, err = s.solveGrid(ctx, e, grid, advance, func(share blas.Engine, c columns) {
		s.heldOut(share, h, c, errs)
		if len(all.Data) > 0 {
			s.gather(all, c)
		}
	})
	return errs, solved, err
}

// heldOut writes the errors of some coefficients to their places in errs.
func (s *System) heldOut(e blas.Engine, h *blas.Sums, c columns, errs []float64) {
	// Centred about the training means, so that large means do not cancel:
	// Σw(y'−z'ᵀβ)² = Σwy'² − 2βᵀΣwz'y' + βᵀ(Σwz'z'ᵀ)β.
	//
	// G is its upper triangle U with zeros below: βᵀGβ = 2βᵀUᵀβ − Σ gᵢᵢβᵢ².
	half := dense.Fitting(c.scratch, c.coef.Rows, c.coef.Cols)
	lowerTimes(e, h.G, c.coef, half)
	// Go row by row, since the elements of a column are far apart in memory if there are many
	// targets and λ. u = z̄ᵀβ, v = Σwzᵀβ
	type sum struct{ quad, lin, u, v float64 }
	sums, cross := make([]sum, c.coef.Cols), make([]float64, c.targets)
	for i := range c.coef.Rows {
		diag, z, mean := h.G.Row(i)[i]+float64(h.W*h.Bias), h.Z[i], s.Z[i]
		zy := h.ZY.Row(i)[c.target:]
		for t := range cross {
			cross[t] = zy[t] - float64(z*s.Y[c.target+t])
		}
		for l := range c.lambdas {
			row, half, to := c.coef.Row(i)[l*c.targets:], half.Row(i)[l*c.targets:], sums[l*c.targets:]
			for t, zy := range cross {
				to, b := &to[t], row[t]
				to.quad += float64(b * (2*half[t] - float64(diag*b)))
				to.lin += float64(b * zy)
				to.u += float64(b * mean)
				to.v += float64(b * z)
			}
		}
	}
	for l := range c.lambdas {
		for k, of := range sums[l*c.targets : (l+1)*c.targets] {
			t := c.target + k
			yb := s.Y[t]
			yy := h.YY[t] - float64(2*yb*h.Y[t]) + float64(h.W*yb*yb)
			of.lin -= float64(of.u * (h.Y[t] - float64(h.W*yb)))
			of.quad += float64(of.u * (float64(h.W*of.u) - 2*of.v))
			errs[(c.lambda+l)*len(s.Y)+t] = max(0, yy-2*of.lin+of.quad)
		}
	}
}

// lowerTimes writes Uᵀx to dst for an upper triangular u with zeros below. It makes the rows of
// the result in parts. A part leaves out the rows of x below it, which zeros would multiply.
func lowerTimes(e blas.Engine, u, x, dst blas.General[float64]) {
	const least, parts = 64, 4
	n := u.Rows
	size := max(least, (n+parts-1)/parts)
	for i := 0; i < n; i += size {
		end := min(i+size, n)
		part := blas.General[float64]{Rows: end, Cols: end - i, Stride: u.Stride, Data: u.Data[i:]}
		blas.Gemm(e, true, false, 1, part, x.RowRange(0, end), 0, dst.RowRange(i, end))
	}
}

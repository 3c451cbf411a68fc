package ridge

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/band"
	"github.com/rffgo/rff/internal/dense"
)

// FewLambdas is the largest number of λ for which a Cholesky factor each,
// s³/3, costs less than the reduction to a band, 4s³/3 and not all of it in
// matrix products. A factor with a penalty each also costs less than whiten and
// that reduction.
const FewLambdas = 5

// SolveGrid writes the coefficients of every λ to all, s×(t·len(grid)): the
// columns of λ_i start at i·t. It calls advance with the shares
// of the work that are done, 1 in all.
func (s *System) SolveGrid(ctx context.Context, e blas.Engine, grid []float64, all blas.General[float64], advance func(share float64)) ([]Solved, error) {
	t := s.R.Cols
	solved := make([]Solved, len(grid))
	slow := make([]bool, len(grid))
	if len(grid) > FewLambdas && s.penalty == nil {
		r, err := newReduced(ctx, e, s, 0, advance)
		if err != nil {
			return nil, err
		}
		e.Each(len(grid), func(_ blas.Engine, i int) {
			if ctx.Err() != nil {
				return
			}
			f, part, info, err := r.solve(grid[i])
			advance((1 - reducing) / float64(len(grid)))
			if err != nil {
				slow[i] = true
				return
			}
			f.Free()
			solved[i] = info
			for j := range all.Rows {
				copy(all.Row(j)[i*t:], part.Row(j))
			}
		})
		r.m.Restore(all)
	} else {
		for i := range slow {
			slow[i] = true
		}
	}
	for i, l := range grid {
		if !slow[i] {
			continue
		}
		coef, info, err := s.solveOf(ctx, e, l)
		if err != nil {
			return nil, err
		}
		if s.penalty != nil || len(grid) <= FewLambdas {
			advance(1 / float64(len(grid)))
		}
		solved[i] = info
		for j := range all.Rows {
			copy(all.Row(j)[i*t:], coef.Row(j))
		}
	}
	return solved, ctx.Err()
}

// solveOf is Solve for one λ of several, whose conditions nobody asks for if there is a
// penalty.
func (s *System) solveOf(ctx context.Context, e blas.Engine, lambda float64) (blas.General[float64], Solved, error) {
	if s.penalty != nil {
		return s.solvePenalised(ctx, e, lambda, false)
	}
	return s.Solve(ctx, e, lambda)
}

// reducing is the share of the reduction in what many λ take.
const reducing = 0.8

// reduced is a system in the coordinates in which A is a band.
type reduced struct {
	s    *System
	m    *band.Matrix
	r    blas.General[float64] // QᵀR
	errs float64               // the norm of A's rounding errors
}

// newReduced reduces s to blocks of that size, 0 for the default, in s²/2 elements of
// memory; A stays as it is. The result holds until the next reduction of s.
func newReduced(ctx context.Context, e blas.Engine, s *System, block int, advance func(share float64)) (_ *reduced, err error) {
	if s.total == nil {
		s.restore()
	}
	r := &reduced{s: s, errs: s.errors(), r: dense.Clone(s.R)}
	r.m, err = s.reducer.Reduce(ctx, e, len(s.Diag), block, s.row, func(share float64) { advance(reducing * share) })
	if err != nil {
		return nil, err
	}
	r.m.Rotate(r.r)
	return r, nil
}

// solve returns the factor for λ and Qᵀβ. The error means that the system is
// not positive definite even with the last jitter.
func (r *reduced) solve(lambda float64) (*band.Factor, blas.General[float64], Solved, error) {
	info := Solved{Method: Band, Jitter: r.s.firstJitter(lambda)}
	for {
		f, err := r.m.Factor(float64(r.s.W*lambda) + info.Jitter)
		if err == nil {
			coef := dense.Clone(r.r)
			f.Solve(coef)
			return f, coef, info.found(float64(r.s.W * lambda)), nil
		}
		if info.Attempts == Jitters {
			return nil, r.r, info, err
		}
		info.Attempts++
		info.Jitter = NextJitter(info.Jitter, r.errs)
	}
}

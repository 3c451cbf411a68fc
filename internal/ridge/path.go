package ridge

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/band"
	"github.com/rffgo/rff/internal/dense"
)

// FewLambdas is the largest number of λ for which one Cholesky factor for each, s³/3, costs
// less than the reduction to a band, which takes 4s³/3, not all of it in matrix products. One
// factor with a penalty for each also costs less than whiten and that reduction.
const FewLambdas = 5

// SomeColumns is about how many columns of coefficients are made at a time: few enough that
// they are still in cache when they are used, and enough for matrix products. If a system has
// that many targets or more, they are some targets of one λ, otherwise all targets of some λ.
const SomeColumns = 512

// columns are coefficients of some targets for some λ of a grid. Those of one λ stand together.
type columns struct {
	lambda, lambdas int // the first, and their number
	target, targets int
	coef            blas.General[float64]
	scratch         *[]float64 // memory for the function that gets the columns
}

// of returns the coefficients of one λ, given its index among the λ of c.
func (c *columns) of(lambda int) blas.General[float64] {
	return blas.General[float64]{Rows: c.coef.Rows, Cols: c.targets, Stride: c.coef.Stride, Data: c.coef.Data[lambda*c.targets:]}
}

// SolveGrid writes the coefficients of every λ to all, s×(t·len(grid)): the
// columns of λ_i start at i·t. It calls advance with the shares
// of the work that are done, 1 in all. It estimates no condition.
func (s *System) SolveGrid(ctx context.Context, e blas.Engine, grid []float64, all blas.General[float64], advance func(share float64)) ([]Solved, error) {
	return s.solveGrid(ctx, e, grid, advance, func(_ blas.Engine, c columns) { s.gather(all, c) })
}

// gather copies columns to their places in all.
func (s *System) gather(all blas.General[float64], c columns) {
	for i := range all.Rows {
		for l := range c.lambdas {
			copy(all.Row(i)[(c.lambda+l)*len(s.Y)+c.target:], c.coef.Row(i)[l*c.targets:(l+1)*c.targets])
		}
	}
}

// solveGrid calls f with the coefficients of every λ and target, from several goroutines at
// once. f may use the coefficients until it returns.
func (s *System) solveGrid(ctx context.Context, e blas.Engine, grid []float64, advance func(share float64), f func(share blas.Engine, c columns)) ([]Solved, error) {
	solved := make([]Solved, len(grid))
	slow := make([]bool, len(grid)) // λ to solve by themselves
	many := len(grid) > FewLambdas && s.penalty == nil
	if many {
		r, err := newReduced(ctx, e, s, 0, advance)
		if err != nil {
			return nil, err
		}
		most := max(1, SomeColumns/len(s.Y)) // λ of a group
		groups := (len(grid) + most - 1) / most
		e.Each(groups, func(share blas.Engine, k int) {
			from, end := k*len(grid)/groups, (k+1)*len(grid)/groups
			if ctx.Err() == nil {
				r.solveSome(share, grid[from:end], solved[from:end], slow[from:end], func(e blas.Engine, c columns) {
					c.lambda += from
					f(e, c)
				})
			}
			advance((1 - reducing) * float64(end-from) / float64(len(grid)))
		})
	}
	var scratch []float64
	for i, l := range grid {
		if many && !slow[i] {
			continue
		}
		coef, info, err := s.solve(ctx, e, l, false)
		if err != nil {
			return nil, err
		}
		if !many {
			advance(1 / float64(len(grid)))
		}
		solved[i] = info
		f(e, columns{i, 1, 0, len(s.Y), coef, &scratch})
	}
	return solved, ctx.Err()
}

// reducing is the share of the reduction in the work of many λ.
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

// solveSome calls f with the coefficients of some λ, all targets of these at once or some
// targets of one. λ without a factor are marked as slow, and their coefficients mean nothing.
func (r *reduced) solveSome(e blas.Engine, grid []float64, solved []Solved, slow []bool, f func(share blas.Engine, c columns)) {
	t := len(r.s.Y)
	parts := (t + SomeColumns - 1) / SomeColumns
	factors := make([]*band.Factor, len(grid))
	var memory, scratch []float64
	for k := range parts {
		from, end := k*t/parts, (k+1)*t/parts
		c := columns{0, len(grid), from, end - from, dense.Fitting(&memory, r.r.Rows, len(grid)*(end-from)), &scratch}
		e.Each(len(grid), func(_ blas.Engine, i int) {
			if k == 0 {
				var err error
				factors[i], solved[i], err = r.factor(grid[i], Jitters)
				slow[i] = err != nil
			}
			of := c.of(i)
			for row := range of.Rows {
				copy(of.Row(row), r.r.Row(row)[from:end])
			}
			if slow[i] {
				return
			}
			factors[i].Solve(of)
			if end == t {
				factors[i].Free()
			}
		})
		r.m.Restore(e, c.coef)
		f(e, c)
	}
}

// factor returns the factor for λ. The error means that the system is not positive
// definite even with the last of that many jitters.
func (r *reduced) factor(lambda float64, jitters int) (*band.Factor, Solved, error) {
	info := Solved{Method: Band, Jitter: r.s.firstJitter(lambda)}
	for {
		f, err := r.m.Factor(float64(r.s.W*lambda) + info.Jitter)
		if err == nil {
			return f, info.found(float64(r.s.W * lambda)), nil
		}
		if info.Attempts == jitters {
			return nil, info, err
		}
		info.Attempts++
		info.Jitter = NextJitter(info.Jitter, r.errs)
	}
}

// solve returns the factor for λ and Qᵀβ. The error is that of factor.
func (r *reduced) solve(lambda float64, jitters int) (*band.Factor, blas.General[float64], Solved, error) {
	f, info, err := r.factor(lambda, jitters)
	if err != nil {
		return nil, r.r, info, err
	}
	coef := dense.Clone(r.r)
	f.Solve(coef)
	return f, coef, info, nil
}

package krr

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/band"
)

// fewLambdas is the largest number of λ for which a Cholesky factor each,
// s³/3, costs less than the reduction to a band, 4s³/3 and not all of it in
// matrix products.
const fewLambdas = 5

// solveGrid writes the coefficients of every λ to all, s×(t·len(grid)): the
// columns of λ_i start at i·t.
func (s *system) solveGrid(e blas.Engine, grid []float64, all blas.General[float64]) ([]Solved, error) {
	t := s.r.Cols
	solved := make([]Solved, len(grid))
	slow := make([]bool, len(grid))
	if len(grid) > fewLambdas {
		r := newReduced(e, s)
		e.Each(len(grid), func(_ blas.Engine, i int) {
			_, part, info, err := r.solve(grid[i])
			if err != nil {
				slow[i] = true
				return
			}
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
		coef, info, err := s.solve(e, l)
		if err != nil {
			return nil, err
		}
		solved[i] = info
		for j := range all.Rows {
			copy(all.Row(j)[i*t:], coef.Row(j))
		}
	}
	return solved, nil
}

// reduced is a system in the coordinates in which A is a band.
type reduced struct {
	s     *system
	m     *band.Matrix
	r     blas.General[float64] // QᵀR
	trace float64
}

// newReduced reduces s in s² elements of memory beside A, which stays as it is.
func newReduced(e blas.Engine, s *system) *reduced {
	s.restore()
	r := &reduced{s: s, trace: s.trace(), r: cloneGeneral(s.r)}
	r.m = band.Reduce(e, s.a, 0)
	r.m.Rotate(r.r)
	return r
}

// solve returns the factor for λ and Qᵀβ. The error means that the system is
// not positive definite even with the last jitter.
func (r *reduced) solve(lambda float64) (*band.Factor, blas.General[float64], Solved, error) {
	info := Solved{Solver: Band}
	for {
		f, err := r.m.Factor(float64(r.s.w*lambda) + info.Jitter)
		if err == nil {
			coef := cloneGeneral(r.r)
			f.Solve(coef)
			return f, coef, info, nil
		}
		if info.Attempts == jitters {
			return nil, r.r, info, err
		}
		info.Attempts++
		info.Jitter = nextJitter(info.Jitter, r.trace)
	}
}

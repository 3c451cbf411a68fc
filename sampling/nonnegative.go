package sampling

import (
	"context"
	"slices"

	"github.com/rffgo/rff/blas"
)

// nonNegative minimises ½βᵀHβ − gᵀβ over β ≥ 0 for a positive definite H, both
// triangles given, by block principal pivoting (Portugal, Júdice and Vicente, "A
// comparison of block pivoting and interior-point algorithms for linear least
// squares problems with nonnegative variables", 1994). Each step solves for the free
// variables and then exchanges all infeasible variables. If their number does not fall, it
// exchanges the last one only, which is certain to end.
func nonNegative(ctx context.Context, e blas.Engine, h blas.General[float64], g []float64) ([]float64, error) {
	m := len(g)
	free := slices.Repeat([]bool{true}, m)
	beta := make([]float64, m)
	fewest, patience := m+1, 3
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var index []int
		for i, f := range free {
			beta[i] = 0
			if f {
				index = append(index, i)
			}
		}
		n := len(index)
		sub, b := blas.NewGeneral[float64](n, n), blas.NewGeneral[float64](n, 1)
		for a, i := range index {
			for c, j := range index[a:] {
				sub.Row(a)[a+c] = h.Row(i)[j]
			}
			b.Data[a] = g[i]
		}
		if n > 0 {
			if err := blas.Cholesky(e, sub); err != nil {
				return nil, err
			}
			blas.CholeskySolve(e, sub, b)
		}
		for a, i := range index {
			beta[i] = b.Data[a]
		}
		var wrong []int
		for i, f := range free {
			if f {
				if beta[i] < 0 {
					wrong = append(wrong, i)
				}
				continue
			}
			gradient := -g[i]
			for _, j := range index {
				gradient += float64(h.Row(i)[j] * beta[j])
			}
			if gradient < -1e-12*h.Row(i)[i] {
				wrong = append(wrong, i)
			}
		}
		switch {
		case len(wrong) == 0:
			return beta, nil
		case len(wrong) < fewest:
			fewest, patience = len(wrong), 3
		case patience > 0:
			patience--
		default:
			wrong = wrong[len(wrong)-1:]
		}
		for _, i := range wrong {
			free[i] = !free[i]
		}
	}
}

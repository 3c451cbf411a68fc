package trial

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/ridge"
)

// dual reports whether the kernel matrix of the training rows takes the place of the sums of
// their features. It does if there are more features than rows and the precision has products
// of rows, or if the features are kernel sections on these rows, in their order.
func (f *fitted) dual(rows *Rows) bool {
	_, n := f.m.Dims()
	if f.change == nil {
		return n > rows.X.Rows && f.precision.Few != nil
	}
	if n != rows.X.Rows {
		return false
	}
	x, c := rows.scaled(f.scaling), inside.Spec(f.m).W
	for i := range x.Rows {
		if c.Rows != x.Rows || !slices.Equal(x.Row(i), c.Row(i)) {
			return false
		}
	}
	return true
}

// byRows solves by the kernel matrix of the rows, for every λ of a grid. To rounding, β =
// Zᵀ(ZZᵀ + nλI)⁻¹y is the solution from the sums ZᵀZ.
func (f *fitted) byRows(ctx context.Context, rows *Rows, grid []float64) (*model, error) {
	if err := f.resolved(rows); err != nil {
		return nil, err
	}
	_, columns := f.m.Dims()
	n, targets := rows.X.Rows, rows.Y.Cols
	z := blas.NewGeneral[float64](n, columns)
	inside.Features64(f.m).Transform(f.engine, z, rows.scaled(f.scaling))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := z // sections on the rows
	if f.change == nil {
		k = blas.NewGeneral[float64](n, n)
		blas.Syrk(f.engine, true, false, 1, z, 0, k)
		dense.Mirror(k)
	} else {
		for i := range n {
			k.Row(i)[i] = 1 // the distance of a row to itself is a rounding error
		}
		dense.MirrorUp(k)
	}
	y, w, every := blas.NewGeneral[float64](n, targets), make([]float64, n), make([]int, n)
	for i := range n {
		w[i], every[i] = rows.WeightOf(i), i
		for t, v := range rows.Y.Row(i) {
			y.Row(i)[t] = v - f.ref[t]
		}
	}
	s := ridge.OfKernel(f.engine, k, every, y, w, f.ref, k)
	alpha := blas.NewGeneral[float64](n, targets*len(grid))
	if _, err := s.SolveGrid(ctx, f.engine, grid, alpha, func(float64) {}); err != nil {
		return nil, err
	}
	for i := range n {
		for c := range alpha.Row(i) {
			alpha.Row(i)[c] *= math.Sqrt(w[i])
		}
	}
	ridge.Uncentre(alpha, w, s.W)
	s.Z = s.Z[:n] // the means of the columns of k
	shift := s.Intercept(alpha)
	if f.change != nil {
		return &model{alpha, shift}, nil
	}
	coef := blas.NewGeneral[float64](columns, alpha.Cols)
	blas.Gemm(f.engine, true, false, 1, z, alpha, 0, coef)
	return &model{coef, shift}, nil
}

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

// landmarks returns the scaled rows if the features are kernel sections on these, in their
// order, and no rows otherwise.
func (f *fitted) landmarks(rows *Rows) blas.General[float64] {
	var none blas.General[float64]
	if _, n := f.m.Dims(); f.change == nil || n != rows.X.Rows {
		return none
	}
	x, c := scaled(rows.X, f.scaling), inside.Spec(f.m).W
	for i := range x.Rows {
		if c.Rows != x.Rows || !slices.Equal(x.Row(i), c.Row(i)) {
			return none
		}
	}
	return x
}

// byKernel is the exact kernel ridge regression on rows x, which are the landmarks: it
// solves systems of their kernel matrix, with a row and a column for each of them, in the
// place of sums of features.
func (f *fitted) byKernel(ctx context.Context, x blas.General[float64], rows *Rows, grid []float64) (*model, error) {
	if err := f.resolved(rows); err != nil {
		return nil, err
	}
	n, targets := x.Rows, rows.Y.Cols
	k := blas.NewGeneral[float64](n, n)
	inside.Features64(f.m).Transform(f.engine, k, x)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	y, w, every := blas.NewGeneral[float64](n, targets), make([]float64, n), make([]int, n)
	for i := range n {
		k.Row(i)[i] = 1 // distances to itself are rounding errors
		w[i], every[i] = rows.WeightOf(i), i
		for t, v := range rows.Y.Row(i) {
			y.Row(i)[t] = v - f.ref[t]
		}
	}
	dense.MirrorUp(k)
	s := ridge.OfKernel(f.engine, k, every, y, w, f.ref, k)
	all := blas.NewGeneral[float64](n, targets*len(grid))
	if _, err := s.SolveGrid(ctx, f.engine, grid, all, func(float64) {}); err != nil {
		return nil, err
	}
	for i := range n {
		for c := range all.Row(i) {
			all.Row(i)[c] *= math.Sqrt(w[i])
		}
	}
	ridge.Uncentre(all, w, s.W)
	s.Z = s.Z[:n] // the means of the sections
	return &model{all, s.Intercept(all)}, nil
}

package trial

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/asm"
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
	w, root := make([]float64, n), make([]float64, n)
	s := &ridge.System{Rows: int64(n), Y: make([]float64, targets), YY: make([]float64, targets), Z: make([]float64, n),
		A: k, Diag: make([]float64, n), R: blas.NewGeneral[float64](n, targets), Ref: f.ref}
	for i := range n {
		k.Row(i)[i] = 1 // distances to itself are rounding errors
		w[i] = rows.WeightOf(i)
		root[i] = math.Sqrt(w[i])
		s.W += w[i]
		for t, v := range rows.Y.Row(i) {
			s.Y[t] += float64(w[i] * (v - f.ref[t]))
		}
	}
	for t := range s.Y {
		s.Y[t] /= s.W
	}
	dense.MirrorUp(k)
	// The features of the kernel are centred: less the weighted mean over the rows.
	dot, mean := asm.Native[float64]().Dot, 0.0
	for i := range n {
		s.Z[i] = dot(k.Row(i), w) / s.W
		mean += float64(w[i]*s.Z[i]) / s.W
	}
	for i := range n {
		to := k.Row(i)
		for j, v := range to {
			to[j] = float64(root[i] * root[j] * (v - (s.Z[i] + s.Z[j]) + mean))
		}
		s.Diag[i] = max(to[i], 0)
		to[i] = s.Diag[i]
		s.Noise += float64(0x1p-52 * s.Diag[i])
		for t, v := range rows.Y.Row(i) {
			c := v - f.ref[t] - s.Y[t]
			s.R.Row(i)[t] = root[i] * c
			s.YY[t] += float64(w[i] * c * c)
		}
	}
	all := blas.NewGeneral[float64](n, targets*len(grid))
	if _, err := s.SolveGrid(ctx, f.engine, grid, all, func(float64) {}); err != nil {
		return nil, err
	}
	// f(x) = ȳ + Σαᵢ(z(xᵢ) − z̄)ᵀ(z(x) − z̄) as coefficients of sections.
	sum := make([]float64, all.Cols)
	for i := range n {
		for c, v := range all.Row(i) {
			all.Row(i)[c] = v * root[i]
			sum[c] += all.Row(i)[c]
		}
	}
	for i := range n {
		for c := range sum {
			all.Row(i)[c] -= float64(sum[c] * w[i] / s.W)
		}
	}
	return &model{all, s.Intercept(all)}, nil
}

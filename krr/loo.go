package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/stream"
)

// LeaveOneOut returns, for every λ, the mean squared error of predicting every row of
// data from the others. data are the rows that g holds, which are read once more. The
// errors are exact and take one reduction of ZᵀZ: with the hat matrix H, that of leaving
// row i out is (yᵢ − ŷᵢ)/(1 − Hᵢᵢ) (Allen, "The relationship between variable selection
// and data augmentation", 1974), where the ridge nλ keeps the n of all rows. Hᵢᵢ takes
// the row and the sums of all rows, hence the second pass.
// Errors: those of Solve and of data.
func (g *Gram) LeaveOneOut(ctx context.Context, data rff.Source, lambdas []float64) ([]PathPoint, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	n, t, count := len(s.Z), len(s.Y), len(lambdas)
	in, targets := data.Dims()
	if d, _ := g.m.Dims(); in != d || targets != t {
		return nil, mismatch("inputs and targets", fmt.Sprintf("%d and %d", d, t), fmt.Sprintf("%d and %d", in, targets))
	}
	if count == 0 {
		return []PathPoint{}, nil
	}
	e := g.m.Engine()
	h, err := ridge.NewHat(ctx, e, s, lambdas)
	if err != nil {
		return nil, public(err)
	}
	path := make([]PathPoint, count)
	for l := range path {
		path[l] = PathPoint{Lambda: lambdas[l], MSE: make([]float64, t), Freedom: h.Freedom[l], Solved: solvedOf(h.Solved[l])}
	}
	chunk := stream.Chunk(in+t, n)
	z, p := blas.NewGeneral[float64](chunk, n), blas.NewGeneral[float64](chunk, n)
	fit, form := blas.NewGeneral[float64](chunk, t*count), blas.NewGeneral[float64](chunk, count)
	x := blas.NewGeneral[float64](chunk, in)
	for b, err := range ahead(ctx, data, n) {
		if err != nil {
			return nil, err
		}
		m := b.X.Rows
		zb, pb, fb, hb := z.RowRange(0, m), p.RowRange(0, m), fit.RowRange(0, m), form.RowRange(0, m)
		xb := x.RowRange(0, m)
		for i := range m {
			stream.Scale(g.scaling, xb.Row(i), b.X.Row(i))
		}
		g.m.Features64().Transform(e, zb, xb)
		for i := range m {
			row := zb.Row(i)
			for j := range row {
				row[j] -= s.Z[j]
			}
		}
		blas.Gemm(e, false, false, 1, zb, h.Basis, 0, pb)
		blas.Gemm(e, false, false, 1, pb, h.Coef, 0, fb)
		h.Forms(pb, hb)
		for i := range m {
			w := stream.Weight(b.Weight, i)
			for l := range path {
				left := 1 - float64(w*(1/s.W+hb.Row(i)[l]))
				for k, y := range b.Y.Row(i) {
					r := (y - s.Ref[k] - s.Y[k] - fb.Row(i)[l*t+k]) / left
					path[l].MSE[k] += float64(w*r*r) / s.W
				}
			}
		}
	}
	for l := range path {
		path[l].total()
	}
	return path, nil
}

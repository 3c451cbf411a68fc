package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// LeaveOneOut returns the mean squared error of predicting every row of data
// from the others, for every λ: exactly, in one more pass over the rows that g
// holds, from one eigendecomposition of ZᵀZ. With the hat matrix H, the error
// of leaving row i out is (yᵢ − ŷᵢ)/(1 − Hᵢᵢ) (Allen, "The relationship between
// variable selection and data augmentation", 1974); the ridge nλ keeps the n of
// all rows. The second pass cannot be saved: Hᵢᵢ needs the row and the sums of
// all rows. Errors: those of Solve and of data.
func (g *Gram) LeaveOneOut(ctx context.Context, data rff.Source, lambdas []float64) ([]PathPoint, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	e := g.m.Engine()
	v, d, err := s.eigen(e)
	if err != nil {
		return nil, &SingularError{lambdas[0], err}
	}
	n, t, count := len(s.z), len(s.y), len(lambdas)
	// In the eigenbasis: γ = VᵀR/(d+nλ), ŷ = ȳ + pᵀγ, H = w(1/Σw + Σp²/(d+nλ)), p = Vᵀ(z−z̄).
	rot := blas.NewGeneral[float64](n, t)
	blas.Gemm(e, true, false, 1, v, s.r, 0, rot)
	coef, inverse := blas.NewGeneral[float64](n, t*count), blas.NewGeneral[float64](n, count)
	freedom := make([]float64, count)
	for i := range n {
		for l, lambda := range lambdas {
			q := 1 / (d[i] + float64(s.w*lambda))
			inverse.Row(i)[l] = q
			freedom[l] += float64(d[i] * q)
			for k, r := range rot.Row(i) {
				coef.Row(i)[l*t+k] = r * q
			}
		}
	}
	path := make([]PathPoint, count)
	for l := range path {
		path[l] = PathPoint{Lambda: lambdas[l], MSE: make([]float64, t), Freedom: freedom[l], Solved: Solved{Solver: Eigen}}
	}
	in, targets := data.Dims()
	if d, _ := g.m.Dims(); in != d || targets != t {
		return nil, &MismatchError{"inputs and targets", fmt.Sprintf("%d and %d", d, t), fmt.Sprintf("%d and %d", in, targets)}
	}
	chunk := chunkRows(in+t, n)
	z, p, sq := blas.NewGeneral[float64](chunk, n), blas.NewGeneral[float64](chunk, n), blas.NewGeneral[float64](chunk, n)
	fit, hat := blas.NewGeneral[float64](chunk, t*count), blas.NewGeneral[float64](chunk, count)
	x := blas.NewGeneral[float64](chunk, in)
	for b, err := range ahead(ctx, data, n) {
		if err != nil {
			return nil, err
		}
		m := b.X.Rows
		zb, pb, qb, fb, hb := z.RowRange(0, m), p.RowRange(0, m), sq.RowRange(0, m), fit.RowRange(0, m), hat.RowRange(0, m)
		xb := x.RowRange(0, m)
		for i := range m {
			scaleTo(g.scaling, xb.Row(i), b.X.Row(i))
		}
		g.m.Features64().Transform(e, zb, xb)
		for i := range m {
			row := zb.Row(i)
			for j := range row {
				row[j] -= s.z[j]
			}
		}
		blas.Gemm(e, false, false, 1, zb, v, 0, pb)
		for i := range m {
			q := qb.Row(i)
			for j, v := range pb.Row(i) {
				q[j] = v * v
			}
		}
		blas.Gemm(e, false, false, 1, pb, coef, 0, fb)
		blas.Gemm(e, false, false, 1, qb, inverse, 0, hb)
		for i := range m {
			w := 1.0
			if b.Weight != nil {
				w = b.Weight[i]
			}
			for l := range path {
				left := 1 - float64(w*(1/s.w+hb.Row(i)[l]))
				for k, y := range b.Y.Row(i) {
					r := (y - s.ref[k] - s.y[k] - fb.Row(i)[l*t+k]) / left
					path[l].MSE[k] += float64(w*r*r) / s.w
				}
			}
		}
	}
	return path, nil
}

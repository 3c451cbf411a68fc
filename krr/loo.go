package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/band"
)

// LeaveOneOut returns the mean squared error of predicting every row of data
// from the others, for every λ: exactly, in one more pass over the rows that g
// holds, from one reduction of ZᵀZ. With the hat matrix H, the error of leaving
// row i out is (yᵢ − ŷᵢ)/(1 − Hᵢᵢ) (Allen, "The relationship between variable
// selection and data augmentation", 1974); the ridge nλ keeps the n of all rows.
// The second pass cannot be saved: Hᵢᵢ needs the row and the sums of all rows.
// Errors: those of Solve and of data.
func (g *Gram) LeaveOneOut(ctx context.Context, data rff.Source, lambdas []float64) ([]PathPoint, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	n, t, count := len(s.z), len(s.y), len(lambdas)
	in, targets := data.Dims()
	if d, _ := g.m.Dims(); in != d || targets != t {
		return nil, &MismatchError{"inputs and targets", fmt.Sprintf("%d and %d", d, t), fmt.Sprintf("%d and %d", in, targets)}
	}
	if count == 0 {
		return []PathPoint{}, nil
	}
	e := g.m.Engine()
	h, err := newHat(ctx, e, s, lambdas)
	if err != nil {
		return nil, err
	}
	path := make([]PathPoint, count)
	for l := range path {
		path[l] = PathPoint{Lambda: lambdas[l], MSE: make([]float64, t), Freedom: h.freedom[l], Solved: h.solved[l]}
	}
	chunk := chunkRows(in+t, n)
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
			scaleTo(g.scaling, xb.Row(i), b.X.Row(i))
		}
		g.m.Features64().Transform(e, zb, xb)
		for i := range m {
			row := zb.Row(i)
			for j := range row {
				row[j] -= s.z[j]
			}
		}
		blas.Gemm(e, false, false, 1, zb, h.basis, 0, pb)
		blas.Gemm(e, false, false, 1, pb, h.coef, 0, fb)
		h.forms(pb, hb)
		for i := range m {
			w := weightOf(b.Weight, i)
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

// hat has what predictions ŷ = ȳ + pᵀγ and leverages H = w(1/Σw + pᵀM⁻¹p) of
// rows p = Qᵀ(z−z̄) take, in an orthonormal basis Q in which M = A + nλI is a
// band, or diagonal, for every λ.
type hat struct {
	basis   blas.General[float64]              // Q
	coef    blas.General[float64]              // γ = M⁻¹QᵀR: the columns of λ_l start at l·t
	forms   func(p, dst blas.General[float64]) // pᵀM⁻¹p of every row of p, one column per λ
	freedom []float64                          // tr AM⁻¹ per λ
	solved  []Solved
}

// newHat uses the band where M is positive definite for every λ, perhaps with
// some jitter, and the eigenvalues otherwise. The error is a *SingularError, or ctx.Err().
func newHat(ctx context.Context, e blas.Engine, s *system, lambdas []float64) (*hat, error) {
	n, t, count := len(s.z), len(s.y), len(lambdas)
	r, err := newReduced(ctx, e, s, nil)
	if err != nil {
		return nil, err
	}
	h := &hat{coef: blas.NewGeneral[float64](n, t*count), freedom: make([]float64, count), solved: make([]Solved, count)}
	factors, errs := make([]*band.Factor, count), make([]error, count)
	e.Each(count, func(_ blas.Engine, l int) {
		var coef blas.General[float64]
		if factors[l], coef, h.solved[l], errs[l] = r.solve(lambdas[l]); errs[l] != nil {
			return
		}
		mu := float64(s.w*lambdas[l]) + h.solved[l].Jitter
		h.freedom[l] = max(0, float64(n)-float64(mu*factors[l].InverseTrace()))
		for i := range n {
			copy(h.coef.Row(i)[l*t:], coef.Row(i))
		}
	})
	for _, err := range errs {
		if err != nil {
			return newEigenHat(e, s, lambdas)
		}
	}
	h.basis = blas.NewGeneral[float64](n, n)
	for i := range n {
		h.basis.Row(i)[i] = 1
	}
	r.m.Restore(h.basis)
	forms := band.NewForms(factors)
	h.forms = func(p, dst blas.General[float64]) { forms.Apply(e, p, dst) }
	return h, nil
}

// newEigenHat is newHat in the basis of eigenvectors.
func newEigenHat(e blas.Engine, s *system, lambdas []float64) (*hat, error) {
	n, t, count := len(s.z), len(s.y), len(lambdas)
	v, d, err := s.eigen(e)
	if err != nil {
		return nil, &SingularError{lambdas[0], err}
	}
	h := &hat{basis: v, coef: blas.NewGeneral[float64](n, t*count), freedom: make([]float64, count)}
	rot, inverse := blas.NewGeneral[float64](n, t), blas.NewGeneral[float64](n, count)
	blas.Gemm(e, true, false, 1, v, s.r, 0, rot)
	for i := range n {
		for l, lambda := range lambdas {
			q := 1 / (d[i] + float64(s.w*lambda))
			inverse.Row(i)[l] = q
			h.freedom[l] += float64(d[i] * q)
			for k, r := range rot.Row(i) {
				h.coef.Row(i)[l*t+k] = r * q
			}
		}
	}
	for range lambdas {
		h.solved = append(h.solved, Solved{Solver: Eigen})
	}
	var squares []float64
	h.forms = func(p, dst blas.General[float64]) {
		q := fitting(&squares, p.Rows, p.Cols)
		for i := range p.Rows {
			to := q.Row(i)
			for j, v := range p.Row(i) {
				to[j] = v * v
			}
		}
		blas.Gemm(e, false, false, 1, q, inverse, 0, dst)
	}
	return h, nil
}

package ridge

import (
	"cmp"
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/band"
	"github.com/rffgo/rff/internal/dense"
)

// Hat has what is needed for predictions ŷ = ȳ + pᵀγ and leverages H = w(1/Σw + pᵀM⁻¹p) of rows
// p = Qᵀ(z−z̄). In the orthonormal basis Q, M = A + nλI is a band, or diagonal, for every λ.
type Hat struct {
	Basis   blas.General[float64]              // Qᵀ
	Coef    blas.General[float64]              // γ = M⁻¹QᵀR: the columns of λ_l start at l·t
	Forms   func(p, dst blas.General[float64]) // pᵀM⁻¹p of every row of p, one column per λ
	Freedom []float64                          // tr AM⁻¹ per λ
	Solved  []Solved

	// Rough says that float32 is precise enough for rows and their products with Q.
	// These are off by √s·u·‖z−z̄‖, u = 2⁻²⁴, if rounding errors of s terms add like
	// random numbers, and a leverage h by 2√h·√w·√s·u·‖z−z̄‖/√(nλ), as ‖M⁻¹‖ ≤ 1/nλ. It is
	// set where that is 2⁻⁸ at most for the mean of w‖z−z̄‖² and every λ. Sums in float32
	// are off by u·‖A‖ at least, which changes h by h·u·‖A‖/nλ: more, where either counts.
	Rough bool
}

// NewHat uses the band where M is positive definite for every λ, perhaps with
// some jitter, and the eigenvalues otherwise. The error is a *SingularError, or ctx.Err().
func NewHat(ctx context.Context, e blas.Engine, s *System, lambdas []float64) (*Hat, error) {
	n, t, count := len(s.Z), len(s.Y), len(lambdas)
	r, err := newReduced(ctx, e, s, band.FormBlock, func(float64) {})
	if err != nil {
		return nil, err
	}
	h := &Hat{Coef: blas.NewGeneral[float64](n, t*count), Freedom: make([]float64, count), Solved: make([]Solved, count), Rough: true}
	spread := max(s.trace(), s.Noise/0x1p-52) / float64(max(1, s.Rows))
	for _, lambda := range lambdas {
		h.Rough = h.Rough && float64(s.W*lambda) >= float64(n)*0x1p-30*spread
	}
	factors, errs := make([]*band.Factor, count), make([]error, count)
	e.Each(count, func(_ blas.Engine, l int) {
		var coef blas.General[float64]
		if factors[l], coef, h.Solved[l], errs[l] = r.solve(lambdas[l], Jitters); errs[l] != nil {
			return
		}
		mu := float64(s.W*lambdas[l]) + h.Solved[l].Jitter
		h.Freedom[l] = max(0, float64(n)-float64(mu*factors[l].InverseTrace()))
		for i := range n {
			copy(h.Coef.Row(i)[l*t:], coef.Row(i))
		}
	})
	if cmp.Or(errs...) != nil {
		return newEigenHat(e, s, lambdas, errs)
	}
	h.Basis = r.m.Basis()
	forms := band.NewForms(factors)
	for _, f := range factors {
		f.Free()
	}
	h.Forms = func(p, dst blas.General[float64]) { forms.Apply(e, p, dst) }
	return h, nil
}

// newEigenHat is NewHat in the basis of eigenvectors. errs says which λ have no factor.
func newEigenHat(e blas.Engine, s *System, lambdas []float64, errs []error) (*Hat, error) {
	n, t, count := len(s.Z), len(s.Y), len(lambdas)
	v, d, err := s.eigen(e)
	if err != nil {
		return nil, &SingularError{lambdas[0], err}
	}
	s.vectors, s.values = blas.General[float64]{}, nil // the transpose takes the memory of v
	dense.Transpose(v)
	h := &Hat{Basis: v, Coef: blas.NewGeneral[float64](n, t*count), Freedom: make([]float64, count)}
	rot, inverse := blas.NewGeneral[float64](n, t), blas.NewGeneral[float64](n, count)
	blas.Gemm(e, false, false, 1, v, s.R, 0, rot)
	for i := range n {
		for l, lambda := range lambdas {
			q := 1 / (d[i] + float64(s.W*lambda))
			inverse.Row(i)[l] = q
			h.Freedom[l] += float64(d[i] * q)
			for k, r := range rot.Row(i) {
				h.Coef.Row(i)[l*t+k] = r * q
			}
		}
	}
	for l := range lambdas {
		h.Solved = append(h.Solved, Solved{Method: Eigen, Unresolved: errs[l] != nil})
	}
	var squares []float64
	h.Forms = func(p, dst blas.General[float64]) {
		q := dense.Fitting(&squares, p.Rows, p.Cols)
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

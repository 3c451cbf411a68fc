package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// defaultScoreLambda is the regularisation of leverage scores when none is
// given: directions of the kernel matrix above a thousandth of its trace count.
const defaultScoreLambda = 1e-3

// Leverage picks frequencies by their ridge leverage scores (Li, Ton, Oglic and
// Sejdinovic, "Towards a unified analysis of random Fourier features", ICML
// 2019, Algorithm 1). With the Gram matrix A = ZᵀZ of the candidates,
//
//	τ_c = [A(A+nλI)⁻¹]_cc = 1 − nλ[(A+nλI)⁻¹]_cc
//
// and the score of a frequency is the sum over its columns, in [0, 2] for a
// pair. Labels are not used. The cost is that of a ridge regression on the
// candidates plus one inverse of a triangular matrix.
type Leverage struct {
	Pool
	// Lambda is the λ of the scores, per row as everywhere; it need not be the
	// λ of the ridge regression to come. 0: 10⁻³, or 0.05 if Published.
	Lambda float64
	// Published reproduces the baseline in Table 3 of Liu et al. (AAAI 2020) as its
	// code ran: see Surrogate.Published. Of Pool only the Engine may be set.
	Published bool
}

// Sample implements rff.Sampler.
func (s Leverage) Sample(ctx context.Context, k rff.Kernel, dim, features int, data rff.Source, src rand.Source) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, k, dim, features, data, src))
}

// sampleScored implements scorer; the result has EffectiveDim.
func (s Leverage) sampleScored(ctx context.Context, k rff.Kernel, dim, features int, data rff.Source, src rand.Source) (*Result, error) {
	if s.Published {
		lambda := s.Lambda
		if lambda == 0 {
			lambda = 0.05
		}
		return published(ctx, s.Pool, lambda, &request{"leverage as published", k, dim, features, data, src})
	}
	q := &request{"leverage", k, dim, features, data, src}
	if err := q.check(ctx, false); err != nil {
		return nil, err
	}
	lambda, err := scoreLambda(s.Lambda)
	if err != nil {
		return nil, err
	}
	return s.Pool.sample(ctx, q, func(r *Result) error {
		tau, rows, err := leverageScores(ctx, q.sampler, r.Candidates, data, lambda, s.Engine)
		if err != nil {
			return err
		}
		f := r.pool.Frequencies()
		r.Rows, r.Scores = rows, make([]float64, f)
		for c, t := range tau {
			r.Scores[c%f] += t
			r.EffectiveDim += t
		}
		return nil
	})
}

func scoreLambda(lambda float64) (float64, error) {
	if lambda == 0 {
		return defaultScoreLambda, nil
	}
	return lambda, positive("lambda", lambda)
}

// leverageScores returns the leverage score of each column of m over the rows
// of data.
func leverageScores(ctx context.Context, sampler string, m *rff.Map, data rff.Source, lambda float64, e blas.Engine) ([]float64, int64, error) {
	p := &pass{sampler: sampler, features: m, gram: true, engine: e}
	sums, err := p.run(ctx, data)
	if err != nil {
		return nil, 0, err
	}
	ridge := float64(sums.W * lambda) // rounded, not fused, in every use
	a := sums.G
	zero := make([]bool, a.Rows) // columns that are zero in every row
	for c := range a.Rows {
		zero[c] = a.Row(c)[c] == 0
		a.Row(c)[c] += ridge
	}
	if err := blas.Cholesky(e, a); err != nil {
		return nil, 0, fmt.Errorf("sampling: %s with λ = %g: %w", sampler, lambda, err)
	}
	tau := make([]float64, a.Rows)
	dense.InverseDiagonal(e, tau, a)
	for c, v := range tau {
		// Rounding may leave a column without leverage just below zero, and must
		// not leave one of zeros just above.
		tau[c] = min(max(1-float64(ridge*v), 0), 1)
		if zero[c] {
			tau[c] = 0
		}
	}
	return tau, sums.Rows, nil
}

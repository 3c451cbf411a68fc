package sampling

import (
	"cmp"
	"context"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
)

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
	// Precision of the features and their products, "float64", the default, or "float32".
	//
	// In float32 they are added up in float64 every blas.RowBlock = 504 rows. That needs
	// nλ ≥ 2⁻¹³·tr A, which is λ ≥ 1.3·10⁻⁴ for candidates with zᵀz = 1, and is refused
	// below: products move A by at most 504u·tr A in spectral norm, u = 2⁻²⁴, a quarter of
	// the least nλ, so that A + nλI keeps its factor. If rounding errors add like random
	// numbers, products move τ by √504·u·tr A/nλ at most, which is 0.011 at the least λ, and
	// errors δ of the features by ‖δ‖/√(nλ). Measured, scores of 48 candidates of 1500 rows
	// differ by about 2·10⁻⁹/λ.
	Precision string
	// Published reproduces the baseline in Table 3 of Liu et al. (AAAI 2020) as its
	// code ran: see Surrogate.Published. Of Pool only the Engine may be set.
	Published bool
}

// Sample implements rff.Sampler.
func (s Leverage) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, r))
}

// sampleScored implements scorer; the result has EffectiveDim.
func (s Leverage) sampleScored(ctx context.Context, r rff.Request) (*Result, error) {
	if s.Published {
		if s.Precision != "" {
			return nil, notPublished
		}
		lambda := s.Lambda
		if lambda == 0 {
			lambda = 0.05
		}
		return published(ctx, s.Pool, lambda, "leverage as published", r)
	}
	q, err := dataRequest(ctx, "leverage", r, false)
	if err != nil {
		return nil, err
	}
	precision := stream.Named(cmp.Or(s.Precision, stream.Float64.Name))
	if precision == nil {
		names, _ := stream.Names()
		return nil, unknown("precision", s.Precision, names...)
	}
	lambda, err := scoreLambda(s.Lambda)
	if err != nil {
		return nil, err
	}
	return s.Pool.sample(ctx, q, func(r *Result) error {
		tau, rows, err := leverageScores(ctx, q.sampler, r.Candidates, q.Data, lambda, precision, q.engine)
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

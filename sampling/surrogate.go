package sampling

import (
	"context"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
)

// Surrogate picks frequencies by surrogate leverage scores, which need one pass
// and no inverse (Liu, Huang, Chen, Yang and Suykens, "Random Fourier features
// via fast surrogate leverage weighted sampling", AAAI 2020, Algorithm 1). With
// unit-amplitude columns z, pᵢ ∝ |yᵀzᵢ|² = (yᵀcos ωᵢx)² + (yᵀsin ωᵢx)² (q̃′, Eq. 14–15),
// which is the alignment of the candidate's kernel with the targets. The spectral density
// p(ω) of the paper's formulas cancels, because the candidates of the pool already follow
// it.
//
// Surrogate deviates from the paper in two things. It centres labels unless Raw is set,
// because their mean only says which candidates have small frequencies. And it adds up the
// scores of several targets (classes as one-vs-rest columns).
type Surrogate struct {
	Pool
	// Ridged draws from q̃ (Eq. 12) instead: pᵢ ∝ |yᵀzᵢ|² + n‖zᵢ‖². The second term is the
	// same for all pairs and at least as large as the first for labels ±1, so probabilities
	// differ by a factor of at most two.
	Ridged bool
	// Lambda is the λ of SurrogateDim and Sufficient; the picks do not depend
	// on it. 0: 10⁻³.
	Lambda float64
	// Raw leaves the targets uncentred, as in the paper.
	Raw bool
	// Published reproduces Table 3 of the paper as its code ran, which is not what the
	// paper describes. The candidates are Monte Carlo pairs, as many columns as features
	// are asked for, and all are kept. Column c is multiplied by 1/√p_c, where p are the
	// scores of the columns scaled to Σp = 1. This multiplies the features by about √s for
	// s columns, which divides the λ of the ridge regression by s. The gain over plain
	// features in the table comes from the smaller λ. Targets are not centred. The other
	// settings must be left out.
	Published bool
}

// Sample implements rff.Sampler.
func (s Surrogate) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, r))
}

// sampleScored implements scorer; the result has SurrogateDim and Sufficient.
func (s Surrogate) sampleScored(ctx context.Context, r rff.Request) (*Result, error) {
	if s.Published {
		if s.Ridged || s.Raw || s.Lambda != 0 {
			return nil, notPublished
		}
		return published(ctx, s.Pool, 0, "surrogate as published", r)
	}
	q, err := dataRequest(ctx, "surrogate", r, true)
	if err != nil {
		return nil, err
	}
	lambda, err := scoreLambda(s.Lambda)
	if err != nil {
		return nil, err
	}
	return s.Pool.sample(ctx, q, func(r *Result) error {
		spec := r.pool
		if s.Ridged && spec.Func != asm.CosSin {
			return baseError(q.sampler, s.baseOr(), "must be in the CosSin form: the ridged density needs ‖zᵢ‖² = n")
		}
		p := &pass{sampler: q.sampler, features: r.Candidates, engine: q.engine, centred: !s.Raw}
		sums, err := p.labelled(ctx, q.Data)
		if err != nil {
			return err
		}
		f := spec.Frequencies()
		r.Rows, r.Scores = sums.Rows, energies(columnScores(sums, !s.Raw), f)
		signal := dense.Sum(r.Scores)
		if !(signal > 0) || math.IsInf(signal, 0) {
			return noSignal(q.sampler, signal)
		}
		n := sums.W
		// Eq. 10 with k(x, x) = 1, and yᵀKy = Σ|yᵀzᵢ|² for the columns with
		// their amplitude.
		r.SurrogateDim = (signal/n + n) / (n * lambda)
		r.Sufficient = ridge.Sufficient(r.SurrogateDim, r.SurrogateDim, 0.05)
		// The pool's amplitudes are 1/√l each; the paper's columns have amplitude one.
		l := float64(f)
		for i := range r.Scores {
			r.Scores[i] = float64(r.Scores[i] * l)
			if s.Ridged {
				w := spec.Weight[i]
				r.Scores[i] += float64(n * n * l * w * w)
			}
		}
		return nil
	})
}

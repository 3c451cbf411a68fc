package sampling

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Published reproduces the data-dependent rows of Table 3 of Liu et al. (AAAI
// 2020) as the paper's code ran, which is not what the paper describes: all
// candidate columns are kept, none is drawn, and column c is multiplied by
// 1/√p_c with p the column scores scaled to Σp = 1. That multiplies the features
// by about √s for s columns, which divides the λ of the ridge regression by s:
// the gain over plain features in the table is that of the smaller λ, and plain
// features with λ/s have it too. Use Leverage and Surrogate for work.
//
// The pool is the features themselves; Monte Carlo pairs, targets uncentred.
type Published struct {
	// Leverage scores columns by their leverage, as the paper's baseline;
	// otherwise by |yᵀz_c|², the surrogate.
	Leverage bool
	// Lambda is the λ of leverage scores, per row. 0: 0.05.
	Lambda float64
	// Engine says where features are evaluated and matrices factored.
	Engine blas.Engine
}

// Sample implements rff.Sampler.
func (s Published) Sample(ctx context.Context, k rff.Kernel, dim, features int, data rff.Source, src rand.Source) (*rff.Map, error) {
	return mapOf(s.SampleScored(ctx, k, dim, features, data, src))
}

// SampleScored implements Scored; Scores and Prob run over columns, not frequencies.
func (s Published) SampleScored(ctx context.Context, k rff.Kernel, dim, features int, data rff.Source, src rand.Source) (*Result, error) {
	q := &request{"surrogate as published", k, dim, features, data, src}
	if s.Leverage {
		q.sampler = "leverage as published"
	}
	if err := q.check(ctx, !s.Leverage); err != nil {
		return nil, err
	}
	if s.Lambda == 0 {
		s.Lambda = 0.05
	}
	if err := positive("lambda", s.Lambda); err != nil {
		return nil, err
	}
	m, err := Pool{Size: features, Engine: s.Engine}.candidates(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &Result{Candidates: m}
	if s.Leverage {
		if r.Scores, r.Rows, err = leverageScores(ctx, q.sampler, m, data, s.Lambda, s.Engine); err != nil {
			return nil, err
		}
		for _, t := range r.Scores {
			r.EffectiveDim += t
		}
	} else {
		p := &pass{sampler: q.sampler, features: m, engine: s.Engine}
		sums, err := p.labelled(ctx, data)
		if err != nil {
			return nil, err
		}
		r.Rows, r.Scores = sums.Rows, energies(columnScores(sums, false), features)
	}
	if r.Prob, err = normalize(q.sampler, r.Scores); err != nil {
		return nil, err
	}
	spec := *m.Spec()
	spec.Weight = make([]float64, features)
	for c, w := range m.Spec().Weight {
		if r.Prob[c] == 0 {
			return nil, &NoSignalError{Sampler: q.sampler}
		}
		spec.Weight[c] = w / math.Sqrt(r.Prob[c])
	}
	for i := range spec.Frequencies() {
		r.Picked, r.Count = append(r.Picked, i), append(r.Count, 1)
	}
	if m, err = rff.FromSpec(&spec, nil); err != nil {
		return nil, err
	}
	r.Map = m.On(s.Engine)
	return r, nil
}

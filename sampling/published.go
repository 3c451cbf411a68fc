package sampling

import (
	"context"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

var notPublished = &rff.ParameterError{Name: "published", Need: "needs the other settings unset: the published code has none of them"}

// published returns the features of Surrogate.Published. With lambda > 0 it returns those
// of Leverage.Published, and scores columns by their leverage at λ = lambda. Scores and
// Prob of the result have an element per column, not per frequency.
func published(ctx context.Context, pool Pool, lambda float64, sampler string, asked rff.Request) (*Result, error) {
	if pool.Base != nil || pool.Multiple != 0 || pool.Size != 0 || pool.Pick != "" || pool.Importance {
		return nil, notPublished
	}
	q, err := dataRequest(ctx, sampler, asked, lambda == 0)
	if err != nil {
		return nil, err
	}
	if lambda != 0 {
		if err := inside.CheckPositive("lambda", lambda); err != nil {
			return nil, err
		}
	}
	features, engine := q.Features, q.engine
	r, err := Pool{Multiple: 1}.candidates(ctx, q)
	if err != nil {
		return nil, err
	}
	m := r.Candidates
	if lambda != 0 {
		if r.Scores, r.Rows, err = leverageScores(ctx, q.sampler, m, q.Data, lambda, stream.Float64, engine); err != nil {
			return nil, err
		}
		for _, t := range r.Scores {
			r.EffectiveDim += t
		}
	} else {
		p := &pass{sampler: q.sampler, features: m, engine: engine}
		sums, err := p.labelled(ctx, q.Data)
		if err != nil {
			return nil, err
		}
		r.Rows, r.Scores = sums.Rows, energies(columnScores(sums, false), features)
	}
	if r.Prob, err = normalize(q.sampler, r.Scores); err != nil {
		return nil, err
	}
	spec := *r.pool
	spec.Weight = make([]float64, features)
	for c, w := range r.pool.Weight {
		if r.Prob[c] == 0 {
			return nil, noSignal(q.sampler, 0)
		}
		spec.Weight[c] = w / math.Sqrt(r.Prob[c])
	}
	for i := range spec.Frequencies() {
		r.Picked, r.Count = append(r.Picked, i), append(r.Count, 1)
	}
	r.Map, err = q.made(&spec, nil)
	return r, err
}

package sampling

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
)

// Pool has the settings of the samplers that choose among candidates. They draw candidates
// from a base sampler, score each candidate frequency in one pass over the data, and pick
// some in proportion to the scores. The samplers embed Pool and differ in the score and in
// a few defaults.
//
// A candidate is a frequency: a cosine and sine pair in the CosSin form,
// otherwise one column.
type Pool struct {
	// Base draws the candidates, in its own form. They may be arc-cosine and linear
	// features too. nil: MonteCarlo in the CosSin form.
	Base rff.Sampler
	// Multiple is the number of candidates per feature. 0: 4. With 1, draws with
	// replacement keep only 1 − 1/e of the frequencies, and the result is worse than
	// that of the base sampler.
	Multiple int
	// Size is the number of candidate columns, at least the features asked for, in
	// place of Multiple.
	Size int
	// Pick says how features are picked from the candidates. "" is "without", unless the
	// sampler's documentation names another default.
	//
	//	without      one after the other, each in proportion to the scores of the remaining
	//	             candidates: all picks are distinct
	//	multinomial  independently, with replacement. A frequency drawn c times
	//	             becomes one with amplitude √c, which leaves the kernel unchanged,
	//	             so the map has fewer columns than asked for when draws repeat
	//	top          the highest scores; among equal scores, the first candidates
	Pick string
	// Importance multiplies picked feature i by 1/√(l·pᵢ) for l candidates (Liu et
	// al., Eq. 9), so that draws with replacement are unbiased for the kernel of the
	// pool; probabilities below 10⁻³/l count as 10⁻³/l, which bounds the weights.
	// Without Importance all picks have equal weights, and the map stands for the kernel
	// that the scores prefer.
	Importance bool
}

// Result is a feature map with the candidates and the scores that it was chosen from.
// Slices over candidates have one element per candidate frequency.
type Result struct {
	Map        *rff.Map
	Candidates *rff.Map  // the pool
	Scores     []float64 // the sampler's score of each candidate
	Prob       []float64 // the distribution the features were picked from; sums to 1
	Picked     []int     // candidates in the map, ascending
	Count      []int     // how often each of Picked was drawn
	Rows       int64     // rows that were scored

	// EffectiveDim is d_K^λ = Σ leverage scores = tr K(K+nλI)⁻¹ of the pool's
	// kernel matrix K, the effective degrees of freedom. Leverage only.
	EffectiveDim float64
	// SurrogateDim is D_K^λ = tr[(yyᵀ+nI)K]/(n²λ) (Liu et al., Eq. 10), with y
	// as it was scored. Surrogate only.
	SurrogateDim float64
	// Sufficient is the number of frequencies that Theorem 1 of Liu et al. asks for at the
	// failure probability 0.05, with SurrogateDim for both of its dimensions. It shows the
	// order of magnitude and guarantees nothing. Surrogate only.
	Sufficient float64
	// Rho is the radius of the χ² ball that was used. LKRF only.
	Rho float64

	pool *blas.Spec // of Candidates
}

// SampleScored is s.Sample and also returns the scores that the features were picked by. s
// must be a Leverage, Surrogate, EERF, LKRF or SES, the samplers that pick by a score; any
// other is a *rff.ParameterError.
func SampleScored(ctx context.Context, s rff.Sampler, r rff.Request) (*Result, error) {
	scored, ok := s.(scorer)
	if !ok {
		return nil, &rff.ParameterError{Name: "sampler", Value: fmt.Sprintf("%T", s), Need: "must be one that picks features by a score: Leverage, Surrogate, EERF, LKRF or SES"}
	}
	return scored.sampleScored(ctx, r)
}

// scorer is a sampler that picks features by a score.
type scorer interface {
	rff.Sampler
	sampleScored(ctx context.Context, r rff.Request) (*Result, error)
}

func mapOf(r *Result, err error) (*rff.Map, error) {
	if err != nil {
		return nil, err
	}
	return r.Map, nil
}

// weighs returns an error if Pick or Importance is set for a sampler that takes the
// candidates of largest weight and weights them itself.
func (p Pool) weighs(sampler string) error {
	need := "must be left out: " + sampler + " takes the candidates of largest weight, and weights them itself"
	if p.Pick != "" {
		return &rff.ParameterError{Name: "pick", Value: p.Pick, Need: need}
	}
	if p.Importance {
		return &rff.ParameterError{Name: "importance", Need: need}
	}
	return nil
}

// columns returns the number of candidate columns to draw.
func (p Pool) columns(features int) (int, error) {
	if p.Size != 0 && p.Multiple != 0 {
		return 0, &rff.ParameterError{Name: "pool size", Value: p.Size, Need: fmt.Sprintf("is given, and a multiple of the features, %d, as well: give one of them", p.Multiple)}
	}
	if p.Size != 0 {
		if p.Size < features || p.Size > limit.Elements {
			return 0, &rff.ParameterError{Name: "pool size", Value: p.Size, Need: fmt.Sprintf("must be at least the %d features, at most %d, or 0", features, limit.Elements)}
		}
		return p.Size, nil
	}
	multiple := cmp.Or(p.Multiple, 4)
	if multiple < 1 {
		return 0, &rff.ParameterError{Name: "pool multiple", Value: p.Multiple, Need: "must be at least 1, or 0 for the default"}
	}
	if !limit.Fits(multiple, features) {
		return 0, &rff.ParameterError{Name: "features", Value: features, Need: fmt.Sprintf("times the pool's %d must be at most %d", multiple, limit.Elements)}
	}
	return multiple * features, nil
}

// candidates draws the pool, and returns a result that has nothing else yet.
func (p Pool) candidates(ctx context.Context, q *request) (*Result, error) {
	size, err := p.columns(q.Features)
	if err != nil {
		return nil, err
	}
	m, err := sampleFrom(ctx, p.baseOr(), q, size)
	if err != nil {
		return nil, fmt.Errorf("%s: candidates: %w", q.sampler, err)
	}
	s := inside.Spec(m)
	if s.Projected() {
		return nil, baseError(q.sampler, p.baseOr(), "must not project: a projected map has no frequencies of its own to pick from")
	}
	if s.Func == asm.Linear && len(s.Blocks) == 0 {
		if m, err = inside.New(mergeEqual(s), m.Kernel()); err != nil {
			return nil, err
		}
		s = inside.Spec(m)
	}
	if u := s.Func.Outputs(); q.Features%u != 0 {
		return nil, &rff.ParameterError{Name: "features", Value: q.Features,
			Need: "candidates in the CosSin form have a cosine and a sine column per frequency: must be even"}
	}
	if s.Outputs() < q.Features {
		return nil, baseError(q.sampler, p.baseOr(), fmt.Sprintf("gave %d distinct columns, fewer than the %d features: enlarge the pool", s.Outputs(), q.Features))
	}
	return &Result{Candidates: inside.On(m, q.engine), pool: s}, nil
}

// baseOr returns the base sampler, or the default.
func (p Pool) baseOr() rff.Sampler {
	if p.Base == nil {
		return MonteCarlo{}
	}
	return p.Base
}

// sampleFrom draws columns from a base sampler, and returns an error if a program's
// own sampler gives a wrong map.
func sampleFrom(ctx context.Context, base rff.Sampler, q *request, columns int) (*rff.Map, error) {
	r := q.Request
	r.Features = columns
	m, err := base.Sample(ctx, r)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, baseError(q.sampler, base, "gave neither a map nor an error")
	}
	if in, _ := m.Dims(); in != q.Dim {
		return nil, baseError(q.sampler, base, fmt.Sprintf("gave a map of %d inputs for %d", in, q.Dim))
	}
	return m, nil
}

// base lets kernelFor see whose features are picked from.
func (p Pool) base() rff.Sampler { return p.Base }

// sample draws candidates, scores them and picks features. score fills in r.Scores and may
// fill in r.Prob. If it does not, r.Prob is proportional to the scores.
func (p Pool) sample(ctx context.Context, q *request, score func(r *Result) error) (*Result, error) {
	return p.sampleWeighted(ctx, q, score, p.amplitudes)
}

// sampleWeighted is sample for a sampler with amplitudes of its own. The function amplitudes
// returns those of the picked candidates for that many draws.
func (p Pool) sampleWeighted(ctx context.Context, q *request, score func(r *Result) error, amplitudes func(r *Result, draws int) []float64) (*Result, error) {
	r, err := p.candidates(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := score(r); err != nil {
		return nil, err
	}
	if r.Prob == nil {
		if r.Prob, err = normalize(q.sampler, r.Scores); err != nil {
			return nil, err
		}
	}
	draws := q.Features / r.pool.Func.Outputs()
	r.Picked, r.Count, err = draw(p.Pick, q.sampler, r.Prob, draws, q.Rand)
	if err != nil {
		return nil, err
	}
	spec, err := subset(ctx, q.engine, r.pool, r.Picked, amplitudes(r, draws))
	if err != nil {
		return nil, err
	}
	// Picks with importance weights are unbiased for k. Other picks approximate the kernel
	// that the scores prefer.
	kernel := q.Kernel
	if !p.Importance {
		kernel = nil
	}
	r.Map, err = q.made(spec, kernel)
	return r, err
}

// clip bounds importance weights at √1000.
const clip = 1e-3

// amplitudes returns the factor of each picked candidate's columns: with l
// candidates and n draws the pool's amplitude 1/√l becomes √(count/n).
func (p Pool) amplitudes(r *Result, draws int) []float64 {
	l := float64(len(r.Prob))
	a := make([]float64, len(r.Picked))
	for i, c := range r.Picked {
		a[i] = math.Sqrt(l * float64(r.Count[i]) / float64(draws))
		if p.Importance {
			a[i] /= math.Sqrt(max(l*r.Prob[c], clip))
		}
	}
	return a
}

// normalize returns scores as probabilities.
func normalize(sampler string, scores []float64) ([]float64, error) {
	// The sum of scores over the largest one neither overflows nor underflows.
	var top float64
	for _, s := range scores {
		if !(s >= 0) || math.IsInf(s, 0) {
			return nil, noSignal(sampler, s)
		}
		top = max(top, s)
	}
	if top == 0 {
		return nil, noSignal(sampler, 0)
	}
	prob := make([]float64, len(scores))
	var sum float64
	for i, s := range scores {
		prob[i] = s / top
		sum += prob[i]
	}
	for i := range prob {
		prob[i] /= sum
	}
	return prob, nil
}

package sampling

import (
	"cmp"
	"context"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// EERF keeps the candidates of largest empirical energy (Shahrampour, Beirami
// and Tarokh, "On data-dependent random features for improved generalization in
// supervised learning", AAAI 2018, Algorithm 1):
//
//	Ŝ(ω) = |(1/N₀) Σ (y−ȳ)φ(x, ω)|
//
// over a sample of the rows. A cosine and sine pair has the root of the sum of squares of
// its two energies, and several targets (classes as one-vs-rest columns) have that of
// theirs. The features have equal weights. Pick defaults to "top".
//
// In one thing EERF deviates from the paper: it centres targets. With labels that are not
// centred, the choice is worse than none on unbalanced data (Adult: 18.0 % error, against
// 17.6 % for plain features and 16.3 % with centred labels). Raw does as the paper.
type EERF struct {
	Pool
	// Fraction of the rows that the scores use, in (0, 1]: each row is drawn with this
	// probability. 0: 0.1.
	Fraction float64
	// Raw leaves the targets uncentred, as printed in the paper.
	Raw bool
}

// Sample implements rff.Sampler.
func (s EERF) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return mapOf(s.sampleScored(ctx, r))
}

// sampleScored implements scorer.
func (s EERF) sampleScored(ctx context.Context, r rff.Request) (*Result, error) {
	q, err := dataRequest(ctx, "eerf", r, true)
	if err != nil {
		return nil, err
	}
	fraction, err := rowFraction(s.Fraction, 0.1)
	if err != nil {
		return nil, err
	}
	s.Pick = cmp.Or(s.Pick, pickTop)
	return s.Pool.sample(ctx, q, func(r *Result) error {
		energy, rows, err := subsampledEnergies(ctx, q, r, fraction, s.Raw)
		if err != nil {
			return err
		}
		r.Rows, r.Scores = rows, energy
		for i, v := range energy {
			r.Scores[i] = math.Sqrt(v) / float64(rows)
		}
		return nil
	})
}

// subsampledEnergies returns Σ v² of each candidate over a fraction of the rows.
func subsampledEnergies(ctx context.Context, q *request, r *Result, fraction float64, raw bool) ([]float64, int64, error) {
	p := &pass{sampler: q.sampler, features: r.Candidates, engine: inside.Engine(r.Candidates), centred: !raw, keep: everyRow(fraction, q.Rand)}
	sums, err := p.labelled(ctx, q.Data)
	if err != nil {
		return nil, 0, err
	}
	if sums.Rows < 2 && !raw {
		return nil, 0, p.tooFew(sums.Rows, 2)
	}
	return energies(columnScores(sums, !raw), r.pool.Frequencies()), sums.Rows, nil
}

func rowFraction(fraction, byDefault float64) (float64, error) {
	if fraction == 0 {
		return byDefault, nil
	}
	if !(fraction > 0 && fraction <= 1) {
		return 0, &rff.ParameterError{Name: "fraction", Value: fraction, Need: "must be above 0 and at most 1"}
	}
	return fraction, nil
}

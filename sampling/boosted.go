package sampling

import (
	"context"
	"fmt"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/trial"
)

// Boosted learns a sum of oblivious trees for each target by gradient boosting of the squared error
// (Friedman, Annals of Statistics 29, 2001), and these sums are the features. They are constant between
// thresholds of the inputs, as the random binning features of Rahimi and Recht (NIPS 2007, Algorithm 2)
// are, whose thresholds are drawn. All nodes of one depth of a tree compare one input with one threshold
// (Kohavi and Li, IJCAI 1995; Prokhorenkova and others, NeurIPS 2018).
//
// The features that are asked for are the most trees there may be, and the map has a column for each
// target. A ridge regression on it settles how far to trust them. The kernel of the request has no say.
type Boosted struct {
	// Depth is the number of thresholds of a tree, up to 12. 0: 6.
	Depth int
	// Trees is their number. 0: as many as do best on a fifth of the rows, which are held out for that.
	Trees int
}

// mostBoosted bounds the numbers of the rows that trees are grown on: 2 GiB of float64.
const defaultDepth, mostBoosted = 6, 1 << 28

// Sample implements rff.Sampler.
func (s Boosted) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return learnedMap(s.learn(ctx, r, nil))
}

// kernel says that the kernel of a request has no say.
func (s Boosted) kernel() rff.Kernel { return nil }

func (s Boosted) learn(ctx context.Context, r rff.Request, _ *Learned) (*Learned, error) {
	if s.Depth < 0 || s.Depth > blas.MostDepth {
		return nil, &rff.ParameterError{Name: "depth", Value: s.Depth, Need: fmt.Sprintf("must be from 1 to %d, or 0 for %d", blas.MostDepth, defaultDepth)}
	}
	if s.Trees < 0 {
		return nil, &rff.ParameterError{Name: "trees", Value: s.Trees, Need: "must be positive, or 0 for as many as do best on held-out rows"}
	}
	q, err := dataRequest(ctx, "boosted", r, true)
	if err != nil {
		return nil, err
	}
	schema := q.Data.Schema()
	_, targets := schema.Dims()
	rows, seen, err := trial.Draw(checked(ctx, q.Data, q.Dim, targets), q.Dim, targets, trial.Drawing{Count: mostBoosted / (q.Dim + targets), Seed: q.Rand.Uint64(), Run: int64(schema.FoldRows)})
	if err != nil {
		return nil, err
	}
	if seen == 0 {
		return nil, tooFewRows("boosted", 0, 1, "")
	}
	rows.Labels = schema.Target.Classes
	l := &Learned{Outcome: gained, Rows: rows.X.Rows}
	grow := boost.Settings{Workers: q.engine.Workers, Depth: s.depth(), Trees: s.Trees, Planned: q.Features, Rand: q.Rand}
	if s.Trees == 0 {
		grow.Trees = q.Features
		if grow.Trees, err = l.count(ctx, grow, rows, q.Rand.Uint64()); err != nil {
			return nil, err
		}
	}
	grown, err := boost.Grow(ctx, grow, rows, nil)
	if err != nil {
		return nil, err
	}
	if grown == nil {
		l.Outcome = noGain
		grown = &boost.Grown{Trees: &blas.Trees{Depth: 1, Input: []int{0}, Threshold: []float64{0}, Value: blas.NewGeneral[float64](2, targets)}}
	}
	l.Importance, l.Trees = grown.Importance, len(grown.Input)/grown.Depth
	ones := slices.Repeat([]float64{1}, targets)
	block := blas.Block{Size: powerOfTwo(max(q.Dim, targets)), Keep: targets, Scale: ones, Trees: grown.Trees}
	l.Map, err = q.made(&blas.Spec{Dim: q.Dim, Func: asm.Linear, Weight: ones, Blocks: []blas.Block{block}}, nil)
	return l, err
}

// count returns the number of trees that does best on held-out rows.
func (l *Learned) count(ctx context.Context, grow boost.Settings, rows *trial.Rows, seed uint64) (int, error) {
	splits := trial.Folds{Seed: seed, Of: learn.Held, Count: 1, Most: rows.X.Rows}.Splits(rows)
	if len(splits) == 0 {
		return 0, nil
	}
	train, valid := splits[0].Train, splits[0].Valid
	l.Rows, l.Held = train.X.Rows, valid.X.Rows
	grown, err := boost.Grow(ctx, grow, train, valid)
	if grown == nil {
		return 0, err
	}
	return len(grown.Input) / grow.Depth, nil
}

func (s Boosted) depth() int {
	if s.Depth > 0 {
		return s.Depth
	}
	return defaultDepth
}

// work returns the multiply-adds that take as long as growing: once on a part of the rows and once on all,
// unless the number of trees is known.
func (s Boosted) work(t inside.Task) float64 {
	trees, times := t.Features, 2.0
	if s.Trees > 0 {
		trees, times = s.Trees, 1
	}
	return times * boost.Work(t.Rows, t.In, t.Targets, s.depth(), trees)
}

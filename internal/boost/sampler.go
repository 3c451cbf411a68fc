package boost

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// Sampler makes features that are constant between thresholds of the inputs, as the random binning
// features of Rahimi and Recht (NIPS 2007, Algorithm 2) are, but with learned thresholds: the sum of the
// trees of each target is one feature. A ridge regression on them settles how far to trust the sums. The
// features that are asked for are the most trees there may be.
type Sampler struct {
	Depth int
	Trees int  // their number; 0: as many as do best on held-out rows
	Own   bool // nodes may have thresholds of their own, in place of one for all nodes of a depth
	Part  bool // keep those that the number was found with, grown on the rows that are not held out
	Steps int  // the number of trees that the size of their steps is for; 0: the features that are asked for
}

// heldOut of the rows choose the number of trees, one in so many.
const heldOut = 5

// Sample implements rff.Sampler.
func (s Sampler) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	m, _, err := s.Learn(ctx, r)
	return m, err
}

// Learn is Sample and returns the importance of the inputs as well. Errors are those of the data, of
// inside.EngineOf, and of Grow.
func (s Sampler) Learn(ctx context.Context, r rff.Request) (*rff.Map, []float64, error) {
	e, err := inside.EngineOf(r.Engine)
	if err != nil {
		return nil, nil, err
	}
	schema := r.Data.Schema()
	_, targets := schema.Dims()
	rows, _, err := trial.Draw(r.Data.Batches(ctx), r.Dim, targets, trial.Drawing{Count: mostRows, Seed: r.Rand.Uint64(), Run: int64(schema.FoldRows)})
	if err != nil {
		return nil, nil, err
	}
	rows.Labels = schema.Target.Classes
	grow := Settings{Workers: e.Workers, Depth: s.Depth, Own: s.Own, Trees: s.Trees, Planned: cmp.Or(s.Steps, r.Features), Rand: r.Rand}
	if s.Trees == 0 {
		grow.Trees = r.Features
		splits := trial.Folds{Seed: r.Rand.Uint64(), Of: heldOut, Count: 1, Most: rows.X.Rows}.Splits(rows)
		if len(splits) == 0 {
			return nil, nil, errNothing
		}
		grown, err := Grow(ctx, grow, splits[0].Train, splits[0].Valid)
		if err != nil {
			return nil, nil, err
		}
		if grow.Trees = grown.Count(); s.Part {
			return mapOf(r.Dim, targets, grown, e)
		}
	}
	grown, err := Grow(ctx, grow, rows, nil)
	if err != nil {
		return nil, nil, err
	}
	return mapOf(r.Dim, targets, grown, e)
}

// mapOf returns the map of the sums of trees, and the importance of the inputs.
func mapOf(in, targets int, grown *Grown, e blas.Engine) (*rff.Map, []float64, error) {
	ones := slices.Repeat([]float64{1}, targets)
	block := blas.Block{Size: 1 << bits.Len(uint(max(in, targets)-1)), Keep: targets, Scale: ones, Trees: grown.Trees}
	m, err := inside.New(&blas.Spec{Dim: in, Func: asm.Linear, Weight: ones, Blocks: []blas.Block{block}}, nil)
	if err != nil {
		return nil, nil, err
	}
	return inside.On(m, e), grown.Importance, nil
}

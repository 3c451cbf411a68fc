package krr

import (
	"context"
	"errors"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// apart is data whose fold 0 is not fitted, but sampled for intervals and label sets. The
// sample takes one row at random of those that share a group or a run of consecutive rows. The
// fit has not seen a row i of the sample, so κ(x, i) = 0 for every x, and the row is no more
// like the rows of the fit than a new one is. So the fit may use any loss, and needs no sums.
type apart struct {
	rff.Source
	seed   uint64
	run    int64 // rows that share a fold, or 0
	folds  int
	units  units
	sample *holdout.Sample
	done   bool  // the first pass is over
	absent int64 // rows of weight 0 in the first pass
}

// apartSeed is added to the seed of the settings for the rows that are kept apart.
const apartSeed = 4

// errUnlike refuses rows that new ones are not compared with, where intervals leave out single rows: they
// have groups, or each of them has a kernel section of its own, which new rows have not.
var errUnlike = errors.New("krr: rows have groups or sections of their own, and intervals leave out single rows")

// unit returns the number of what is kept apart as a whole: that of a row by itself, without groups and runs.
func (a *apart) unit(b rff.Batch, i int, number int64) int64 {
	if b.Group == nil && a.run == 0 {
		return number
	}
	return holdout.Unit(b, i, a.run)
}

// Batches yields all rows. Those that are kept apart have the weight 0.
func (a *apart) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	first := !a.done
	a.done = true
	return func(yield func(rff.Batch, error) bool) {
		var absent int64 // rows of weight 0, which have no number
		for b, err := range a.Source.Batches(ctx) {
			all, held := b, b.Weight
			if n := b.X.Rows; err == nil && (b.Weight == nil || len(b.Weight) == n) && (b.Group == nil || len(b.Group) == n) {
				fitted := make([]float64, n)
				held = make([]float64, n)
				for i := range n {
					to, unit := fitted, a.unit(b, i, b.First+int64(i)-absent)
					if fold.Of(a.seed, unit, a.folds) == 0 {
						to = held
					}
					if stream.Weight(b.Weight, i) == 0 {
						absent++
					}
					if to[i] = stream.Weight(b.Weight, i); first && to[i] > 0 && len(a.units) <= mostUnits {
						a.units.note(unit, holdout.Unit(b, i, a.run))
					}
					if first && to[i] == 0 {
						a.absent++
					}
				}
				b.Weight = fitted
			}
			if !yield(b, err) { // the reader checks the batch
				return
			}
			if first && err == nil {
				a.sample.Add(all, held, holdout.Undivided)
			}
		}
	}
}

package krr

import (
	"context"
	"errors"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// apart is rows of which a fold is not fitted, but kept for intervals and label sets: of rows
// that share a group, or a run of consecutive ones, one at random. A row that the fit has not
// seen has κ(x, i) = 0 for every x: it is no more like the rows of the fit than a new one is,
// whatever the fit does with them. So it takes neither sums nor squares.
type apart struct {
	rff.Source
	seed   uint64
	run    int64 // rows that share a fold
	folds  int
	sample *holdout.Sample
	done   bool // the first pass is over
}

// errGroups says that rows have groups, which intervals of single rows do not go with.
var errGroups = errors.New("krr: rows have groups, and intervals leave out single ones")

func (a *apart) unit(b rff.Batch, i int) int64 { return holdout.Unit(b, i, a.run) }

// Batches yields the rows with weights of 0 for those that are kept apart.
func (a *apart) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	first := !a.done
	a.done = true
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range a.Source.Batches(ctx) {
			held := b
			if n := b.X.Rows; err == nil && (b.Weight == nil || len(b.Weight) == n) && (b.Group == nil || len(b.Group) == n) {
				fitted := make([]float64, n)
				held.Weight = make([]float64, n)
				for i := range n {
					to := fitted
					if holdout.Fold(a.seed, a.unit(b, i), a.folds) == 0 {
						to = held.Weight
					}
					if to[i] = 1; b.Weight != nil {
						to[i] = b.Weight[i]
					}
				}
				b.Weight = fitted
			}
			if !yield(b, err) { // whoever reads checks the batch
				return
			}
			if first && err == nil {
				a.sample.Add(held, func(rff.Batch, int) int { return 0 })
			}
		}
	}
}

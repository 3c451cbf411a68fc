package search

import (
	"github.com/rffgo/rff/krr/internal/holdout"
	"github.com/rffgo/rff/krr/internal/sample"
)

// Split is the rows of one split: to fit to, and held out.
type Split struct{ Train, Valid *sample.Rows }

const (
	// folds of the rows, of which one is held out.
	folds = 5
	// sampleBytes bounds the rows that the search holds, of which it has two copies.
	sampleBytes = 128 << 20
	// enoughHeldOut is how many held-out rows are enough; with fewer rows several
	// folds are held out in turn.
	enoughHeldOut = 3000
	// mostHeldOut rows have an error of an error of 0.3 %: more say little more.
	mostHeldOut = 20000
	// leastSearched rows are worth a search.
	leastSearched = 60
)

// searchRows returns how many rows the search may hold.
func (s *Settings) searchRows(in, targets int) int {
	if s.Rows > 0 {
		return s.Rows
	}
	return max(1000, sampleBytes/(8*(in+targets+3)))
}

// Splits returns the splits of rows in random order: fifths, or as many of them as give
// enough held-out rows. Rows that share a fold in the data do so here.
func Splits(rows *sample.Rows, seed uint64) []Split {
	n := rows.X.Rows
	count := min(folds, 1+(enoughHeldOut-1)/max(1, n/folds))
	var out []Split
	for fold := range count {
		var train, valid []int
		for i := range n {
			unit := int64(i) // the sample is in random order
			if rows.Group != nil {
				unit = int64(rows.Group[i])
			}
			if holdout.Fold(seed+3, unit, folds) == fold {
				valid = append(valid, i)
			} else {
				train = append(train, i)
			}
		}
		if extra := len(valid) - mostHeldOut; extra > 0 && rows.Group == nil {
			train, valid = append(train, valid[mostHeldOut:]...), valid[:mostHeldOut]
		}
		if len(train) > 0 && len(valid) > 0 {
			out = append(out, Split{rows.Pick(train), rows.Pick(valid)})
		}
	}
	return out
}

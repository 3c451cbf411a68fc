package krr

import (
	"math"

	"github.com/rffgo/rff/krr/internal/holdout"
)

// splitRows are the rows of one split: to fit to, and held out.
type splitRows struct{ train, valid *memory }

const (
	// autoBytes bounds the rows that the search holds, of which it has two copies.
	autoBytes = 128 << 20
	// enoughHeldOut is how many held-out rows are enough; with fewer rows several
	// folds are held out in turn.
	enoughHeldOut = 3000
	// mostHeldOut rows have an error of an error of 0.3 %: more say little more.
	mostHeldOut = 20000
	// leastSearched rows are worth a search.
	leastSearched = 60
)

// searchRows returns how many rows the search may hold.
func (s *AutoSettings) searchRows(in, targets int) int {
	if s.SearchRows > 0 {
		return s.SearchRows
	}
	return max(1000, autoBytes/(8*(in+targets+3)))
}

// split returns the splits of the sample: fifths, or as many of them as give enough
// held-out rows. Rows that share a fold in the data do so here.
func (s *search) split() []splitRows {
	n := s.sample.x.Rows
	count := min(defaultFolds, 1+(enoughHeldOut-1)/max(1, n/defaultFolds))
	var out []splitRows
	for fold := range count {
		var train, valid []int
		for i := range n {
			unit := int64(i) // the sample is in random order
			if s.sample.group != nil {
				unit = int64(s.sample.group[i])
			}
			if holdout.Fold(s.Seed+3, unit, defaultFolds) == fold {
				valid = append(valid, i)
			} else {
				train = append(train, i)
			}
		}
		if extra := len(valid) - mostHeldOut; extra > 0 && s.sample.group == nil {
			train, valid = append(train, valid[mostHeldOut:]...), valid[:mostHeldOut]
		}
		if len(train) > 0 && len(valid) > 0 {
			out = append(out, splitRows{s.sample.rows(train), s.sample.rows(valid)})
		}
	}
	return out
}

// targetRanges sets the range and the variance of every target, and reports
// whether there is something to learn: a target that varies, two classes.
func (s *search) targetRanges() bool {
	y := s.sample.y
	s.low, s.high, s.variance = make([]float64, y.Cols), make([]float64, y.Cols), make([]float64, y.Cols)
	varies := false
	for t := range y.Cols {
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for i := range y.Rows {
			v := y.Row(i)[t]
			lo, hi = min(lo, v), max(hi, v)
			mean += v / float64(y.Rows)
		}
		for i := range y.Rows {
			d := y.Row(i)[t] - mean
			s.variance[t] += float64(d*d) / float64(y.Rows)
		}
		s.low[t], s.high[t] = lo, hi
		if v := s.variance[t]; lo < hi && v > 0 && !math.IsInf(v, 1) {
			varies = true
		} else {
			s.variance[t] = 1 // nothing to explain
		}
	}
	return varies
}

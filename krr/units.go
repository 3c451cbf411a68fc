package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

const (
	// mostUnits is the number of groups, runs or different inputs up to which they are kept. The
	// chance that more of them share a fold is below 2⁻⁶³.
	mostUnits = 64
	// mostSeeds is how many seeds are tried. Two groups share one of two folds by a chance of ½.
	mostSeeds = 1000
)

// countRepeats counts the rows of b that share a fold with an earlier row because their inputs
// are equal, and notes what shares a fold. Only the first pass calls it.
func (f *problem) countRepeats(b rff.Batch) {
	contents := f.foldRows == 0 && b.Group == nil
	if f.foldCount == 1 && (f.apart == nil || contents) {
		return
	}
	for i := range b.X.Rows {
		used := stream.Weight(b.Weight, i) > 0
		if !used && f.apart == nil {
			continue
		}
		unit := f.unit(b, i)
		if f.apart == nil || !contents { // rows with other inputs are kept apart one by one
			f.noteUnit(unit)
		}
		if used && contents {
			f.repeats.Add(unit)
		}
	}
	f.report.Repeats = f.repeats.Count()
}

// noteUnit notes a group, a run or inputs of rows that share a fold.
func (f *problem) noteUnit(unit int64) {
	if f.units == nil {
		f.units = map[int64]struct{}{}
	}
	if len(f.units) <= mostUnits {
		f.units[unit] = struct{}{}
	}
}

// divides reports whether the folds of a seed hold some units out and fit others, beside those that
// are kept apart.
func (f *problem) divides(seed uint64) bool {
	apart, held, fitted := f.apart == nil, false, f.foldCount == 1
	for u := range f.units {
		switch {
		case f.apart != nil && holdout.Fold(seed+apartSeed, u, f.apart.folds) == 0:
			apart = true
		case holdout.Fold(seed, u, f.foldCount) == 0:
			held = true
		default:
			fitted = true
		}
	}
	return apart && held && fitted
}

// reseeded returns the next seed whose folds divide the units, if these are few and the folds of the
// settings' seed do not.
func (f *problem) reseeded() (seed uint64, ok bool) {
	if len(f.units) > mostUnits || f.divides(f.Seed) || f.Checkpoint.Path != "" {
		return 0, false
	}
	for seed = f.Seed + 1; seed <= f.Seed+mostSeeds; seed++ {
		if f.divides(seed) {
			return seed, true
		}
	}
	return 0, false
}

package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/stream"
)

// mostSeeds is how many seeds are tried. Two groups share one of two folds by a chance of ½.
const mostSeeds = 1000

// present returns how many of the rows that were read have a positive weight.
func (f *problem) present(read int64) int64 {
	if f.apart != nil { // there, rows that are kept apart have the weight 0 too
		return read - f.apart.absent
	}
	return read - f.absent
}

// countRows counts the rows of b of weight 0, and those that share a fold with an earlier row
// because their inputs are equal, and notes what shares a fold. Only the first pass calls it.
func (f *problem) countRows(b rff.Batch) {
	for _, w := range b.Weight {
		if w == 0 {
			f.absent++
		}
	}
	contents := f.foldRows == 0 && b.Group == nil
	if f.foldCount == 1 && (f.apart == nil || contents) {
		return
	}
	for i := range stream.Present(b.Weight, b.X.Rows) {
		unit := f.unit(b, i)
		if f.apart == nil { // or else it notes those of all rows
			f.units.note(unit, unit)
		}
		if contents {
			f.repeats.Add(unit)
		}
	}
	f.report.Repeats = f.repeats.Count()
}

// all returns the units of the rows, also of those that are kept apart.
func (f *problem) all() units {
	if f.apart != nil {
		return f.apart.units
	}
	return f.units
}

// divides reports whether the folds of a seed hold some units out and fit others, beside those that
// are kept apart. Passes hold one fold out, and measure probabilities on parts of it.
func (f *problem) divides(seed uint64) bool {
	apart, held, fitted := f.apart == nil, 0, f.foldCount == 1
	for u, folded := range f.all() {
		switch {
		case f.apart != nil && fold.Of(seed+apartSeed, u, f.apart.folds) == 0:
			apart = true
		case fold.Of(seed, folded, f.foldCount) == 0:
			held++
		default:
			fitted = true
		}
	}
	parts := f.Passes != nil && f.Probabilities
	return apart && fitted && (held > 1 || held == 1 && !parts)
}

// reseeded returns the next seed whose folds divide the units, if these are few and the folds of the
// settings' seed do not.
func (f *problem) reseeded() (seed uint64, ok bool) {
	if len(f.all()) > mostUnits || f.divides(f.Seed) || f.Checkpoint.Path != "" {
		return 0, false
	}
	for seed = f.Seed + 1; seed <= f.Seed+mostSeeds; seed++ {
		if f.divides(seed) {
			return seed, true
		}
	}
	return 0, false
}

package dataset

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/look"
)

// absence is what a reader knows about missing values.
type absence struct {
	missing rff.Missing
	words   []string
	chosen  bool // Options.NA has the words
	bare    bool // a row may lack its label
}

// lacks reports whether a rule covers a missing value in a column of that role, and if so notes
// that the row lacks a value.
func (a *absence) lacks(s *spot, role int) bool {
	if a.missing == "" || role < 0 && role != roleCell && a.missing != rff.MissingDrop {
		return false
	}
	s.missed = true
	return true
}

// drop reports whether the row that was read is left out, and counts it.
func (a *absence) drop(s *spot) bool {
	if s.missed && a.missing == rff.MissingDrop {
		s.drops++
		return true
	}
	return false
}

// fillRow replaces the NaN of a row.
func fillRow(x, fill []float64) {
	for j, v := range x {
		if v != v {
			x[j] = fill[j]
		}
	}
}

// fillMeans replaces the NaN of every column by the mean of its other values, as
// Scan computes it, and returns the means.
func fillMeans(x blas.General[float64]) []float64 {
	mean := make([]float64, x.Cols)
	for j := range mean {
		var m look.Moments
		for i := range x.Rows {
			if v := x.Row(i)[j]; v == v {
				m.Add(v)
			}
		}
		mean[j] = m.Mean()
	}
	for i := range x.Rows {
		fillRow(x.Row(i), mean)
	}
	return mean
}

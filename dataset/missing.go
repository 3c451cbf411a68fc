package dataset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/cells"
	"github.com/rffgo/rff/internal/numeral"
)

// NA returns the words that stand for a missing value in a column of numbers of a CSV
// file, unless Options.NA has others: those that R, pandas, SQL and spreadsheets write.
func NA() []string { return cells.NA() }

// absence is what a reader knows of missing values.
type absence struct {
	missing rff.Missing
	words   []string
	missed  bool // the last row lacks a value
	drops   int64
}

// lacks reports whether a missing value of this role goes by a rule, and if so
// notes it.
func (a *absence) lacks(input bool) bool {
	if a.missing == "" || !input && a.missing != rff.MissingDrop {
		return false
	}
	a.missed = true
	return true
}

// drop reports whether the row that was read is left out, and counts it.
func (a *absence) drop() bool {
	if a.missed && a.missing == rff.MissingDrop {
		a.drops++
		return true
	}
	return false
}

func (a *absence) gaps() (missed bool, drops int64) { return a.missed, a.drops }

// gaps returns whether the last row of r lacks a value, and how many were dropped.
func gaps(r reader) (missed bool, drops int64) {
	if both, ok := r.(*pair); ok {
		r = both.reader
	}
	if a, ok := r.(interface{ gaps() (bool, int64) }); ok {
		return a.gaps()
	}
	return false, 0
}

// Filled returns the files with fill, one value per input, in place of missing
// values: Summary.Mean.
func (f *Files) Filled(fill []float64) *Files {
	c := *f
	c.options.fill = slices.Clone(fill)
	c.schema = f.schema.Observed(fill, nil, nil)
	return &c
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
	mean, n := make([]float64, x.Cols), make([]int64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v == v {
				n[j]++
				mean[j] += float64((v - mean[j]) * (1 / float64(n[j])))
			}
		}
	}
	for i := range x.Rows {
		fillRow(x.Row(i), mean)
	}
	return mean
}

// gapRule returns an error if a row with gaps cannot be handed on as it is.
func (f *Files) gapRule(p string, r reader, raw bool) error {
	if raw || f.options.Missing != rff.MissingMean || f.options.fill != nil {
		return nil
	}
	row, line := r.position()
	return &ParseError{Place: Place{File: p, Row: row, Line: line}, Need: "lacks a value, and the means are not known yet: Scan finds them, Filled puts them in"}
}

// checkMissing refuses what does not go with a rule for missing values.
func (o *Options) checkMissing() error {
	bad := func(name string, value any, need string) error {
		return &rff.ParameterError{Name: name, Value: value, Need: need}
	}
	schema := rff.Schema{Missing: o.Missing, Unseen: o.Unseen}
	if err := schema.Check(0); err != nil {
		return err
	}
	switch {
	case o.Missing == rff.MissingDrop && o.LabelFile != "":
		return bad("Missing", o.Missing, "rows cannot be left out of one of two files: put the labels beside the inputs (LabelFile)")
	case slices.ContainsFunc(o.NA, func(w string) bool { v, ok := numeral.Parse([]byte(w)); return ok && finite(v) }):
		return bad("NA", strings.Join(o.NA, ", "), "is a number, which stands for itself: give words")
	case o.Schema != nil && len(o.Categories) > 0:
		return bad("Categories", o.Categories, "excludes Schema, which says which columns are words")
	case o.Schema != nil && len(o.IDs) > 0:
		return bad("IDs", o.IDs, "excludes Schema, which says which columns are inputs")
	case o.Schema != nil && o.DateOrder != "":
		return bad("DateOrder", o.DateOrder, "excludes Schema, which says the order of each column of times")
	}
	return nil
}

// underSchema returns the options with the rules of their Schema, and with "" for the
// rule that is an error.
func (o Options) underSchema() (Options, error) {
	if s := o.Schema; s != nil {
		in, _ := s.Dims()
		if err := s.Check(in); err != nil {
			return o, err
		}
		o.Missing, o.Unseen = cmp.Or(o.Missing, s.Missing), cmp.Or(o.Unseen, s.Unseen)
		for _, c := range s.Inputs {
			o.kinds = append(o.kinds, cells.Of(c.Words, (*cells.Time)(c.Time), o.Unseen == rff.UnseenZero))
		}
		if o.NA == nil {
			o.NA = s.NA
		}
		if o.Missing == rff.MissingMean {
			for _, c := range s.Inputs {
				o.fill = append(o.fill, c.Fill...)
			}
			if len(o.fill) != in {
				o.fill = nil
			}
		}
	}
	if o.Missing == "error" {
		o.Missing = ""
	}
	return o, nil
}

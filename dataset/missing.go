package dataset

import (
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/numeral"
)

// Missing says what becomes of a row that lacks a value: an empty cell of CSV or one of
// the words of Options.NA, a null of Parquet, Arrow and Avro, NaN in files of numbers. "",
// or "error", is an error that names row and column.
type Missing string

// The rules. Only inputs can be replaced or kept: a row that lacks its label,
// weight or group is an error, or dropped.
const (
	missingError Missing = "error"
	MissingMean  Missing = "mean" // the mean of the column's other rows: Options.Fill, or Summary.Fill
	MissingDrop  Missing = "drop" // the row is left out; Summary.Dropped counts
	MissingNaN   Missing = "nan"  // NaN in Row.X, for callers who do something else
)

// NA returns the words that stand for a missing value in a column of numbers of a CSV
// file, unless Options.NA has others: those that R, pandas, SQL and spreadsheets write.
func NA() []string {
	return []string{"NA", "N/A", "#N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "?", "-", "."}
}

// absence is what a reader knows of missing values.
type absence struct {
	missing Missing
	words   []string
	missed  bool // the last row lacks a value
	drops   int64
}

// lacks reports whether a missing value of this role goes by a rule, and if so
// notes it.
func (a *absence) lacks(input bool) bool {
	if a.missing == "" || a.missing == missingError || !input && a.missing != MissingDrop {
		return false
	}
	a.missed = true
	return true
}

// isGap reports whether a field of this role stands for a missing value. Words may be
// classes: as labels they are missing values only if the caller chose them.
func (a *absence) isGap(field []byte, role int, chosen bool) bool {
	switch {
	case len(field) == 0:
		return role != roleEmpty
	case role >= 0 || role == roleWeight || role == roleLabel && chosen:
		return slices.Contains(a.words, string(field))
	}
	return false
}

// drop reports whether the row that was read is left out, and counts it.
func (a *absence) drop() bool {
	if a.missed && a.missing == MissingDrop {
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
// values: Summary.Fill.
func (f *Files) Filled(fill []float64) *Files {
	c := *f
	c.options.Fill = slices.Clone(fill)
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
// Scan computes it.
func fillMeans(x blas.General[float64]) {
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
}

// gapRule returns an error if a row with gaps cannot be handed on as it is.
func (f *Files) gapRule(p string, r reader, raw bool) error {
	if raw || f.options.Missing != MissingMean || f.options.Fill != nil {
		return nil
	}
	row, line := r.position()
	return &ParseError{File: p, Row: row, Line: line, Need: "lacks a value, and the means are not known yet: Scan finds them, Filled puts them in"}
}

// checkMissing refuses what does not go with a rule for missing values.
func (o *Options) checkMissing() error {
	bad := func(name string, value any, need string) error {
		return &rff.ParameterError{Name: name, Value: value, Need: need}
	}
	switch {
	case !slices.Contains([]Missing{"", missingError, MissingMean, MissingDrop, MissingNaN}, o.Missing):
		return bad("Missing", o.Missing, "must be error, mean, drop or nan")
	case !slices.Contains([]Unseen{"", unseenError, UnseenZero}, o.Unseen):
		return bad("Unseen", o.Unseen, "must be error or zero")
	case o.Missing == MissingDrop && o.LabelFile != "":
		return bad("Missing", o.Missing, "rows cannot be left out of one of two files: put the labels beside the inputs (LabelFile)")
	case slices.ContainsFunc(o.NA, func(w string) bool { v, ok := numeral.Parse([]byte(w)); return ok && finite(v) }):
		return bad("NA", strings.Join(o.NA, ", "), "is a number, which stands for itself: give words")
	case o.Fill != nil && o.Missing != MissingMean:
		return bad("Fill", "values", "goes with the rule MissingMean")
	}
	return nil
}

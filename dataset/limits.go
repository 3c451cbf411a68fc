package dataset

import (
	"cmp"
	"fmt"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/limit"
)

// These bound the memory that a reader takes for a file. Each is checked before the memory is
// taken: a few bytes can announce, or expand to, more than a machine has.
const (
	maxLabelBytes = 1 << 10 // of one label
	maxNPYHeader  = 1 << 16

	batchRows   = 2 * blas.RowBlock // rows of a Batch: two row blocks of package blas
	batchValues = 1 << 20           // numbers in a Batch: 8 MiB

	// A Table of sparse text may take 16 MiB, or tableRatio times the size of the text if
	// that is more. A table of dense text takes less than 8 bytes per byte of text.
	tableBytes, tableRatio = 16 << 20, 256
)

// columnLimit returns the number of columns that o allows.
func (o *Options) columnLimit() int {
	most := cmp.Or(o.ours.MaxColumns, limit.Columns)
	return max(most, o.Width)
}

// rowsOf returns how many rows of width numbers stay within a bound of values numbers. It is
// at least 1 and at most most.
func rowsOf(width, values, most int) int { return max(1, min(most, values/max(width, 1))) }

// tooManyColumns says that a file has more columns than are allowed.
func tooManyColumns(file string, line int64, columns int64, most int) error {
	if columns > limit.MostColumns {
		return tooMuch(file, line, "columns", columns, limit.MostColumns, false)
	}
	return tooMuch(file, line, "columns", columns, int64(most), true)
}

// tooMuch says that reading a file would take more memory than is allowed. The file has size
// of something, such as "columns"; what names it, and most is the limit. lifted says that
// Options.Width allows more.
func tooMuch(file string, line int64, what string, size, most int64, lifted bool) error {
	need := fmt.Sprintf("has %d %s, the limit is %d", size, what, most)
	if lifted {
		need += " (Width lifts it): is it the table that was meant?"
	}
	return &ParseError{Place: Place{File: file, Line: line}, Need: need}
}

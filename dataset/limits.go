package dataset

import "github.com/rffgo/rff/blas"

// Bounds on what files make a reader allocate. Each holds before the memory is
// taken: a few bytes can announce, or expand to, more than a machine has.
const (
	maxWidth       = 1 << 20 // columns that can be asked for at all
	defaultColumns = 1 << 16 // columns without being asked for
	columnBytes    = 64      // of a line of text, for each column allowed
	maxLabelBytes  = 1 << 10 // of one label
	maxNPYHeader   = 1 << 16

	batchRows   = 2 * blas.RowBlock // rows of a Batch: two row blocks of package blas
	batchValues = 1 << 20           // numbers in a Batch: 8 MiB
	// Numbers in Summary.Sample: 40 MiB, which 10,000 rows of 524 inputs fill.
	sampleValues = 5 << 20

	// A Table of sparse text may take 16 MiB, or this many times the size of the
	// text: dense text takes less than 8 bytes for each of its own.
	tableBytes, tableRatio = 16 << 20, 256
)

// columnLimit returns the number of columns that o allows.
func (o *Options) columnLimit() int {
	limit := o.MaxColumns
	if limit == 0 {
		limit = defaultColumns
	}
	return max(limit, o.Width)
}

// lineLimit returns the length of a line of text that o allows.
func (o *Options) lineLimit() int { return columnBytes * o.columnLimit() }

// rowsOf returns how many rows of that many numbers, at most most, stay within
// a bound of values numbers; at least one.
func rowsOf(width, values, most int) int { return max(1, min(most, values/max(width, 1))) }

// tooManyColumns says that a file has more columns than are allowed.
func tooManyColumns(file string, line int64, columns int64, limit int) error {
	if columns > maxWidth {
		return &LimitError{File: file, Line: line, What: "columns", Size: columns, Limit: maxWidth}
	}
	return &LimitError{File: file, Line: line, What: "columns", Size: columns, Limit: int64(limit), Option: "MaxColumns"}
}

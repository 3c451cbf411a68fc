// Package columnar holds the formats of files that store columns, such as Parquet. Other packages
// register them, so a heavy reader is compiled only into programs that ask for it.
package columnar

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"
)

// Kind is what the values of a column are.
type Kind uint8

// The kinds of columns.
const (
	Number  Kind = iota
	Text         // also of a dictionary
	Time         // whole numbers of a unit since 1970, or since midnight: Column.PerDay
	Refused      // none of these: Column.Need says why
)

// Column is a column of a file.
type Column struct {
	Name string
	Kind Kind
	Bool bool   // a column of numbers has booleans, 0 and 1
	Null bool   // a column of numbers has the type of nulls, so other files may have something else there
	Need string // why the column is refused, and what to do
	// Index says that the column is the index of a frame of pandas, which is written after the others.
	Index bool
	Units
}

// Units are those of a column of times.
type Units struct {
	PerDay int64 // 1: dates
	Zone   bool  // the times are in UTC; otherwise they are those of a clock in an unknown zone
	Clock  bool  // they are times of day, without a date
	Nanos  bool  // the file has nanoseconds, of which float64 does not hold those of today; Numbers are whole microseconds
}

// Per returns the Units of a file with that many units per second.
func Per(second int64, zone, clock bool) Units {
	return Units{24 * 60 * 60 * min(second, 1e6), zone, clock, second > 1e6}
}

// Dates are days since 1970.
var Dates = Units{PerDay: 1}

// Values are some rows of a column. They are Numbers, also for times, or Text, as the kind of the
// column says.
type Values struct {
	Numbers []float64
	Text    []string
	Null    []bool // which values are missing; nil: none
	Finite  bool   // Numbers are known to be finite
}

// Sized returns a slice of n elements, in the memory of b if it has room.
func Sized[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}

// Append returns the values of v and then those of w, both of the same kind.
func (v *Values) Append(w *Values) *Values {
	out := &Values{Numbers: slices.Concat(v.Numbers, w.Numbers), Text: slices.Concat(v.Text, w.Text)}
	if v.Null != nil || w.Null != nil {
		n := max(len(v.Numbers), len(v.Text))
		out.Null = make([]bool, max(len(out.Numbers), len(out.Text)))
		copy(out.Null[:n], v.Null)
		copy(out.Null[n:], w.Null)
	}
	return out
}

// AllFinite reports whether no value is NaN or infinite.
func AllFinite(values []float64) bool {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] { // four sums that do not wait for each other
		a += values[0] - values[0] // 0, or NaN for a NaN or an infinity
		b += values[1] - values[1]
		c += values[2] - values[2]
		d += values[3] - values[3]
	}
	for _, v := range values {
		a += v - v
	}
	return a+b+c+d == 0
}

const (
	MostRows   = 8192    // of a batch
	mostValues = 1 << 18 // of a batch, unless it then has fewer rows than fewestRows
	fewestRows = 64
)

// BatchRows returns the rows of a batch of that many columns.
func BatchRows(columns int) int { return max(fewestRows, min(MostRows, mostValues/max(columns, 1))) }

// Batch is some rows of the columns that were asked for, in the order asked.
type Batch struct {
	Rows    int
	Columns []Values
}

// File is an open file. Rows may be asked for once.
type File interface {
	Columns() []Column
	// Rows begins to read the columns with these indices, which ascend.
	Rows(ctx context.Context, columns []int)
	// Next returns the next rows, which are valid until the next call. After the last rows the
	// error is io.EOF.
	Next() (*Batch, error)
	Close() error
}

// Grouped is a File whose rows are in groups, which can be read apart.
type Grouped interface {
	File
	// Groups returns the number of rows of each group.
	Groups() []int64
	// Only leaves out all groups except from, from+1, …, to−1. It must be called before Rows.
	Only(from, to int)
}

// Exact is a File that has the digits of integers of 64 bits, of which float64 takes several for one
// from 2⁵³ on.
type Exact interface {
	File
	// Exact makes the values of a column come as Text if they are such integers. It must be called
	// before Rows.
	Exact(column int)
}

// Part is an open file of which only some groups are to be read.
type Part interface {
	Part() (from, to int)
}

// Format is a format of files with columns.
type Format struct {
	Name  string // as dataset.Options.Format has it
	Magic []byte // how its files begin
	// Open opens a file of size bytes. Its memory must be bounded.
	Open func(r io.ReaderAt, size int64) (File, error)
}

var (
	mu      sync.RWMutex
	formats []Format
)

// Register adds a format.
func Register(f Format) {
	mu.Lock()
	defer mu.Unlock()
	formats = append(formats, f)
}

// Of returns the format whose files begin like head.
func Of(head []byte) (Format, bool) {
	return first(func(f Format) bool { return bytes.HasPrefix(head, f.Magic) })
}

// Named returns the format of that name.
func Named(name string) (Format, bool) {
	return first(func(f Format) bool { return f.Name == name })
}

func first(is func(Format) bool) (Format, bool) {
	mu.RLock()
	defer mu.RUnlock()
	for _, f := range formats {
		if is(f) {
			return f, true
		}
	}
	return Format{}, false
}

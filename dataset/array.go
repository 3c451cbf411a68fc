package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/columnar"
	"github.com/rffgo/rff/internal/message"
)

// element says how one number of a binary array is stored.
type element struct {
	columnar.Fixed
	big bool // its highest byte is the first
}

// arrayFile reads a binary array with a known shape as a file of columns. IDX and NPY files
// are read by it once their headers are known.
type arrayFile struct {
	*input
	elem      element
	columns   []columnar.Column
	want      []int
	exact     []int // columns of integers whose digits count
	rows, row int64
	buf       []byte
	batch     columnar.Batch
}

// newArray checks the shape, rows × the product of dims, and the options about columns.
func newArray(in *input, elem element, rows int64, dims []int64, o *Options) (*columnReader, error) {
	if err := noWords(in.name, o); err != nil {
		return nil, err
	}
	cols := int64(1)
	limit := o.columnLimit()
	for _, d := range dims {
		if d <= 0 {
			return nil, &ParseError{Place: Place{File: in.name}, Need: "has rows without values"}
		}
		// The factors are at most 2²⁰ and 2⁴², so that the product is exact.
		if cols *= min(d, 1<<42); cols > int64(limit) {
			return nil, tooManyColumns(in.name, 0, cols, limit)
		}
	}
	if rows == 0 {
		return nil, &ParseError{Place: Place{File: in.name}, Need: "the file has no rows"}
	}
	if len(dims) > 1 {
		shape := fmt.Sprintf("(%d, %s)", rows, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(dims)), ", "), "[]"))
		if o.Task != Unlabelled && o.LabelFile == "" {
			return nil, &ParseError{Place: Place{File: in.name}, Need: fmt.Sprintf("has the shape %s: the last of the %d values of a row would be taken as its label: give the labels in a file of their own, or reshape the array to two dimensions", shape, cols)}
		}
		in.note("the shape %s is read as %d rows of %d values", shape, rows, cols)
	}
	a := &arrayFile{input: in, elem: elem, rows: rows, columns: make([]columnar.Column, cols)}
	return (&columnReader{input: in, file: a, of: a.columns}).assigned(nil, o)
}

func (a *arrayFile) Columns() []columnar.Column            { return a.columns }
func (a *arrayFile) Rows(_ context.Context, columns []int) { a.want = columns }
func (a *arrayFile) Exact(column int)                      { a.exact = append(a.exact, column) }
func (a *arrayFile) Close() error                          { return nil }

// Next reads one row, and further rows only if they are in memory already, so that no row of
// a stream waits for others.
func (a *arrayFile) Next() (*columnar.Batch, error) {
	if a.row == a.rows {
		if _, err := a.ReadByte(); err != nil {
			return nil, err
		}
		return nil, &ParseError{Place: Place{File: a.name}, Need: fmt.Sprintf("goes on after the %s its header announces", message.Count(a.rows, "row"))}
	}
	size := a.elem.Size()
	n := int(min(a.rows-a.row, columnar.MostRows, int64(max(1, a.Buffered()/(size*len(a.columns))))))
	a.buf = columnar.Sized(a.buf, n*len(a.columns)*size)
	if _, err := io.ReadFull(a.Reader, a.buf); err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &wrapped{fmt.Sprintf("the file ends early: its header announces %s", message.Count(a.rows, "row")), io.ErrUnexpectedEOF}
	} else if err != nil {
		return nil, err
	}
	if a.elem.big {
		for number := range slices.Chunk(a.buf, size) {
			slices.Reverse(number)
		}
	}
	a.batch.Rows, a.batch.Columns = n, columnar.Sized(a.batch.Columns, len(a.want))
	for k, c := range a.want {
		v := &a.batch.Columns[k]
		if v.Text = nil; slices.Contains(a.exact, c) {
			v.Text = a.elem.Digits(n, a.buf[c*size:], len(a.columns)*size)
		}
		v.Numbers = columnar.Sized(v.Numbers, n)
		a.elem.Convert(v.Numbers, a.buf[c*size:], len(a.columns)*size)
	}
	a.row += int64(n)
	return &a.batch, nil
}

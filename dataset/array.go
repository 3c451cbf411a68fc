package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rffgo/rff/internal/numeral"
)

// element says how one number of a binary array is stored.
type element struct {
	size   int
	decode func([]byte) float64
}

// arrayReader reads the rows of a binary array with a known shape: what IDX and
// NPY have in common once their headers are read.
type arrayReader struct {
	*input
	columns
	elem    *element
	rows    int64
	pick    []int // columns of the inputs
	row     int64
	buf     []byte
	weighed float64
	grouped uint64
}

// newArray checks the shape, rows × the product of dims, and the options that
// speak of columns.
func newArray(in *input, elem *element, rows int64, dims []int64, o *Options) (*arrayReader, error) {
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
	r := &arrayReader{input: in, elem: elem, rows: rows, buf: make([]byte, int(cols)*elem.size), weighed: 1}
	if err := r.assign(in.name, nil, int(cols), false, o); err != nil {
		return nil, err
	}
	r.pick = make([]int, r.width)
	for i, k := range r.role {
		if k >= 0 {
			r.pick[k] = i
		}
	}
	return r, nil
}

func (r *arrayReader) shape() (int, []string, string)        { return r.width, r.inputs, "" }
func (r *arrayReader) remarks() []string                     { return slices.Concat(r.notes, r.matched) }
func (r *arrayReader) source() *input                        { return r.input }
func (r *arrayReader) extra() (weight float64, group uint64) { return r.weighed, r.grouped }
func (r *arrayReader) position() (row, line int64)           { return r.row, 0 }
func (r *arrayReader) Close() error                          { return r.close() }

// value returns the number in column c of the row that was read. NaN is a missing value.
func (r *arrayReader) value(c int, input bool) (float64, error) {
	v := r.elem.decode(r.buf[c*r.elem.size:])
	switch {
	case finite(v), v != v && r.lacks(input):
		return v, nil
	case v != v:
		return 0, &ParseError{Place: Place{File: r.name, Row: r.row}, Column: c + 1, Need: "the value is missing (NaN): say what to do (--missing), remove the row or fill it in"}
	}
	return 0, &ParseError{Place: Place{File: r.name, Row: r.row}, Column: c + 1, Value: fmt.Sprint(v), Need: notFinite}
}

func (r *arrayReader) next(x []float64) (Label, error) {
	for {
		if label, err := r.read(x); err != nil || !r.drop() {
			return label, err
		}
	}
}

func (r *arrayReader) read(x []float64) (Label, error) {
	if r.row == r.rows {
		if _, err := r.ReadByte(); err == nil {
			return Label{}, &ParseError{Place: Place{File: r.name}, Need: fmt.Sprintf("goes on after the %d rows its header announces", r.rows)}
		} else if err != io.EOF {
			return Label{}, readError(r.name, r.row, err)
		}
		return Label{}, io.EOF
	}
	if _, err := io.ReadFull(r.Reader, r.buf); err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err = &wrapped{fmt.Sprintf("the file ends early: its header announces %d rows", r.rows), io.ErrUnexpectedEOF}
		}
		return Label{}, readError(r.name, r.row, err)
	}
	r.row++
	r.missed = false
	for j, c := range r.pick {
		v, err := r.value(c, true)
		if err != nil {
			return Label{}, err
		}
		x[j] = v
	}
	if r.weight >= 0 {
		v, err := r.value(r.weight, false)
		if err != nil {
			return Label{}, err
		}
		if v < 0 {
			return Label{}, &ParseError{Place: Place{File: r.name, Row: r.row}, Column: r.weight + 1, Value: fmt.Sprint(v), Need: negativeWeight}
		}
		r.weighed = v
	}
	if r.group >= 0 {
		v, err := r.value(r.group, false)
		if err != nil {
			return Label{}, err
		}
		r.grouped = groupOf([]byte(numeral.Format(v)))
	}
	if r.label < 0 {
		return Label{}, nil
	}
	v, err := r.value(r.label, false)
	return Label{Value: v, Number: true}, err
}

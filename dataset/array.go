package dataset

import (
	"errors"
	"fmt"
	"io"
	"strconv"
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
	elem  *element
	rows  int64
	cols  int // stored columns
	label int // the label's column, or −1
	pick  []int
	row   int64
	buf   []byte
}

// newArray checks the shape and the options that speak of columns.
func newArray(in *input, elem *element, rows int64, cols int, o *Options) (*arrayReader, error) {
	if cols < 1 || cols > maxWidth {
		return nil, &ParseError{File: in.name, Need: fmt.Sprintf("has rows of %d values: must be 1 … %d", cols, maxWidth)}
	}
	if rows == 0 {
		return nil, &ParseError{File: in.name, Need: "the file has no rows"}
	}
	r := &arrayReader{input: in, elem: elem, rows: rows, cols: cols, label: -1, buf: make([]byte, cols*elem.size)}
	find := func(name string) (int, error) {
		if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= cols {
			return i - 1, nil
		}
		return 0, &ColumnError{in.name, name, []string{fmt.Sprintf("1 … %d, without names", cols)}}
	}
	if !o.NoLabel && o.LabelFile == "" {
		if cols == 1 {
			return nil, &ParseError{File: in.name, Need: "has a single column: a label and no inputs"}
		}
		r.label = cols - 1
		if o.Label != "" {
			var err error
			if r.label, err = find(o.Label); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range o.Inputs {
		i, err := find(name)
		if err != nil {
			return nil, err
		}
		r.pick = append(r.pick, i)
	}
	if r.pick == nil {
		for i := range cols {
			if i != r.label {
				r.pick = append(r.pick, i)
			}
		}
	}
	return r, nil
}

func (r *arrayReader) width() int                  { return len(r.pick) }
func (r *arrayReader) columns() ([]string, string) { return nil, "" }
func (r *arrayReader) position() (row, line int64) { return r.row, 0 }
func (r *arrayReader) Close() error                { return r.close() }

func (r *arrayReader) next(x []float64) (Label, error) {
	if r.row == r.rows {
		if _, err := r.ReadByte(); err == nil {
			return Label{}, &ParseError{File: r.name, Need: fmt.Sprintf("goes on after the %d rows its header announces", r.rows)}
		} else if err != io.EOF {
			return Label{}, &ReadError{File: r.name, Row: r.row, Err: gzipError(err)}
		}
		return Label{}, io.EOF
	}
	if _, err := io.ReadFull(r.Reader, r.buf); err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err = &wrapped{fmt.Sprintf("the file ends early: its header announces %d rows", r.rows), io.ErrUnexpectedEOF}
		}
		return Label{}, &ReadError{File: r.name, Row: r.row, Err: gzipError(err)}
	}
	r.row++
	for j, c := range r.pick {
		v := r.elem.decode(r.buf[c*r.elem.size:])
		if !finite(v) {
			return Label{}, &ParseError{File: r.name, Row: r.row, Column: c + 1, Value: fmt.Sprint(v), Need: notFinite}
		}
		x[j] = v
	}
	if r.label < 0 {
		return Label{}, nil
	}
	v := r.elem.decode(r.buf[r.label*r.elem.size:])
	if !finite(v) {
		return Label{}, &ParseError{File: r.name, Row: r.row, Column: r.label + 1, Value: fmt.Sprint(v), Need: notFinite}
	}
	return Label{Value: v, Number: true}, nil
}

package main

import (
	"context"
	"fmt"
	"iter"
	"unsafe"

	"github.com/rffgo/rff"
)

// array is an rff_array. Its roles are 'x' for inputs, of which several stand side by side, 'y'
// for targets, 'w' for weights, 't' for the bytes of a table and 'o' for what is returned.
type array struct {
	role, kind           byte
	size                 int
	data                 unsafe.Pointer
	rows, cols, row, col int // row and col in bytes
}

// matrix returns the array in place, if it is of float64 and each row is contiguous.
func (a array) matrix() (m rff.Matrix, ok bool) {
	if a.kind != 'f' || a.size != 8 || a.rows < 1 || a.cols < 1 || a.cols > 1 && a.col != 8 || a.row%8 != 0 || a.rows > 1 && a.row < 8*a.cols || uintptr(a.data)%8 != 0 {
		return m, false
	}
	stride := max(a.row/8, a.cols)
	return rff.Matrix{Rows: a.rows, Cols: a.cols, Stride: stride, Data: unsafe.Slice((*float64)(a.data), (a.rows-1)*stride+a.cols)}, true
}

// converts has how elements of a kind and a number of bytes are read.
var converts = map[[2]byte]func(a array, dst rff.Matrix, at, from int){
	{'f', 8}: convert[float64], {'f', 4}: convert[float32],
	{'i', 8}: convert[int64], {'i', 4}: convert[int32], {'i', 2}: convert[int16], {'i', 1}: convert[int8],
	{'u', 8}: convert[uint64], {'u', 4}: convert[uint32], {'u', 2}: convert[uint16], {'u', 1}: convert[uint8],
	{'b', 1}: convert[uint8],
}

// read writes rows from, from+1, … to columns at, at+1, … of dst, as float64.
func (a array) read(dst rff.Matrix, at, from int) error {
	convert := converts[[2]byte{a.kind, byte(a.size)}]
	if convert == nil {
		return fmt.Errorf("rff: elements of kind %c and %d bytes are no numbers that can be read", a.kind, a.size)
	}
	convert(a, dst, at, from)
	return nil
}

func convert[T float64 | float32 | int64 | int32 | int16 | int8 | uint64 | uint32 | uint16 | uint8](a array, dst rff.Matrix, at, from int) {
	for i := range dst.Rows {
		row := dst.Row(i)[at : at+a.cols]
		p := unsafe.Add(a.data, (from+i)*a.row)
		for j := range row {
			row[j] = float64(*(*T)(unsafe.Add(p, j*a.col)))
		}
	}
}

// block is the number of rows that are read at a time.
const block = 4096

// arrays is a source of the rows that x has side by side.
type arrays struct {
	x      []array
	schema rff.Schema
}

// rowsOf returns the rows that x has side by side.
func rowsOf(x []array) (*arrays, error) {
	s := &arrays{x: x}
	for _, a := range x {
		if a.rows != x[0].rows {
			return nil, &rff.ShapeError{Name: "x", Rows: a.rows, Cols: a.cols, WantRows: x[0].rows, WantCols: a.cols}
		}
		s.schema.Inputs = append(s.schema.Inputs, make([]rff.Column, a.cols)...)
		s.schema.Rows = int64(a.rows)
	}
	if len(s.schema.Inputs) == 0 {
		return nil, &rff.ParameterError{Name: "x", Need: "must have columns"}
	}
	return s, nil
}

func (s *arrays) Schema() rff.Schema { return s.schema }

func (s *arrays) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	n := int(s.schema.Rows)
	return func(yield func(rff.Batch, error) bool) {
		whole, inPlace := s.inPlace()
		var buffer rff.Matrix
		if !inPlace {
			buffer = newMatrix(min(block, n), len(s.schema.Inputs))
		}
		for i := 0; i < n; i += block {
			b, to, err := rff.Batch{First: int64(i)}, min(i+block, n), ctx.Err()
			if b.Y.Rows = to - i; inPlace {
				b.X = whole.RowRange(i, to)
			} else if b.X = buffer.RowRange(0, to-i); err == nil {
				err = s.gather(b.X, i)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

func (s *arrays) inPlace() (rff.Matrix, bool) {
	if len(s.x) != 1 {
		return rff.Matrix{}, false
	}
	return s.x[0].matrix()
}

func (s *arrays) gather(dst rff.Matrix, from int) error {
	at := 0
	for _, a := range s.x {
		if err := a.read(dst, at, from); err != nil {
			return err
		}
		at += a.cols
	}
	return nil
}

// newMatrix returns a matrix of zeros.
func newMatrix(rows, cols int) rff.Matrix {
	return rff.Matrix{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// labelled gives rows targets and weights. With classes, y has their numbers.
type labelled struct {
	rff.Source
	y, w   *array
	schema rff.Schema
}

func (l *labelled) Schema() rff.Schema { return l.schema }

func (l *labelled) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		at := 0
		for b, err := range l.Source.Batches(ctx) {
			if err == nil {
				err = l.label(&b, at)
			}
			at += b.X.Rows
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// label adds the targets and weights of rows from at on to b.
func (l *labelled) label(b *rff.Batch, at int) error {
	n := b.X.Rows
	if at+n > l.y.rows {
		return &rff.ShapeError{Name: "y", Rows: l.y.rows, Cols: l.y.cols, WantRows: at + n, WantCols: l.y.cols}
	}
	given := newMatrix(n, l.y.cols)
	if err := l.y.read(given, 0, at); err != nil {
		return err
	}
	if b.Y = given; l.schema.Target.Classes != nil {
		b.Y = newMatrix(n, l.schema.Target.Columns)
		for i := range n {
			code(b.Y.Row(i), int(given.Row(i)[0]))
		}
	}
	if l.w != nil {
		w := newMatrix(n, 1)
		if err := l.w.read(w, 0, at); err != nil {
			return err
		}
		b.Weight = w.Data
	}
	return nil
}

// code writes the targets of a row of that class: see rff.Target.Classes.
func code(y []float64, class int) {
	if len(y) == 1 {
		y[0] = float64(2*class - 1)
		return
	}
	for k := range y {
		y[k] = -1
	}
	y[class] = 1
}

// notFinite is the error for a number of a row.
func notFinite(s rff.Schema, row, column int, v float64) error {
	name := fmt.Sprintf("input %d", column+1)
	if names := s.Names(); names != nil {
		name = fmt.Sprintf("column %q", names[column])
	}
	return &rff.ValueError{Row: int64(row), Column: name, Value: v, Need: `must be finite: leave such rows out, fill the gaps, or give the estimator missing="mean"`}
}

// float32s returns the elements of an array of float32 in C order.
func (a array) float32s() []float32 {
	return unsafe.Slice((*float32)(a.data), (a.rows-1)*(a.row/4)+a.cols)
}

package blas

import "github.com/rffgo/rff/asm"

// Float is the element type of a matrix.
type Float = asm.Float

// General is a row-major matrix: element (i, j) is Data[i·Stride+j].
type General[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
}

// NewGeneral returns a zero r×c matrix.
func NewGeneral[T Float](r, c int) General[T] {
	return General[T]{Rows: r, Cols: c, Stride: c, Data: make([]T, r*c)}
}

// Row returns row i.
func (m General[T]) Row(i int) []T { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// RowRange returns the view of rows [from, to).
func (m General[T]) RowRange(from, to int) General[T] {
	v := General[T]{Rows: to - from, Cols: m.Cols, Stride: m.Stride}
	if from < to {
		v.Data = m.Data[from*m.Stride : (to-1)*m.Stride+m.Cols]
	}
	return v
}

// check panics unless Data holds the matrix.
func (m General[T]) check() {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		panic(errBadStride)
	}
	if m.Rows > 0 && len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
		panic(errShortData)
	}
}

package blas

import (
	"unsafe"

	"github.com/rffgo/rff/asm"
)

// Float is the element type of a matrix.
type Float = asm.Float

// General is a row-major matrix: element (i, j) is Data[i·Stride+j].
type General[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
}

// NewGeneral returns a zero r×c matrix.
func NewGeneral[T Float](r, c int) General[T] {
	return General[T]{Rows: r, Cols: c, Stride: c, Data: allocate[T](r * c)}
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

// Holds reports whether m has the elements that its sizes ask for.
func Holds[T Float](m General[T]) bool {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		return false
	}
	if m.Rows == 0 || m.Stride == 0 {
		return true
	}
	// This avoids the product (Rows−1)·Stride, which may overflow.
	return len(m.Data) >= m.Cols && (len(m.Data)-m.Cols)/m.Stride >= m.Rows-1
}

// Overlap reports whether a and b have an element in common. Both must hold their elements (see
// Holds). Two separate column ranges of one matrix have none in common, though their rows
// alternate in memory.
func Overlap[T Float](a, b General[T]) bool {
	if a.Rows == 0 || b.Rows == 0 || a.Cols == 0 || b.Cols == 0 {
		return false
	}
	size := unsafe.Sizeof(*new(T))
	first := func(m General[T]) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))) }
	end := func(m General[T]) uintptr { return first(m) + uintptr((m.Rows-1)*m.Stride+m.Cols)*size }
	if end(a) <= first(b) || end(b) <= first(a) {
		return false
	}
	if a.Stride != b.Stride {
		return true
	}
	if first(a) > first(b) {
		a, b = b, a
	}
	// column is the first column of b, counted from that of a in a row of their stride.
	column := int((first(b)-first(a))/size) % a.Stride
	return column < a.Cols || column+b.Cols > a.Stride
}

// check panics unless Data holds the matrix.
func (m General[T]) check() {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		panic(errBadStride)
	}
	if !Holds(m) {
		panic(errShortData)
	}
}

// view returns rows [i0, i1) and columns [j0, j1) of m.
func (m General[T]) view(i0, i1, j0, j1 int) General[T] {
	v := General[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if i0 < i1 && j0 < j1 {
		v.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return v
}

// op returns the sizes of op(m).
func (m General[T]) op(trans bool) (rows, cols int) {
	if trans {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// triangle is the part of a result that is computed.
type triangle uint8

const (
	full triangle = iota
	upperTriangle
	lowerTriangle
)

func triangleOf(upper bool) triangle {
	if upper {
		return upperTriangle
	}
	return lowerTriangle
}

// scale computes C = β·C on a triangle.
func scale[T Float](tri triangle, beta T, c General[T]) {
	for i := range c.Rows {
		row := c.Row(i)
		switch tri {
		case upperTriangle:
			row = row[min(i, len(row)):]
		case lowerTriangle:
			row = row[:min(i+1, len(row))]
		}
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// transpose writes mᵀ to dst.
func transpose[T Float](dst, m General[T]) {
	const tile = 16 // a tile of both matrices fits the first-level cache
	for i0 := 0; i0 < m.Rows; i0 += tile {
		for j0 := 0; j0 < m.Cols; j0 += tile {
			for i := i0; i < min(i0+tile, m.Rows); i++ {
				for j := j0; j < min(j0+tile, m.Cols); j++ {
					dst.Data[j*dst.Stride+i] = m.Data[i*m.Stride+j]
				}
			}
		}
	}
}

// round copies src to dst, which is as long, in dst's type.
func round[D, S Float](dst []D, src []S) {
	if same, ok := any(src).([]D); ok {
		copy(dst, same)
		return
	}
	for i, v := range src {
		dst[i] = D(v)
	}
}

// convert returns unit·m in T.
func convert[T Float](m General[float64], unit float64) General[T] {
	c := NewGeneral[T](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			c.Data[i*c.Stride+j] = T(v * unit)
		}
	}
	return c
}

// single reports whether T is float32.
func single[T Float]() bool { return unsafe.Sizeof(*new(T)) == 4 }

// ofType returns the one of two values that is for T, of type V.
func ofType[T Float, V any](f64, f32 any) V {
	if single[T]() {
		return f32.(V)
	}
	return f64.(V)
}

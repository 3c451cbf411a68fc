package rff

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Conversions between the matrices of gonum and those of package blas.

// checkMatrix returns a *ParameterError if x is nil or holds a nil pointer.
func checkMatrix(name string, x mat.Matrix) error {
	missing := x == nil
	switch x := x.(type) {
	case *mat.Dense:
		missing = x == nil
	case *mat.VecDense:
		missing = x == nil
	}
	return given(name, missing)
}

// holds reports whether m has the elements that its sizes ask for.
func holds[T blas.Float](m blas.General[T]) bool {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		return false
	}
	if m.Rows == 0 || m.Stride == 0 {
		return true
	}
	// Without the product (Rows−1)·Stride, which may overflow.
	return len(m.Data) >= m.Cols && (len(m.Data)-m.Cols)/m.Stride >= m.Rows-1
}

func checkView[T blas.Float](name string, m blas.General[T]) error {
	if !holds(m) {
		return &ParameterError{Name: name, Value: len(m.Data), Need: "has too few elements for its rows, columns and stride"}
	}
	return nil
}

// copyBlock is the number of rows copied at a time from matrices without a raw
// view: four row blocks, enough for several workers.
const copyBlock = 4 * blas.RowBlock

// general returns a raw matrix as a matrix of package blas.
func general(r blas64.General) blas.General[float64] {
	return blas.General[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}

func general32(r blas32.General) blas.General[float32] {
	return blas.General[float32]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}

// rowsOf returns the rows of x in place, if x is stored by rows.
func rowsOf(x mat.Matrix) (blas.General[float64], bool) {
	switch x := x.(type) {
	case mat.RawMatrixer:
		return general(x.RawMatrix()), true
	case *mat.VecDense:
		v := x.RawVector()
		return blas.General[float64]{Rows: v.N, Cols: 1, Stride: v.Inc, Data: v.Data}, true
	}
	return blas.General[float64]{}, false
}

// rawOf returns the storage of x, or of the matrix that x is the transpose of.
func rawOf(x mat.Matrix) (blas.General[float64], bool) {
	if v, ok := rowsOf(x); ok {
		return v, true
	}
	if t, ok := x.(mat.Untransposer); ok {
		return rowsOf(t.Untranspose())
	}
	return blas.General[float64]{}, false
}

// copyRows fills dst with rows first, first+1, … of x.
func copyRows(dst blas.General[float64], x mat.Matrix, first int) {
	if v, ok := rowsOf(x); ok {
		for i := range dst.Rows {
			copy(dst.Row(i), v.Row(first+i))
		}
		return
	}
	if t, ok := x.(mat.Untransposer); ok {
		if v, ok := rowsOf(t.Untranspose()); ok {
			for j := range dst.Cols {
				column := v.Row(j)[first:]
				for i := range dst.Rows {
					dst.Data[i*dst.Stride+j] = column[i]
				}
			}
			return
		}
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] = x.At(first+i, j)
		}
	}
}

// overlap reports whether a and b have an element in common. Two separate column
// ranges of one matrix have none, though their rows alternate in memory.
func overlap[T blas.Float](a, b blas.General[T]) bool {
	if a.Rows == 0 || b.Rows == 0 || a.Cols == 0 || b.Cols == 0 {
		return false
	}
	size := unsafe.Sizeof(a.Data[0])
	first := func(m blas.General[T]) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))) }
	last := func(m blas.General[T]) uintptr {
		return first(m) + uintptr((m.Rows-1)*m.Stride+m.Cols-1)*size
	}
	if last(a) < first(b) || last(b) < first(a) {
		return false
	}
	if a.Stride != b.Stride || (a.Rows == 1 && b.Rows == 1) {
		return true
	}
	if first(a) > first(b) {
		a, b = b, a
	}
	column := int((first(b)-first(a))/size) % a.Stride
	return column < a.Cols || column+b.Cols > a.Stride
}

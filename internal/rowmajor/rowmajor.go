// Package rowmajor answers two questions about matrices stored by rows: whether the
// elements are there, and whether two matrices share some.
package rowmajor

import "unsafe"

// Matrix has element (i, j) at Data[i·Stride+j]. blas.General converts to it.
type Matrix[T any] struct {
	Rows, Cols, Stride int
	Data               []T
}

// Holds reports whether m has the elements that its sizes ask for.
func Holds[T any](m Matrix[T]) bool {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols {
		return false
	}
	if m.Rows == 0 || m.Stride == 0 {
		return true
	}
	// Without the product (Rows−1)·Stride, which may overflow.
	return len(m.Data) >= m.Cols && (len(m.Data)-m.Cols)/m.Stride >= m.Rows-1
}

// Overlap reports whether a and b, which hold their elements, have one in common. Two
// separate column ranges of one matrix have none, though their rows alternate in memory.
func Overlap[T any](a, b Matrix[T]) bool {
	if a.Rows == 0 || b.Rows == 0 || a.Cols == 0 || b.Cols == 0 {
		return false
	}
	size := unsafe.Sizeof(a.Data[0])
	first := func(m Matrix[T]) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.Data))) }
	end := func(m Matrix[T]) uintptr { return first(m) + uintptr((m.Rows-1)*m.Stride+m.Cols)*size }
	if end(a) <= first(b) || end(b) <= first(a) {
		return false
	}
	if a.Stride != b.Stride {
		return true
	}
	if first(a) > first(b) {
		a, b = b, a
	}
	// The columns that the two occupy of a row of their stride.
	column := int((first(b)-first(a))/size) % a.Stride
	return column < a.Cols || column+b.Cols > a.Stride
}

package rff

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Conversions between the matrices of gonum and those of package blas.

// checkMatrix returns a *ParameterError if x is nil or holds a nil pointer.
func checkMatrix(name string, x mat.Matrix) error { return given(name, dense.Missing(x)) }

func checkView[T blas.Float](name string, m blas.General[T]) error {
	if !blas.Holds(m) {
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

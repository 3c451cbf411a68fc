package rff

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Transform writes the features of the rows of x, n×d, to dst, n×s. An empty
// dst gets the size it needs. A matrix with a raw view is read in place; any other is
// copied in blocks of rows.
//
// Errors: *ParameterError for nil and for a dst that shares memory with x,
// *ShapeError, *ValueError. An error leaves dst as it was.
func (m *Map) Transform(dst *mat.Dense, x mat.Matrix) error {
	in, out := m.Dims()
	if err := given("dst", dst == nil); err != nil {
		return err
	}
	if err := checkMatrix("x", x); err != nil {
		return err
	}
	n, d := x.Dims()
	if d != in {
		return &ShapeError{Name: "x", Rows: n, Cols: d, WantRows: -1, WantCols: in}
	}
	if !dst.IsEmpty() {
		if r, c := dst.Dims(); r != n || c != out {
			return &ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: out}
		}
		if src, ok := rawOf(x); ok {
			if err := apart(general(dst.RawMatrix()), src); err != nil {
				return err
			}
		}
	}
	view, raw := rowsOf(x)
	if err := checkRowsOf(m, x); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	z := general(dst.RawMatrix())
	f := m.features64()
	if raw {
		f.Transform(m.engine, z, view)
		return nil
	}
	return inBlocks(x, func(rows blas.General[float64], first int) error {
		f.Transform(m.engine, z.RowRange(first, first+rows.Rows), rows)
		return nil
	})
}

// Transform32 is Transform in float32. An empty dst (no rows, no columns, no data) is
// sized.
func (m *Map) Transform32(dst *blas32.General, x blas32.General) error {
	in, out := m.Dims()
	if err := given("dst", dst == nil); err != nil {
		return err
	}
	if x.Cols != in {
		return &ShapeError{Name: "x", Rows: x.Rows, Cols: x.Cols, WantRows: -1, WantCols: in}
	}
	src := general32(x)
	if err := checkView("x", src); err != nil {
		return err
	}
	empty := dst.Rows == 0 && dst.Cols == 0 && len(dst.Data) == 0
	if !empty {
		if dst.Rows != x.Rows || dst.Cols != out {
			return &ShapeError{Name: "dst", Rows: dst.Rows, Cols: dst.Cols, WantRows: x.Rows, WantCols: out}
		}
		if err := checkView("dst", general32(*dst)); err != nil {
			return err
		}
		if err := apart(general32(*dst), src); err != nil {
			return err
		}
	}
	if err := checkRows(m, src); err != nil {
		return err
	}
	if empty {
		*dst = blas32.General{Rows: x.Rows, Cols: out, Stride: out, Data: make([]float32, x.Rows*out)}
	}
	if x.Rows > 0 {
		m.features32().Transform(m.engine, general32(*dst), src)
	}
	return nil
}

// TransformVec writes the features of one row x, of length d, to dst, of length
// s, with the bits that Transform gives the same row.
//
// Errors: *ParameterError for nil and for a dst that shares memory with x,
// *ShapeError, *ValueError. An error leaves dst as it was.
func (m *Map) TransformVec(dst, x []float64) error {
	in, out := m.Dims()
	if len(x) != in {
		return &ShapeError{Name: "x", Rows: 1, Cols: len(x), WantRows: -1, WantCols: in}
	}
	if len(dst) != out {
		return &ShapeError{Name: "dst", Rows: 1, Cols: len(dst), WantRows: 1, WantCols: out}
	}
	z := blas.General[float64]{Rows: 1, Cols: out, Stride: out, Data: dst}
	row := blas.General[float64]{Rows: 1, Cols: in, Stride: in, Data: x}
	if err := apart(z, row); err != nil {
		return err
	}
	if err := checkRows(m, row); err != nil {
		return err
	}
	m.features64().TransformRow(m.engine, dst, x)
	return nil
}

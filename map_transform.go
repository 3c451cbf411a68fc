package rff

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Transform writes the features of the rows of x, n×d, to dst, n×s. An empty
// dst is sized. A matrix with a raw view is read in place; any other is copied
// in blocks of rows.
//
// Errors: *ShapeError, *NotFiniteError, *AliasError; dst is then untouched.
func (m *Map) Transform(dst *mat.Dense, x mat.Matrix) error {
	n, d := x.Dims()
	in, out := m.Dims()
	if d != in {
		return &ShapeError{Name: "x", Rows: n, Cols: d, WantRows: -1, WantCols: in}
	}
	if !dst.IsEmpty() {
		if r, c := dst.Dims(); r != n || c != out {
			return &ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: out}
		}
		if src, ok := rawOf(x); ok && overlap(general(dst.RawMatrix()), src) {
			return &AliasError{"dst", "x"}
		}
	}
	view, raw := rowsOf(x)
	if err := checkFiniteMatrix(x); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	z := general(dst.RawMatrix())
	f := m.Features64()
	if raw {
		f.Transform(m.engine, z, view)
		return nil
	}
	block := blas.NewGeneral[float64](min(n, copyBlock), d)
	for i := 0; i < n; i += copyBlock {
		rows := block.RowRange(0, min(copyBlock, n-i))
		copyRows(rows, x, i)
		f.Transform(m.engine, z.RowRange(i, i+rows.Rows), rows)
	}
	return nil
}

// Transform32 is Transform in float32 throughout. An empty dst (no rows, no
// columns, no data) is sized.
func (m *Map) Transform32(dst *blas32.General, x blas32.General) error {
	in, out := m.Dims()
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
		if overlap(general32(*dst), src) {
			return &AliasError{"dst", "x"}
		}
	}
	if err := CheckFinite(src, 0); err != nil {
		return err
	}
	if empty {
		*dst = blas32.General{Rows: x.Rows, Cols: out, Stride: out, Data: make([]float32, x.Rows*out)}
	}
	if x.Rows > 0 {
		m.Features32().Transform(m.engine, general32(*dst), src)
	}
	return nil
}

// TransformVec writes the features of one row x, of length d, to dst, of length
// s, with the bits that Transform gives the same row.
//
// Errors: *ShapeError, *NotFiniteError, *AliasError; dst is then untouched.
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
	if overlap(z, row) {
		return &AliasError{"dst", "x"}
	}
	if err := CheckFinite(row, 0); err != nil {
		return err
	}
	m.Features64().TransformRow(m.engine, dst, x)
	return nil
}

// CheckFinite returns a *NotFiniteError for the first NaN or infinity of x,
// whose rows are rows first, first+1, … of the data, or nil.
func CheckFinite[T blas.Float](x blas.General[T], first int64) error {
	for i := range x.Rows {
		row := x.Row(i)
		// v−v is 0 for finite v and NaN otherwise, and NaN survives the sum.
		var s0, s1, s2, s3 T
		j := 0
		for ; j+4 <= len(row); j += 4 {
			a, b, c, d := row[j], row[j+1], row[j+2], row[j+3]
			s0 += a - a
			s1 += b - b
			s2 += c - c
			s3 += d - d
		}
		for ; j < len(row); j++ {
			s0 += row[j] - row[j]
		}
		if s := s0 + s1 + s2 + s3; s == s {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return &NotFiniteError{Row: first + int64(i), Col: int64(j), Value: float64(v)}
			}
		}
	}
	return nil
}

// checkFiniteMatrix is CheckFinite for any matrix.
func checkFiniteMatrix(x mat.Matrix) error {
	if view, ok := rowsOf(x); ok {
		return CheckFinite(view, 0)
	}
	n, d := x.Dims()
	block := blas.NewGeneral[float64](min(n, copyBlock), d)
	for i := 0; i < n; i += copyBlock {
		rows := block.RowRange(0, min(copyBlock, n-i))
		copyRows(rows, x, i)
		if err := CheckFinite(rows, int64(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkView[T blas.Float](name string, m blas.General[T]) error {
	if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols || (m.Rows > 0 && len(m.Data) < (m.Rows-1)*m.Stride+m.Cols) {
		return &ParameterError{name, len(m.Data), "has too few elements for its rows, columns and stride"}
	}
	return nil
}

// copyBlock is the number of rows copied at a time from matrices without a raw
// view: four row blocks, so that two workers have their share.
const copyBlock = 4 * blas.RowBlock

// general returns a raw matrix as the engine reads it.
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

// rawOf is rowsOf, or the matrix that x is the transpose of.
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

// overlap reports whether two matrices have an element in common. Two column
// ranges of one matrix, interleaved in memory, have none.
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

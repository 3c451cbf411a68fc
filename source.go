package rff

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// FromMatrix returns the rows of x, n×d, with the targets y, n×t, as a Source;
// y may be nil for none. Matrices with a raw view are read in place and must
// not change while the Source is in use; others are copied in blocks of rows.
// Errors: *ParameterError, *ShapeError.
func FromMatrix(x, y mat.Matrix) (Source, error) {
	if err := checkMatrix("x", x); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	s := &matrixSource{x: x, n: n, schema: Schema{Inputs: make([]Column, d), Rows: int64(n)}}
	if y != nil {
		if err := checkMatrix("y", y); err != nil {
			return nil, err
		}
		r, t := y.Dims()
		if r != n {
			return nil, &ShapeError{Name: "y", Rows: r, Cols: t, WantRows: n, WantCols: t}
		}
		s.y, s.schema.Target.Columns = y, t
	}
	return s, nil
}

type matrixSource struct {
	x, y   mat.Matrix
	n      int
	schema Schema
}

func (s *matrixSource) Schema() Schema { return s.schema }

func (s *matrixSource) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		x, y := newRowReader(s.x), newRowReader(s.y)
		for i := 0; i < s.n; i += copyBlock {
			if err := ctx.Err(); err != nil {
				yield(Batch{}, err)
				return
			}
			to := min(i+copyBlock, s.n)
			b := Batch{First: int64(i), X: x.rows(i, to), Y: y.rows(i, to)}
			if b.Y.Data == nil {
				b.Y = blas.General[float64]{Rows: to - i}
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// rowReader returns ranges of rows of a matrix: in place, or copied to a buffer.
type rowReader struct {
	m    mat.Matrix
	view blas.General[float64]
	raw  bool
	buf  blas.General[float64]
}

func newRowReader(m mat.Matrix) *rowReader {
	r := &rowReader{m: m}
	if m != nil {
		r.view, r.raw = rowsOf(m)
	}
	return r
}

func (r *rowReader) rows(from, to int) blas.General[float64] {
	if r.m == nil {
		return blas.General[float64]{}
	}
	if r.raw {
		return r.view.RowRange(from, to)
	}
	if r.buf.Data == nil {
		_, c := r.m.Dims()
		r.buf = blas.NewGeneral[float64](to-from, c)
	}
	rows := r.buf.RowRange(0, to-from)
	copyRows(rows, r.m, from)
	return rows
}

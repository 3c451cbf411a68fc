package rff

import (
	"context"
	"fmt"
	"iter"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/limit"
)

// Row is one row of data: inputs and targets. Its slices may be reused for the next
// row.
type Row struct {
	X []float64 // one value per input
	Y []float64 // one value per target; nil for none
}

// FromRows returns rows that a program generates or reads itself as a Source of dim
// inputs and targets targets, 0 for none. rows yields them in order, each with a nil
// error. An error ends the stream, and the reader of the Source gets it. A Source may
// be read several times: each reading ranges over rows again, which must yield the
// same rows.
//
//	houses := func(yield func(rff.Row, error) bool) {
//		for _, h := range all {
//			if !yield(rff.Row{X: []float64{h.Area, h.Age}, Y: []float64{h.Price}}, nil) {
//				return
//			}
//		}
//	}
//	data, err := rff.FromRows(2, 1, houses)
//
// Errors: *ParameterError. In the stream: those of rows, and a *ShapeError that
// names the row whose length is not dim or targets.
func FromRows(dim, targets int, rows iter.Seq2[Row, error]) (Source, error) {
	switch {
	case dim < 1 || dim > limit.Dim:
		return nil, &ParameterError{Name: "dim", Value: dim, Need: fmt.Sprintf("must be from 1 to %d", limit.Dim)}
	case targets < 0 || targets > limit.Dim:
		return nil, &ParameterError{Name: "targets", Value: targets, Need: fmt.Sprintf("must be from 0 to %d", limit.Dim)}
	case rows == nil:
		return nil, &ParameterError{Name: "rows", Need: "must be given"}
	}
	return &rowSource{Schema{Inputs: make([]Column, dim), Target: Target{Columns: targets}}, rows}, nil
}

type rowSource struct {
	schema Schema
	rows   iter.Seq2[Row, error]
}

func (s *rowSource) Schema() Schema { return s.schema }

func (s *rowSource) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	// Wide rows come in small batches: a batch has at most 64 MiB, or one row.
	dim, targets := s.schema.Dims()
	size := max(1, min(copyBlock, 8<<20/(dim+targets)))
	return func(yield func(Batch, error) bool) {
		var x, y blas.General[float64] // allocated when the first row has the right width
		filled, first := 0, int64(0)
		full := func() Batch {
			return Batch{First: first, X: x.RowRange(0, filled), Y: y.RowRange(0, filled)}
		}
		for row, err := range s.rows {
			if filled == 0 && err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = s.check(row, first+int64(filled))
			}
			if err != nil {
				yield(Batch{}, err)
				return
			}
			if x.Data == nil {
				x, y = blas.NewGeneral[float64](size, dim), blas.NewGeneral[float64](size, targets)
			}
			copy(x.Row(filled), row.X)
			copy(y.Row(filled), row.Y)
			if filled++; filled == size {
				if !yield(full(), nil) {
					return
				}
				filled, first = 0, first+int64(size)
			}
		}
		if filled > 0 {
			yield(full(), nil)
		}
	}
}

func (s *rowSource) check(row Row, index int64) error {
	dim, targets := s.schema.Dims()
	for _, c := range []struct {
		name      string
		got, want int
	}{{"X", len(row.X), dim}, {"Y", len(row.Y), targets}} {
		if c.got != c.want {
			return &ShapeError{Name: fmt.Sprintf("%s of row %d", c.name, index+1), Rows: 1, Cols: c.got, WantRows: -1, WantCols: c.want}
		}
	}
	return nil
}

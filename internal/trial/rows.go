// Package trial measures features on held-out rows: one sample of rows, one way to split
// them, a ridge regression at every λ, the loss of every held-out row, and one rule for
// "better". The learners of package sampling and the search of krr.Auto stand on it.
package trial

import (
	"context"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/stream"
)

// Rows is a rff.Source of rows in memory.
type Rows struct {
	X, Y   blas.General[float64]
	Weight []float64 // nil: ones
	Copies []int64   // how many equal rows of the data each is; nil: one
	Group  []uint64  // nil: no two rows belong together
	Labels []string  // of the classes, or nil
	Index  []int64   // of each row in the data it comes from, or nil
	// Low and High are the range of each input over all the rows that these are drawn
	// from, or nil.
	Low, High []float64
	// Kept keeps scaled rows, for these, their heads and their splits, but not for rows that are
	// picked for a single fit. nil: none are kept.
	Kept *Kept
}

func (r *Rows) Schema() rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, r.X.Cols), Rows: int64(r.X.Rows), Target: rff.Target{Columns: r.Y.Cols, Classes: r.Labels}}
}

func (r *Rows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		if r.X.Rows > 0 {
			yield(rff.Batch{X: r.X, Y: r.Y, Weight: r.Weight, Group: r.Group}, ctx.Err())
		}
	}
}

// WeightOf returns the weight of row i.
func (r *Rows) WeightOf(i int) float64 { return stream.Weight(r.Weight, i) }

// CopiesOf returns how many rows of the data row i is.
func (r *Rows) CopiesOf(i int) int64 {
	if r.Copies == nil {
		return 1
	}
	return r.Copies[i]
}

// Head returns the first n rows, or all.
func (r *Rows) Head(n int) *Rows {
	h := *r
	n = min(n, r.X.Rows)
	h.X, h.Y = r.X.RowRange(0, n), r.Y.RowRange(0, n)
	h.Index, h.Weight, h.Copies, h.Group = optional.Range(r.Index, 0, n), optional.Range(r.Weight, 0, n), optional.Range(r.Copies, 0, n), optional.Range(r.Group, 0, n)
	return &h
}

// Pick returns a copy of the rows at these indices.
func (r *Rows) Pick(at []int) *Rows {
	return &Rows{X: dense.Pick(r.X, at), Y: dense.Pick(r.Y, at), Labels: r.Labels, Low: r.Low, High: r.High,
		Index: optional.At(r.Index, at), Weight: optional.At(r.Weight, at), Copies: optional.At(r.Copies, at), Group: optional.At(r.Group, at)}
}

// Scaled returns the rows with scaled inputs, which are computed at every reading unless they are kept.
func (r *Rows) Scaled(s rff.Scaling) rff.Source { return &scaledRows{Rows: r, by: s} }

type scaledRows struct {
	*Rows
	by rff.Scaling
}

func (s *scaledRows) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return inside.Batches(ctx, s.Rows, func(b *rff.Batch) error {
		b.X = s.Rows.scaled(s.by)
		return nil
	})
}

// scaleTo writes the rows of x, scaled by s, to dst.
func scaleTo(dst, x blas.General[float64], s rff.Scaling) {
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, dst, x)
}

// HasFlags reports whether an input has no more than two values.
func (r *Rows) HasFlags() bool {
	for j := range r.X.Cols {
		var seen [2]float64
		count := 0
		for i := 0; i < r.X.Rows && count <= len(seen); i++ {
			v := r.X.Row(i)[j]
			if count > 0 && v == seen[0] || count > 1 && v == seen[1] {
				continue
			}
			if count < len(seen) {
				seen[count] = v
			}
			count++
		}
		if count <= len(seen) {
			return true
		}
	}
	return false
}

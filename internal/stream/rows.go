// Package stream brings the rows of a source to the sums of a fit: it reads ahead,
// scales rows into the accumulators of the engine, and tells streams apart by a
// digest.
//
// A row is copied twice: to the chunk it is read into, since a source reuses the
// memory of its batches, and, scaled and in the element type of the features, to
// the row block that waits in blas.Accumulator.
package stream

import (
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/scaling"
)

// Weight returns the weight of row i; nil stands for ones.
func Weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Present yields the rows of positive weight, with their weights, of n rows with weights w.
func Present(w []float64, n int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i := range n {
			if v := Weight(w, i); v > 0 && !yield(i, v) {
				return
			}
		}
	}
}

// Part returns rows from … to−1 of b, which it shares with b.
func Part(b rff.Batch, from, to int) rff.Batch {
	return rff.Batch{First: b.First + int64(from), X: b.X.RowRange(from, to), Y: b.Y.RowRange(from, to),
		Weight: optional.Range(b.Weight, from, to), Group: optional.Range(b.Group, from, to)}
}

// Count returns the number of rows of a source that knows it, or −1.
func Count(s rff.Source) int64 {
	if n := s.Schema().Rows; n > 0 {
		return n
	}
	return -1
}

// Convert copies src to dst, of the same length, in dst's element type.
func Convert[D, S blas.Float](dst []D, src []S) {
	for i, v := range src {
		dst[i] = D(v)
	}
}

// Scale writes the scaled row x to dst in dst's element type, rounded once.
func Scale[T blas.Float](s rff.Scaling, dst []T, x []float64) {
	scaling.Bent(s.From, s.To, s.Shift, s.Scale, dst, x)
}

// ScaleRows is Scale for the rows of x.
func ScaleRows[D, S blas.Float](s rff.Scaling, dst blas.General[D], x blas.General[S]) {
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, dst, x)
}

// Less writes y − r to dst in dst's element type. It rounds the difference once in float64 and
// once to that type.
func Less[T blas.Float](dst []T, y, r []float64) {
	for t, v := range y {
		dst[t] = T(v - r[t])
	}
}

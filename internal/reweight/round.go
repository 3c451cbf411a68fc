package reweight

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/stream"
)

// Round is the second pass over the rows, under a rule.
type Round struct {
	Rule Rule
	// Score writes the scores of the rows x by the first solution to dst. first is the index of
	// the first of these rows in the data. Weigh and More need Score; Row is given scores.
	Score func(dst, x blas.General[float64], first int64) error
	// Rows is the number of rows of positive weight whose factor was not 1.
	Rows int64
	// Most has at most 20 of these rows: those with the largest factors, and of equal ones
	// those that were fitted worst, in this order.
	Most []hook.Reweight

	scores, factor, w, x []float64
}

// Row returns the factor of the weight of a row.
func (r *Round) Row(score, y []float64, weight float64) float64 {
	factor := r.Rule.Row(score, y)
	if factor != 1 && weight > 0 {
		r.Rows++
	}
	return factor
}

// Weigh gives the rows of b their weights. The rows must have been checked. r is nil in the
// first round. The next call overwrites the weights.
func (r *Round) Weigh(b *rff.Batch) error {
	if r == nil {
		return nil
	}
	if err := r.batch(*b); err != nil {
		return err
	}
	r.w = r.w[:0]
	for i, factor := range r.factor {
		r.w = append(r.w, factor*stream.Weight(b.Weight, i))
	}
	b.Weight = r.w
	return nil
}

// Source returns the rows of data with their weights in the round, or data itself in the first
// round, where r is nil. check returns an error for rows that cannot be used.
func (r *Round) Source(data rff.Source, check func(b rff.Batch, in, targets int) error) rff.Source {
	if r == nil {
		return data
	}
	return &weighed{data, r, check}
}

type weighed struct {
	rff.Source
	round *Round
	check func(b rff.Batch, in, targets int) error
}

func (s *weighed) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	r := s.round
	in, targets := s.Schema().Dims()
	r.Rows, r.Most = 0, nil // a reading counts all rows
	return inside.Batches(ctx, s.Source, func(b *rff.Batch) error {
		if err := s.check(*b, in, targets); err != nil {
			return err
		}
		return r.Weigh(b)
	})
}

// More returns the rows of b whose factor is above 1, each with its additional weight, and
// their numbers in b. The rows must have been checked. Sums that have every row once become the
// sums with the weights of Weigh when these rows are added. The next call overwrites them.
func (r *Round) More(b rff.Batch) (rff.Batch, []int, error) {
	if err := r.batch(b); err != nil {
		return b, nil, err
	}
	var at []int
	r.x, r.w = r.x[:0], r.w[:0]
	targets := b.Y
	y := make([]float64, 0, targets.Cols)
	for i, factor := range r.factor {
		if w := stream.Weight(b.Weight, i); factor > 1 && w > 0 {
			at = append(at, i)
			r.x, y, r.w = append(r.x, b.X.Row(i)...), append(y, targets.Row(i)...), append(r.w, (factor-1)*w)
		}
	}
	b.X = blas.General[float64]{Rows: len(at), Cols: b.X.Cols, Stride: b.X.Cols, Data: r.x}
	b.Y = blas.General[float64]{Rows: len(at), Cols: targets.Cols, Stride: targets.Cols, Data: y}
	b.Weight, b.Group = r.w, nil
	return b, at, nil
}

// scored is about the number of scores that are made at a time.
const scored = 1 << 18

// batch sets the factors of the rows of b.
func (r *Round) batch(b rff.Batch) error {
	n, t := b.X.Rows, b.Y.Cols
	r.factor = r.factor[:0]
	block := max(1024, scored/t)
	for i := 0; i < n; i += block {
		j := min(i+block, n)
		scores := dense.Fitting(&r.scores, j-i, t)
		if err := r.Score(scores, b.X.RowRange(i, j), b.First+int64(i)); err != nil {
			return err
		}
		for k := i; k < j; k++ {
			w := stream.Weight(b.Weight, k)
			factor := r.Row(scores.Row(k-i), b.Y.Row(k), w)
			if r.factor = append(r.factor, factor); factor != 1 && w > 0 {
				r.note(hook.Reweight{Row: b.First + int64(k), Factor: factor, Residual: distance(scores.Row(k-i), b.Y.Row(k))})
			}
		}
	}
	return nil
}

// note takes a row into Most, if it belongs there.
func (r *Round) note(row hook.Reweight) {
	at, _ := slices.BinarySearchFunc(r.Most, row, func(a, b hook.Reweight) int {
		return cmp.Or(cmp.Compare(b.Factor, a.Factor), cmp.Compare(b.Residual, a.Residual), cmp.Compare(a.Row, b.Row))
	})
	if at < mostNoted {
		r.Most = slices.Insert(r.Most, at, row)
		r.Most = r.Most[:min(len(r.Most), mostNoted)]
	}
}

// distance returns ‖a − b‖.
func distance(a, b []float64) float64 {
	var sum float64
	for t, v := range a {
		sum += float64((v - b[t]) * (v - b[t]))
	}
	return math.Sqrt(sum)
}

// mostNoted bounds Round.Most.
const mostNoted = 20

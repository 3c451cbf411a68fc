package reweight

import (
	"context"
	"iter"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Round is one pass over the rows under a rule.
type Round struct {
	Rule Rule
	Last bool // whatever the scores are, no round comes after this one
	// Score writes the scores of the solution before to dst, of rows that start at that
	// row of the data, and Before those of the one before that; nil if there is none.
	// Weigh and More need them, and Row is given scores.
	Score, Before func(dst, x blas.General[float64], first int64) error
	// Rows is the number of rows of positive weight whose factor was not 1.
	Rows int64

	compared          bool
	change, residuals float64 // Σw|f − f′|² and Σw|y − f|²

	scores, earlier, factor, w, x, y []float64
}

// Row returns the factor of the weight of a row, whose scores are given of the solution
// before and of the one before that, or nil. It may write other targets to working, which
// holds y.
func (r *Round) Row(score, before, y, working []float64, weight float64) float64 {
	factor := r.Rule.Row(score, y, working)
	if factor != 1 && weight > 0 {
		r.Rows++
	}
	for t, v := range before {
		d, e := score[t]-v, y[t]-score[t]
		r.change += float64(weight * d * d)
		r.residuals += float64(weight * e * e)
	}
	r.compared = r.compared || before != nil
	return factor
}

// Change returns by how much the scores of the rows have changed from one solution to the
// next, as a share of the residuals; +Inf if there was only one.
func (r *Round) Change() float64 {
	switch {
	case r == nil || !r.compared:
		return math.Inf(1)
	case r.change == 0:
		return 0
	}
	return math.Sqrt(r.change / r.residuals)
}

// Weigh gives the rows of b, all of them checked, their weights and targets. r may be
// nil: the first round. The next call overwrites them.
func (r *Round) Weigh(b *rff.Batch) error {
	if r == nil {
		return nil
	}
	if err := r.batch(b); err != nil {
		return err
	}
	r.w = r.w[:0]
	for i, factor := range r.factor {
		r.w = append(r.w, factor*weight(b, i))
	}
	b.Weight = r.w
	return nil
}

// Source returns rows with their weights and targets of the round, data itself for the
// first: r is nil. check says which cannot be used.
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
	r.Rows, r.change, r.residuals = 0, 0, 0 // a reading counts all rows
	return func(yield func(rff.Batch, error) bool) {
		for b, err := range s.Source.Batches(ctx) {
			if err == nil {
				err = s.check(b, in, targets)
			}
			if err == nil {
				err = r.Weigh(&b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// More returns the rows of b, all of them checked, whose factor is above 1, each with the
// weight by which it counts more, and their numbers in b. Added to sums that have every
// row once they make those of Weigh, for a rule that raises weights. The next call
// overwrites them.
func (r *Round) More(b rff.Batch) (rff.Batch, []int, error) {
	if err := r.batch(&b); err != nil {
		return b, nil, err
	}
	var at []int
	r.x, r.w = r.x[:0], r.w[:0]
	targets := b.Y
	y := make([]float64, 0, targets.Cols)
	for i, factor := range r.factor {
		if w := weight(&b, i); factor > 1 && w > 0 {
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

// batch sets the factors of the rows of b and replaces its targets.
func (r *Round) batch(b *rff.Batch) error {
	n, t := b.X.Rows, b.Y.Cols
	working := dense.Fitting(&r.y, n, t)
	r.factor = r.factor[:0]
	block := max(1024, scored/t)
	for i := 0; i < n; i += block {
		j := min(i+block, n)
		x, first := b.X.RowRange(i, j), b.First+int64(i)
		scores := dense.Fitting(&r.scores, j-i, t)
		if err := r.Score(scores, x, first); err != nil {
			return err
		}
		earlier := blas.General[float64]{}
		if r.Before != nil {
			earlier = dense.Fitting(&r.earlier, j-i, t)
			if err := r.Before(earlier, x, first); err != nil {
				return err
			}
		}
		for k := i; k < j; k++ {
			copy(working.Row(k), b.Y.Row(k))
			var before []float64
			if r.Before != nil {
				before = earlier.Row(k - i)
			}
			r.factor = append(r.factor, r.Row(scores.Row(k-i), before, b.Y.Row(k), working.Row(k), weight(b, k)))
		}
	}
	b.Y = working
	return nil
}

// weight returns the weight of row i of b; no weights stand for ones.
func weight(b *rff.Batch, i int) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

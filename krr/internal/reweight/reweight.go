// Package reweight solves least squares again with other weights and targets of the rows,
// which a Rule makes of the scores of the solution before.
package reweight

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Rule says how much a row counts and what it asks for. A rule of its own is a file of
// this package.
type Rule interface {
	// Row returns the factor of the weight of a row with targets y that has those scores,
	// and may write other targets to working, which holds y.
	Row(score, y, working []float64) (factor float64)
	// Done reports whether the solution after that many rounds is the last. The first has
	// the weights and targets of the data.
	Done(rounds int) bool
}

// Round is one pass over the rows under a rule.
type Round struct {
	Rule Rule
	// Score writes the scores of the solution before to dst, of rows that start at that
	// row of the data.
	Score func(dst, x blas.General[float64], first int64) error
	// Rows is the number of rows of positive weight whose factor was not 1.
	Rows int64

	scores, factor, w, x, y []float64
}

// Weigh gives the rows of b, all of them checked, their weights and targets. r may be
// nil: the first round. The next call overwrites them.
func (r *Round) Weigh(b *rff.Batch) error {
	if r == nil {
		return nil
	}
	if err := r.rule(b); err != nil {
		return err
	}
	r.w = r.w[:0]
	for i, factor := range r.factor {
		r.w = append(r.w, factor*weight(b, i))
	}
	b.Weight = r.w
	return nil
}

// More returns the rows of b, all of them checked, whose factor is above 1, each with the
// weight by which it counts more, and their numbers in b. Added to sums that have every
// row once they make those of Weigh, for a rule that lowers no weight and keeps the
// targets. The next call overwrites them.
func (r *Round) More(b rff.Batch) (rff.Batch, []int, error) {
	if err := r.rule(&b); err != nil {
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

// rule sets the factors of the rows of b and replaces its targets.
func (r *Round) rule(b *rff.Batch) error {
	n, t := b.X.Rows, b.Y.Cols
	working := dense.Fitting(&r.y, n, t)
	r.factor = r.factor[:0]
	block := max(1024, scored/t)
	for i := 0; i < n; i += block {
		j := min(i+block, n)
		scores := dense.Fitting(&r.scores, j-i, t)
		if err := r.Score(scores, b.X.RowRange(i, j), b.First+int64(i)); err != nil {
			return err
		}
		for k := i; k < j; k++ {
			copy(working.Row(k), b.Y.Row(k))
			factor := r.Rule.Row(scores.Row(k-i), b.Y.Row(k), working.Row(k))
			if factor != 1 && weight(b, k) > 0 {
				r.Rows++
			}
			r.factor = append(r.factor, factor)
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

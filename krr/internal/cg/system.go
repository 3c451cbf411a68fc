// Package cg solves ridge regression by preconditioned conjugate gradients, for
// features whose s×s products are beyond the memory, and fits other losses by a descent
// with the same preconditioner.
package cg

import (
	"context"
	"errors"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
)

// Errors of the data.
var (
	ErrNoRows    = errors.New("cg: no rows of positive weight outside the fold that is left out")
	ErrNoHeldOut = errors.New("cg: no rows in the fold that is left out")
	ErrState     = errors.New("cg: the state is not that of this system")
)

// System is (A + Σw·λ·I)β = R. A is never formed: Aβ = Zᵀ(Zβ), and both products make
// their features as they go. The preconditioner is the same system on a sample of the
// rows, as in Rudi, Carratino and Rosasco, "FALKON" (NIPS 2017). It is factored as it
// stands, or by way of its rows where s×s numbers are beyond the budget.
//
// Whether rows are kept in memory changes no bit of the result. The preconditioner
// does, and it depends on the budget.
type System[T blas.Float] struct {
	features *blas.Features[T]
	engine   blas.Engine
	targets  int
	seed     uint64
	plan     Plan
	rows     *Rows[T]
	held     int // fold left out of training; −1 for none

	// From, if it is not nil, is the state from which the next solution of squares goes on.
	// Watch, if it is not nil, is called with the state after every iteration of such a
	// solution.
	From  *State
	Watch func(*State) error

	n    int64   // training rows; w, z, y, r and yy are theirs
	w    float64 // Σw
	z, y []float64
	r    blas.General[float64]
	yy   []float64

	// loss is nil for squares. With another loss, a solution has one row more than there are
	// features, for the scores at the mean of the rows. These start at constant, whose mean
	// loss is null.
	loss           loss.Loss
	constant, null []float64

	precond preconditioner
	mu      float64  // Σw·λ
	kept    *kept[T] // the training rows, if their features stay in memory, or nil

	// change turns features into z, and the system is that of z. Passes work on features;
	// change multiplies vectors once each, and of the rows only those of samples.
	change *basis.Change

	acc *blas.Accumulator[T]
	// scratch is the memory of the pass at work.
	scratch struct {
		u, w, coef, x, z []T
		row, changed     []float64
	}
	vectors [4][]float64 // of the iteration
	// The scores, losses and derivatives of the row at work.
	score, value, slope []float64

	first int        // the first of the columns of the rows' targets
	one   *System[T] // the system of one column
}

// State is how far Solve for squares has come, after an iteration. With it in From the next
// Solve, for the same λ and rows, goes on from there to the same bits.
type State struct {
	Coef, Residual, Direction blas.General[float64]
	// Numbers are the restarts, the iterations, the bound on what is left, the extremes of the
	// spectrum, and rᵀP⁻¹r and the Lanczos matrix of every target.
	Numbers []float64
}

// New returns the system of rows that have been read, with the features that change makes from
// those of f. l is nil for squares.
func New[T blas.Float](f *blas.Features[T], change *basis.Change, e blas.Engine, rows *Rows[T], plan Plan, l loss.Loss, seed uint64) *System[T] {
	_, targets := rows.Source.Schema().Dims()
	return &System[T]{features: f, change: change, engine: e, targets: targets, seed: seed, plan: plan, rows: rows, loss: l}
}

// predictor returns a function that writes the predictions by these coefficients of z and this intercept.
func (c *System[T]) predictor(coef blas.General[float64], buf *[]T, intercept []float64) func(u, x blas.General[T]) {
	coef = c.change.Base(c.engine, coef)
	low, shift := dense.Fitting(buf, coef.Rows, coef.Cols), make([]T, len(intercept))
	for j := range low.Rows {
		stream.Convert(low.Row(j), coef.Row(j))
	}
	stream.Convert(shift, intercept)
	return func(u, x blas.General[T]) { c.features.Predict(c.engine, u, x, low, shift) }
}

// Weight returns Σw of the training rows.
func (c *System[T]) Weight() float64 { return c.w }

// Variance returns the variance of a target in the training rows.
func (c *System[T]) Variance(target int) float64 { return c.yy[target] / c.w }

// Split returns the coefficients of a solution and its intercept, less the reference of the
// targets.
func (c *System[T]) Split(solution blas.General[float64]) (coef blas.General[float64], intercept []float64) {
	at := c.y
	if c.loss != nil {
		at = solution.Row(len(c.z))
	}
	coef = solution.RowRange(0, len(c.z))
	return coef, c.centre(slices.Clone(at), coef)
}

// centre takes z̄ᵀcoef off b, so that the intercept b is that of z and no longer of z − z̄.
func (c *System[T]) centre(b []float64, coef blas.General[float64]) []float64 {
	for j, z := range c.z {
		dense.AddTimes(b, -z, coef.Row(j))
	}
	return b
}

// training returns a wanted that takes the training rows.
func (c *System[T]) training() wanted[T] {
	if c.held < 0 {
		return nil
	}
	return func(p *part[T], i int) bool { return p.fold[i] != c.held }
}

// sums returns the sums of the training rows with u in the place of targets: Σw·z·uᵀ,
// Σw·z and so on. f writes u for the rows of a part. The next call overwrites the sums.
func (c *System[T]) sums(ctx context.Context, f func(p part[T], u blas.General[T])) (*blas.Sums, error) {
	if c.acc == nil {
		c.acc = blas.NewAccumulator(c.features, c.targets, false)
	}
	s := &c.acc.Sums
	s.Rows, s.W = 0, 0
	for _, v := range [][]float64{s.ZY.Data, s.Z, s.Y, s.YY} {
		clear(v)
	}
	err := c.rows.each(ctx, c.training(), func(p part[T]) {
		u := dense.Fitting[T](&c.scratch.u, p.x.Rows, c.targets)
		f(p, u)
		var weight []T
		if p.w != nil {
			weight = dense.Fitting[T](&c.scratch.w, 1, len(p.w)).Data
			stream.Convert(weight, p.w)
		}
		c.acc.Add(c.engine, p.x, u, weight)
	})
	c.acc.Flush(c.engine)
	z := *s
	z.ZY = c.change.Transposed(c.engine, s.ZY)
	z.Z = c.change.Transposed(c.engine, blas.General[float64]{Rows: len(s.Z), Cols: 1, Stride: 1, Data: s.Z}).Data
	return &z, err
}

// multiply writes (A + Σw·λ·I)p to dst.
func (c *System[T]) multiply(ctx context.Context, dst, p blas.General[float64]) error {
	t := p.Cols
	predict := c.predictor(p, &c.scratch.coef, c.centre(make([]float64, t), p))
	s, err := c.sums(ctx, func(q part[T], u blas.General[T]) { predict(u, q.x) })
	if err != nil {
		return err
	}
	for j := range dst.Rows {
		for k := range t {
			dst.Row(j)[k] = s.ZY.Row(j)[k] - float64(c.z[j]*s.Y[k]) + float64(c.mu*p.Row(j)[k])
		}
	}
	return nil
}

// HeldOut returns the mean loss per target on the rows of the fold held. Errors:
// ErrNoHeldOut; those of the source.
func (c *System[T]) HeldOut(ctx context.Context, solution blas.General[float64]) ([]float64, error) {
	t := solution.Cols
	coef, intercept := c.Split(solution)
	predict := c.predictor(coef, new([]T), intercept)
	out := make([]float64, t)
	var sum float64
	in := func(p *part[T], i int) bool { return p.fold[i] == c.held }
	err := c.rows.each(ctx, in, func(p part[T]) {
		u := dense.Fitting[T](&c.scratch.u, p.x.Rows, t)
		predict(u, p.x)
		for i := range u.Rows {
			w := stream.Weight(p.w, i)
			sum += w
			if c.loss != nil {
				c.row(u.Row(i), p.y.Row(i))
				dense.AddTimes(out, w, c.value)
				continue
			}
			for k, v := range u.Row(i) {
				d := p.y.Row(i)[k] - float64(v)
				out[k] += float64(w * d * d)
			}
		}
	})
	if err == nil && sum == 0 {
		return nil, ErrNoHeldOut
	}
	for k := range out {
		out[k] /= sum
	}
	return out, err
}

// row writes the losses of a row with scores u to c.value, and replaces u by the
// derivatives.
func (c *System[T]) row(u []T, y []float64) {
	stream.Convert(c.score, u)
	c.loss.Row(c.score, y, c.value, c.slope)
	stream.Convert(u, c.slope)
}

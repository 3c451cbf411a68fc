package cg

import (
	"context"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
)

// constantRows is about the number of rows that the best constant is found with.
const constantRows = 4096

// start makes room for the features that a descent keeps, and finds the best constant on some
// of the training rows.
func (c *System[T]) start(ctx context.Context) error {
	c.keep()
	c.score, c.value, c.slope = make([]float64, c.targets), make([]float64, c.targets), make([]float64, c.targets)
	some := blas.General[float64]{Cols: c.targets, Stride: c.targets}
	var weight []float64
	every, seen := max(1, c.n/constantRows), int64(0)
	err := c.rows.each(ctx, c.training(), func(p part[T]) {
		for i := range p.x.Rows {
			if seen++; (seen-1)%every == 0 {
				some.Data = append(some.Data, p.y.Row(i)...)
				weight = append(weight, stream.Weight(p.w, i))
			}
		}
	})
	some.Rows = len(weight)
	if err == nil {
		c.constant, c.null = loss.Constant(c.loss, some, weight)
	}
	return err
}

// descend is Solve for a loss, which passes over the rows minimise:
// F(β, b) = (1/Σw)Σwᵢℓ(yᵢ, fᵢ) + λ‖β‖² with scores f = b + (z − z̄)ᵀβ. A solution has a row per
// feature and one for b. Half the slope along the direction estimates how much F is yet to
// fall, since the preconditioner comes from the second derivatives at the point and F is nearly
// a quadratic. The tolerance bounds the root of this estimate over the mean loss of the best
// constant. Where the loss is squares, this is the bound of Solve.
//
// Errors: *ConvergenceError, *ridge.SingularError; those of the source and of ctx.
func (c *System[T]) descend(ctx context.Context, lambda, tolerance float64, at blas.General[float64], iterated func(n int, since time.Time)) (Solved, error) {
	begun := time.Now()
	first := 0
	if zero(at) {
		copy(at.Row(at.Rows-1), c.constant)
		if l := c.loss.Traits(); l.Probabilities || l.Counts { // the second derivatives of other losses jump
			var err error
			if first, err = c.approach(ctx, lambda, at); err != nil {
				return Solved{}, err
			}
		}
	}
	d, _ := c.newDescent(ctx, lambda, at, tolerance)
	d.info.Iterations = first
	return d.solve(ctx, lambda, tolerance, maxPasses, func(n int) { iterated(n, begun) })
}

// newDescent returns a descent on F from a point, and its preconditioner.
func (c *System[T]) newDescent(ctx context.Context, lambda float64, at blas.General[float64], tolerance float64) (*descent, *curvature[T]) {
	q, l := c.newCurvature(lambda), c.loss.Traits()
	d := newDescent(at, l.Joint, c.plan.pairs)
	d.f = func(ctx context.Context, at blas.General[float64], value []float64, gradient blas.General[float64]) error {
		var err error
		d.excess, err = c.evaluate(ctx, q, at, value, gradient)
		return err
	}
	d.precondition = q.precondition
	if copy(d.scale, c.null); !l.Differences { // losses that reach 0 at infinite scores have a scale of their own
		for k, v := range d.scale {
			d.scale[k] = max(v, 0x1p-40*q.unit)
		}
	}
	d.join(d.scale)
	if d.rounding = 0x1p-44; single[T]() {
		d.rounding = 0x1p-22
	}
	if c.kept != nil {
		c.kept.begin(d.scale, tolerance)
		d.precondition, d.straight = func(v blas.General[float64]) { d.failed = c.kept.step(ctx, v, q) }, true
	}
	return d, q
}

// evaluate writes F at a point to value and its gradient, and makes the preconditioner there,
// in one pass over the rows. It returns how much further F may fall because of corners.
func (c *System[T]) evaluate(ctx context.Context, q *curvature[T], at blas.General[float64], value []float64, gradient blas.General[float64]) (excess float64, err error) {
	s := len(c.z)
	coef, intercept := c.Split(at)
	predict := c.predictor(coef, &c.scratch.coef, intercept)
	clear(value)
	corner, _ := c.loss.(loss.Pinball)
	sample := c.sample()
	if c.kept != nil {
		c.kept.clear()
	} else {
		q.begin()
	}
	sums, err := c.sums(ctx, func(p part[T], u blas.General[T]) {
		predict(u, p.x)
		for i := range u.Rows {
			y := p.y.Row(i)[c.first:][:c.targets]
			c.row(u.Row(i), y)
			w := stream.Weight(p.w, i)
			dense.AddTimes(value, w, c.value)
			if corner.Width > 0 {
				excess += float64(w*corner.Excess(c.score[0], y[0])) / c.w
			}
			if c.kept != nil {
				c.kept.add(p.row(i), y, w)
			} else if root := q.draw(p.row(i), q.weigh(w, c.loss.Bend(c.score, y))); root > 0 {
				sample.add(p.x.Row(i), root)
			}
		}
		c.fill(p.x)
	})
	sample.end()
	if err == nil && c.kept == nil {
		err = q.end()
	}
	if err != nil {
		return excess, err
	}
	for j := range s {
		x, to := at.Row(j), gradient.Row(j)
		for k, v := range sums.ZY.Row(j) {
			to[k] = (v-float64(c.z[j]*sums.Y[k]))/c.w + float64(2*q.lambda*x[k])
		}
	}
	for k, v := range sums.Y {
		gradient.Row(s)[k] = v / c.w
	}
	norm := make([]float64, len(value))
	columnDots(norm, coef, coef)
	for k := range value {
		value[k] = value[k]/c.w + float64(q.lambda*norm[k])
	}
	if c.loss.Traits().Joint {
		total(value)
	}
	if c.kept != nil && corner.Width > 0 {
		copy(c.kept.base, value)
	}
	return excess, nil
}

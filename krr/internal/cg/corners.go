package cg

import (
	"context"
	"math"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/loss"
)

const (
	// A corner is at first coldWidth times as wide as the distance between targets and the best
	// constant, or warmWidth times after a solution for another λ.
	coldWidth = 0.3
	warmWidth = 0.03
	// If the loss is 0 on all rows of the sample that gave the best constant, its scale is
	// leastNull times the standard deviation of the targets.
	leastNull = 0x1p-20
	// The width of a corner is multiplied by sharper whenever the descent may gain less than
	// early times what the width may add to F. Of sharper = .2 to .6 and early = .3 to 3 these
	// took about the least time with kept features (cpuact, 256 features, λ = 10⁻⁴ to 10⁻⁷).
	sharper = 0.5
	early   = 0.3
	// On kept features, whose second derivatives hold farther, these take their places. From
	// keptCold = .3, three times as many trials of the first steps went too far, and 30 took more
	// steps (cpuact, 600 rows, 1,024 features, λ = 10⁻⁵).
	keptCold    = 3
	keptSharper = 0.05
	keptEarly   = 1
	// cornerPasses is maxPasses for a level. Where as many rows are near the quantile as there
	// are features, steps are short: without kept features one of five divisions of cpuact
	// (λ = 10⁻⁶, 256 features) takes more than 300.
	cornerPasses = 1000
)

// corners is descend for quantiles: it minimises smooth losses that approach theirs. Only rows
// near a quantile have second derivatives, and these are other rows for every level, so each
// level has a descent of its own, with a preconditioner from its own rows. If these are few,
// the sample has all of them, and the descent is Newton's method. The tolerance is relative to
// F. With kept features, a step of the descent sharpens the corner as far as the tolerance asks,
// by Newton's method on rows and slopes (loss.Turn), so that a few passes over the rows remain.
func (c *System[T]) corners(ctx context.Context, lambda, tolerance float64, at blas.General[float64], iterated func(n int, since time.Time)) (all Solved, err error) {
	begun, width := time.Now(), warmWidth
	if zero(at) {
		if width = coldWidth; c.kept != nil {
			width = keptCold
		}
	}
	for k := range c.targets {
		one := c.column(k)
		x := blas.NewGeneral[float64](at.Rows, 1)
		for i := range x.Rows {
			x.Data[i] = at.Row(i)[k]
		}
		var solved Solved
		if p := one.pinball(); p.Width > 0 {
			p.Width *= width
			one.loss = p
			before := all.Iterations
			d, q := one.newDescent(ctx, lambda, x, tolerance)
			q.total *= width     // the share of rows that are near
			if one.kept == nil { // kept features sharpen it themselves
				d.sharpen = func() { one.sharpen(d, q) }
			}
			solved, err = d.solve(ctx, lambda, tolerance, cornerPasses, func(n int) { iterated(before+n, begun) })
		} else { // all targets are the same
			clear(x.Data)
			x.Data[x.Rows-1] = one.constant[0]
		}
		all.Iterations, all.Residual = all.Iterations+solved.Iterations, max(all.Residual, solved.Residual)
		for i, v := range x.Data {
			at.Row(i)[k] = v
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// sharpen makes the corner narrower when it is time. The step to the next trial is then small;
// the descent takes it even if F rises.
func (c *System[T]) sharpen(d *descent, q *curvature[T]) {
	share, from := sharper, early
	if c.kept != nil {
		share, from = keptSharper, keptEarly
	}
	if d.step[0] != 1 || -d.slope[0]/2 > float64(from*d.excess) {
		return
	}
	p := c.loss.(loss.Pinball)
	p.Width *= share
	c.loss = p
	near := q.total
	*q = *c.newCurvature(q.lambda)
	q.total, d.started = near*share, false
	d.history = newHistory(d.x.Rows, 1, c.plan.pairs, d.dots)
}

// column returns the system of one column of scores. The next call overwrites it.
func (c *System[T]) column(k int) *System[T] {
	if c.one == nil {
		c.one = new(System[T])
	}
	one := c.one
	acc, precond, scratch := one.acc, one.precond, one.scratch
	*one = *c
	one.acc, one.precond, one.scratch, one.one = acc, precond, scratch, nil
	one.first, one.targets = k, 1
	if one.kept != nil {
		one.kept.c, one.kept.made, one.kept.sharpen = one, false, one.sharpen
	}
	one.plan.pairs = fewestPairs
	one.constant, one.null = c.constant[k:k+1], []float64{max(c.null[k], leastNull*math.Sqrt(c.Variance(k)))}
	if one.null[0] < 0x1p-40*math.Abs(one.constant[0]) || c.Variance(k) == 0 {
		one.null[0] = 0 // rounding errors
	}
	one.score, one.value, one.slope = make([]float64, 1), make([]float64, 1), make([]float64, 1)
	return one
}

// pinball returns the loss of a system of one column. Its corner is as wide as the distance
// between targets and the best constant.
func (c *System[T]) pinball() loss.Pinball {
	p := loss.Column(c.loss, c.first).(loss.Pinball)
	p.Width = c.null[0] / (4 * p.Level * (1 - p.Level))
	return p
}

// Unit returns the number in proportion to which λ changes when targets have another unit.
func (c *System[T]) Unit() float64 {
	l := c.loss.Traits()
	var sum float64
	for k := range c.targets {
		switch {
		case l.Counts:
			sum += c.y[k]
		case l.Levels != nil:
			sum += c.column(k).pinball().Width
		}
	}
	switch mean := sum / float64(c.targets); {
	case l.Counts:
		return mean
	case mean > 0:
		return 1 / mean
	}
	return 1
}

package cg

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/stream"
)

// curvature is a quadratic near F, whose second derivatives serve as a preconditioner. With
// ℓ″ ≤ c these are at most (c/Σw)·(A + μI), μ = Σw·2λ/c (Böhning and Lindsay, "Monotonicity
// of quadratic-approximation algorithms", 1988): the system of ridge regression with 2λ/c.
// That is the first one. The next are those at a point: rows count wℓ″/c in A, with the mean
// of ℓ″ over the targets, which share the factor.
type curvature struct {
	solve func(dst, v blas.General[float64]) // (A + μI)⁻¹v
	w     float64                            // Σw
	of    []float64                          // c of each target
	mean  float64                            // their geometric mean
	// Of one at a point, with row weights u = wℓ″/c: Σu/Σw and Σu(z − z̄)/Σw, by which b is
	// eliminated. A is about the mean by u.
	mass  float64
	cross []float64
	out   blas.General[float64]
}

// leastBend is the least ℓ″ of a row that a preconditioner counts, as a share of c: rows of
// none now may have some after the next step.
const leastBend = 0x1p-10

// bound makes the first preconditioner; from another start than the constant the one there.
func (d *descent[T]) bound(ctx context.Context) error {
	c, q := d.c, &d.curvature
	q.w, q.out = c.w, blas.NewGeneral[float64](len(c.z), c.targets)
	for _, b := range c.constant {
		q.of = append(q.of, c.loss.Curvature(b))
		q.mean += math.Log2(q.of[len(q.of)-1]) / float64(len(c.constant))
	}
	q.mean = math.Exp2(q.mean)
	for i := range len(c.z) {
		for _, v := range d.x.Row(i) {
			if v != 0 {
				return d.bend(ctx)
			}
		}
	}
	c.stale = true
	err := c.precondition(ctx, d.lambda*2/q.mean)
	q.solve = c.precond.solve
	return err
}

// renew makes the preconditioner of the second derivatives at the point, and new
// directions. No target is done before it agrees.
func (d *descent[T]) renew(ctx context.Context) error {
	if err := d.bend(ctx); err != nil {
		return err
	}
	d.age = 0
	d.history.rescale(len(d.done))
	for k := range d.done {
		d.done[k] = true // chosen
	}
	d.aim(d.done)
	clear(d.done)
	return nil
}

// bend makes the preconditioner of the second derivatives at the point.
func (d *descent[T]) bend(ctx context.Context) error {
	c, q := d.c, &d.curvature
	coef, intercept := c.Split(d.x)
	shift := make([]T, c.targets)
	stream.Convert(shift, intercept)
	predict := c.predictor(coef, new([]T), shift)
	var scores []T
	var weights []float64
	c.rows.weigh = func(p *part[T]) {
		u := dense.Fitting(&scores, p.x.Rows, c.targets)
		predict(u, p.x)
		w := dense.Fitting(&weights, 1, p.x.Rows).Data
		for i := range w {
			stream.Convert(c.score, u.Row(i))
			w[i] = stream.Weight(p.w, i) * max(c.loss.Bend(c.score, p.y.Row(i))/q.mean, leastBend)
		}
		p.w = w
	}
	defer func() { c.rows.weigh = nil }()
	sums, err := c.sums(ctx, func(_ part[T], u blas.General[T]) { clear(u.Data) })
	if err != nil {
		return err
	}
	q.mass, q.cross = sums.W/c.w, make([]float64, len(c.z))
	z := c.z
	c.z = make([]float64, len(z))
	for j, v := range sums.Z {
		q.cross[j] = (v - float64(sums.W*z[j])) / c.w
		c.z[j] = v / sums.W
	}
	c.stale = true
	err = c.precondition(ctx, d.lambda*2/q.mean)
	c.z = z
	q.solve = c.precond.solve
	return err
}

// precondition replaces v by what the quadratic has v as its gradient at.
func (q *curvature) precondition(v blas.General[float64]) {
	s := len(q.cross)
	if s == 0 {
		s = v.Rows - 1
	}
	b := v.Row(s)
	for j, x := range q.cross {
		row := v.Row(j)
		for k := range row {
			row[k] -= float64(x / q.mass * b[k])
		}
	}
	q.solve(q.out, v.RowRange(0, s))
	c := q.of
	if q.cross != nil {
		c = make([]float64, len(b))
		for k := range c {
			c[k], b[k] = q.mean, b[k]/q.mass
		}
	}
	for j := range s {
		to := v.Row(j)
		for k, x := range q.out.Row(j) {
			to[k] = x * q.w / c[k]
		}
	}
	for k := range b {
		b[k] /= c[k]
	}
	for j, x := range q.cross {
		for k, y := range v.Row(j) {
			b[k] -= float64(x / q.mass * y)
		}
	}
}

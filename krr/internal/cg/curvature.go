package cg

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/ridge"
)

// curvature is the preconditioner of a descent: the second derivatives of F at a point,
// estimated from some of the rows as the point is evaluated. In the unit c of ℓ″, these are
// (c/Σw)·(A + μI), μ = Σw·2λ/c. This is the system of ridge regression with the ridge 2λ/c, in
// whose A rows have the weight wℓ″/c. ℓ″ is the mean over the targets, which share the factor.
// A is made of the features less their mean, and of a 1 for the score at the mean, which has no
// ridge.
type curvature[T blas.Float] struct {
	c      *System[T]
	mu     float64
	unit   float64 // the largest ℓ″ near the best constant, the geometric mean of those of the targets
	least  float64 // leastBend, or leastCorner
	wanted float64 // rows of a sample
	total  float64 // Σwℓ″/c of the training rows at the last point
	next   float64 // the same at this point, so far
	out    blas.General[float64]
	lambda float64
}

const (
	// leastBend is the least ℓ″ that a preconditioner counts for a row, as a share of c. Rows
	// without second derivatives now may have some after the next step.
	leastBend = 0x1p-10
	// leastCorner takes its place for smooth corners, where every row has some ℓ″. Kept rows
	// have it only in the score at the mean: their ℓ″ come from slopes that have not yet turned.
	leastCorner = 0x1p-24
	// A sample has curvedRows for every feature, or cheapCurved·n/s rows if that is more. If
	// that would be half of the rows, it has all of them.
	curvedRows  = 8
	cheapCurved = 250
	// Where the loss has a smooth corner, the sample of kept rows has all of them but those that
	// together add less than negligible times the ridge: few are near.
	negligible = 0x1p-10
)

func (c *System[T]) newCurvature(lambda float64) *curvature[T] {
	q := &curvature[T]{c: c, out: blas.NewGeneral[float64](c.order(), c.targets), total: c.w, lambda: lambda, least: leastBend}
	_, corner := c.loss.(loss.Pinball)
	switch {
	case corner && c.kept != nil:
		q.least = 0
	case corner:
		q.least = leastCorner
	}
	for _, b := range c.constant {
		q.unit += math.Log2(c.loss.Curvature(b)) / float64(len(c.constant))
	}
	q.unit = math.Exp2(q.unit)
	q.mu = c.w * 2 * lambda / q.unit
	s := len(c.z)
	q.wanted = max(float64(curvedRows*s), cheapCurved*float64(c.n)/float64(s))
	if corner && c.kept != nil || 2*q.wanted >= float64(c.n) {
		q.wanted = math.Inf(1)
	}
	switch {
	case c.plan.primal && c.precond != nil:
	case c.plan.primal && corner:
		c.precond = newPrimal[float64](c.engine, c.order(), s, c.targets)
	case c.plan.primal:
		c.precond = newPrimal[float32](c.engine, c.order(), s, c.targets)
	default:
		m := min(int64(c.plan.sample), c.rows.seen)
		q.wanted = min(q.wanted, float64(m)-float64(4*math.Sqrt(float64(m)))) // rarely more than m
		if c.precond == nil {
			c.precond = newDualSketch(c.engine, int(m), c.order())
		}
	}
	return q
}

// begin forgets the rows of the last point.
func (q *curvature[T]) begin() {
	q.c.precond.clear()
	q.next = 0
}

// weigh returns the weight in A of a row with this ℓ″, and counts it.
func (q *curvature[T]) weigh(w, bend float64) float64 {
	counts := float64(w * max(bend/q.unit, q.least))
	q.next += counts
	return counts
}

// draw takes a row of this weight into the sample, with a probability in proportion to the
// weight. It returns the root of the row's weight in the sample, or 0 if the row is not in it.
func (q *curvature[T]) draw(row int64, counts float64) (root float64) {
	chance := min(1, q.wanted*counts/q.total)
	if math.IsInf(q.wanted, 1) {
		chance = 1
	}
	if q.c.chance(row) < chance {
		return math.Sqrt(counts / chance)
	}
	return 0
}

// end factors what the rows add up to. The error is a *ridge.SingularError.
func (q *curvature[T]) end() error {
	q.c.precond.ready()
	q.total = q.next
	return q.factor()
}

// factor is end for rows that the sample has already.
func (q *curvature[T]) factor() error {
	if err := q.c.precond.factor(q.mu); err != nil {
		return &ridge.SingularError{Lambda: q.lambda, Err: err}
	}
	return nil
}

// precondition replaces v by the point at which the quadratic has the gradient v.
func (q *curvature[T]) precondition(v blas.General[float64]) {
	q.c.precond.solve(q.out, v)
	for i, x := range q.out.Data {
		v.Data[i] = x * q.c.w / q.unit
	}
}

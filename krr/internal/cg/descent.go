package cg

import (
	"context"
	"math"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/internal/stream"
)

const (
	// maxPasses over the rows is the most per λ.
	maxPasses = 300
	// decrease is the share of what the slope promises that a step beyond the least value
	// along its direction must keep (Armijo's condition).
	decrease = 1e-4
	// leastStep is the share of a step below which nothing is to be gained along it.
	leastStep = 0x1p-40
	// constantRows is about the number of rows that the best constant is found with.
	constantRows = 4096
	// leastValue of the loss of the best constant is the least scale of how far F of a loss with
	// corners is above its least value.
	leastValue = 0x1p-10
)

// descent minimises a convex function of a matrix with a column per target. Where the function
// is not joint it is the sum of one of each column, and every column has its own step and its
// own end.
type descent struct {
	// f writes the values at a point, of all columns alike if it is joint, and the gradient.
	f            func(ctx context.Context, at blas.General[float64], value []float64, gradient blas.General[float64]) error
	precondition func(v blas.General[float64])
	straight     bool // precondition alone is the step, without what earlier ones say
	joint        bool
	scale        []float64 // what the tolerance is relative to
	rounding     float64   // of values, relative
	history      history
	info         Solved
	started      bool  // x has been evaluated
	restarted    bool  // without history
	failed       error // of precondition
	// sharpen, if set, may change f before the next trial.
	sharpen func()

	x, g, trial, next, direction blas.General[float64] // the point, its gradient, what is tried, its gradient, and where it lies
	value, slope, step           []float64             // the values, their slopes along the direction, and the step to try
	tried, found                 []float64             // the values and slopes at the trial
	excess                       float64               // what corners may add to what is yet to gain, at the trial
	done                         []bool
}

// start finds the best constant on some of the training rows.
func (c *System[T]) start(ctx context.Context) error {
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

// row writes the losses of a row with scores u to c.value, and replaces u by the
// derivatives.
func (c *System[T]) row(u []T, y []float64) {
	stream.Convert(c.score, u)
	c.loss.Row(c.score, y, c.value, c.slope)
	stream.Convert(u, c.slope)
}

// descend is Solve for a loss, which passes over the rows minimise:
// F(β, b) = (1/Σw)Σwᵢℓ(yᵢ, fᵢ) + λ‖β‖² with scores f = b + (z − z̄)ᵀβ. A solution has a row per
// feature and one for b. Half the slope along the direction estimates what F is yet to
// fall by: the preconditioner is that of the second derivatives at the point, and F nearly a
// quadratic. The tolerance bounds the root of it over the mean loss of the best constant,
// which is the bound of Solve where the loss is squares.
//
// Errors: *ConvergenceError, *ridge.SingularError; those of the source and of ctx.
func (c *System[T]) descend(ctx context.Context, lambda, tolerance float64, at blas.General[float64], iterated func(n int, since time.Time)) (Solved, error) {
	begun := time.Now()
	first := 0
	if zero(at) {
		copy(at.Row(at.Rows-1), c.constant)
		if l := c.loss.Traits(); l.Probabilities || l.Counts { // others have second derivatives that jump
			var err error
			if first, err = c.approach(ctx, lambda, at); err != nil {
				return Solved{}, err
			}
		}
	}
	d, _ := c.newDescent(ctx, lambda, at, tolerance)
	d.info.Iterations = first
	return d.solve(ctx, lambda, tolerance, func(n int) { iterated(n, begun) })
}

// solve is run, which has to meet the tolerance. Errors: those of descend.
func (d *descent) solve(ctx context.Context, lambda, tolerance float64, iterated func(n int)) (Solved, error) {
	if err := d.run(ctx, tolerance, maxPasses, iterated); err != nil || d.info.Residual <= tolerance {
		return d.info, err
	}
	var norm float64
	for _, v := range d.g.Data {
		norm += float64(v * v)
	}
	return d.info, &ConvergenceError{Lambda: lambda, Tolerance: tolerance, Solved: d.info, Gradient: math.Sqrt(norm)}
}

// newDescent returns that of F from a point, and its preconditioner.
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
	if d.rounding = 0x1p-44; c.single() {
		d.rounding = 0x1p-22
	}
	if c.kept != nil {
		c.kept.begin(d.scale, tolerance)
		d.precondition, d.straight = func(v blas.General[float64]) { d.failed = c.kept.step(ctx, v, q) }, true
	}
	return d, q
}

// single reports whether features are in float32.
func (c *System[T]) single() bool {
	_, ok := any(T(0)).(float32)
	return ok
}

// newDescent returns one from the point at, which it moves.
func newDescent(at blas.General[float64], joint bool, pairs int) *descent {
	t := at.Cols
	d := &descent{x: at, joint: joint, done: make([]bool, t)}
	for _, v := range []*blas.General[float64]{&d.g, &d.trial, &d.next, &d.direction} {
		*v = blas.NewGeneral[float64](at.Rows, t)
	}
	copy(d.trial.Data, d.x.Data)
	for _, v := range []*[]float64{&d.value, &d.slope, &d.step, &d.tried, &d.found, &d.scale} {
		*v = make([]float64, t)
	}
	d.history = newHistory(at.Rows, t, pairs, d.dots)
	return d
}

// run evaluates the function up to so many times, until the tolerance is met or no step is
// better, and calls iterated after each time.
func (d *descent) run(ctx context.Context, tolerance float64, most int, iterated func(n int)) error {
	for d.info.Iterations < most {
		if err := d.f(ctx, d.trial, d.tried, d.next); err != nil {
			return err
		}
		if d.info.Iterations++; ctx.Err() == nil {
			iterated(d.info.Iterations)
		}
		d.aim(d.judge())
		if d.failed != nil {
			return d.failed
		}
		if d.settled(tolerance) {
			return nil
		}
		if d.stuck() {
			if d.restarted {
				return nil
			}
			d.restart()
		}
		d.point()
		if d.sharpen != nil {
			d.sharpen()
		}
	}
	return nil
}

// evaluate writes F at a point to value and its gradient, and makes the preconditioner there,
// in one pass over the rows. It returns what corners may add to what F is yet to fall by.
func (c *System[T]) evaluate(ctx context.Context, q *curvature[T], at blas.General[float64], value []float64, gradient blas.General[float64]) (excess float64, err error) {
	s := len(c.z)
	coef, intercept := c.Split(at)
	shift := make([]T, c.targets)
	stream.Convert(shift, intercept)
	predict := c.predictor(coef, &c.scratch.coef, shift)
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
			for k, v := range c.value {
				value[k] += float64(w * v)
			}
			if corner.Width > 0 {
				excess += float64(w*corner.Excess(c.score[0], y[0])) / c.w
			}
			if c.kept != nil {
				c.kept.add(p.row(i), y, w)
			} else if root := q.draw(p.row(i), w, c.score, y); root > 0 {
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
	return excess, nil
}

// total makes every value the sum of them.
func total(v []float64) {
	var sum float64
	for _, x := range v {
		sum += x
	}
	for k := range v {
		v[k] = sum
	}
}

// join makes values of the targets of a joint function their sum.
func (d *descent) join(v []float64) {
	if d.joint {
		total(v)
	}
}

// dots writes aᵀb of every target to dst.
func (d *descent) dots(dst []float64, a, b blas.General[float64]) {
	columnDots(dst, a, b)
	d.join(dst)
}

// judge moves the targets whose trial is better to it, and returns which; it shortens the
// steps of the others. F is convex: as long as it falls along the direction it is below
// where it was.
func (d *descent) judge() []bool {
	taken := make([]bool, len(d.done))
	if !d.started {
		d.started = true
		copy(d.x.Data, d.trial.Data)
		copy(d.g.Data, d.next.Data)
		copy(d.value, d.tried)
		for k := range taken {
			taken[k] = true
		}
		return taken
	}
	d.dots(d.found, d.next, d.direction)
	some := false
	for k, v := range d.tried {
		at, to := d.slope[k], d.found[k]
		finite := !math.IsNaN(v+to) && !math.IsInf(v+to, 0)
		switch {
		case d.done[k]:
		case finite && (to <= 0 || v <= d.value[k]+float64(decrease*d.step[k]*at)+float64(d.rounding*math.Abs(d.value[k]))):
			taken[k], some = true, true
		case finite: // where a quadratic of these slopes is least
			d.step[k] *= min(max(at/(at-to), 0.1), 0.5)
		default:
			d.step[k] *= 0.1
		}
	}
	if some {
		if d.straight {
			move(d.x, d.trial, taken)
			move(d.g, d.next, taken)
		} else {
			d.history.add(d.x, d.g, d.trial, d.next, taken, d.precondition)
		}
		for k, on := range taken {
			if on {
				d.value[k] = d.tried[k]
			}
		}
	}
	return taken
}

// move copies the chosen columns.
func move(to, from blas.General[float64], chosen []bool) {
	for i := range to.Rows {
		row := from.Row(i)
		for k, on := range chosen {
			if on {
				to.Row(i)[k] = row[k]
			}
		}
	}
}

// aim makes a new direction, and the step 1, of the targets that are chosen.
func (d *descent) aim(chosen []bool) {
	var q blas.General[float64]
	if d.straight {
		q = d.history.q
		copy(q.Data, d.g.Data)
		d.precondition(q)
	} else {
		q = d.history.direction(d.g, d.precondition)
	}
	for i := range q.Rows {
		to := d.direction.Row(i)
		for k, v := range q.Row(i) {
			if chosen[k] {
				to[k] = -v
			}
		}
	}
	slope := make([]float64, len(chosen))
	d.dots(slope, d.g, d.direction)
	for k, on := range chosen {
		if on {
			d.slope[k], d.step[k] = slope[k], 1
		}
	}
}

// restart aims without what earlier steps say, at the targets that cannot go on.
func (d *descent) restart() {
	chosen := make([]bool, len(d.done))
	for k := range chosen {
		chosen[k] = d.blocked(k)
	}
	d.restarted, d.history.count = true, 0
	d.history.rescale(len(chosen))
	d.aim(chosen)
}

// settled says which targets are done, and whether all are.
func (d *descent) settled(tolerance float64) bool {
	d.info.Residual = 0
	all := true
	for k, scale := range d.scale {
		if d.excess > 0 {
			scale = max(d.value[k], float64(leastValue*scale))
		}
		left := math.Inf(1) // a slope upwards: the preconditioner is lost in rounding errors
		switch promise := d.excess - d.slope[k]/2; {
		case promise == 0:
			left = 0
		case promise >= d.excess:
			left = math.Sqrt(promise / scale)
		}
		d.info.Residual = max(d.info.Residual, left)
		d.done[k] = d.done[k] || d.step[k] == 1 && left <= tolerance
		all = all && d.done[k]
	}
	return all
}

// blocked reports whether a target cannot go on.
func (d *descent) blocked(k int) bool {
	return !d.done[k] && (d.step[k] < leastStep || !(d.slope[k] < 0))
}

// stuck reports whether some target cannot go on.
func (d *descent) stuck() bool {
	for k := range d.done {
		if d.blocked(k) {
			return true
		}
	}
	return false
}

// point sets the next trial.
func (d *descent) point() {
	for i := range d.trial.Rows {
		x, p, to := d.x.Row(i), d.direction.Row(i), d.trial.Row(i)
		for k, on := range d.done {
			if to[k] = x[k]; !on {
				to[k] += float64(d.step[k] * p[k])
			}
		}
	}
}

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
	// A corner becomes sharper times as wide whenever the descent may gain less than early times
	// what its width may add to F. Of sharper = .2 to .7 and early = .03 to 3 these took the
	// fewest passes (cpuact, 256 features, λ = 10⁻³ to 10⁻⁷, and the cases of
	// krr/testdata/losses.json).
	sharper = 0.6
	early   = 0.3
	// leastValue of the loss of the best constant is the least scale of how far F of a loss with
	// corners is above its least value.
	leastValue = 0x1p-10
)

// descent minimises F(β, b) = (1/Σw)Σwᵢℓ(yᵢ, fᵢ) + λ‖β‖² with scores f = b + (z − z̄)ᵀβ. A
// vector has a row per feature, one for b, and a column per target. Where the loss is not
// joint, every target has its own step and its own end.
type descent[T blas.Float] struct {
	c         *System[T]
	lambda    float64
	curvature *curvature[T]
	history   history
	info      Solved
	started   bool // x has been evaluated

	x, g, trial, next, direction blas.General[float64] // the point, its gradient, what is tried, its gradient, and where it lies
	value, slope, step           []float64             // F, its slope along the direction, and the step to try
	tried, found                 []float64             // F and the slope at the trial
	excess                       float64               // what corners may add to what F is yet to fall by, at the trial
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

// descend is Solve for a loss, which passes over the rows minimise. Half the slope along the direction estimates what F is yet to
// fall by: the preconditioner is that of the second derivatives at the point, and F nearly a
// quadratic. The tolerance bounds the root of it over the mean loss of the best constant,
// which is the bound of Solve where the loss is squares.
//
// Errors: *ConvergenceError, *ridge.SingularError; those of the source and of ctx.
func (c *System[T]) descend(ctx context.Context, lambda, tolerance float64, at blas.General[float64], iterated func(n int, since time.Time)) (Solved, error) {
	begun, first := time.Now(), 0
	cold := zero(at)
	d := c.newDescent(lambda, at)
	if l := c.loss.Traits(); cold && (l.Probabilities || l.Counts) { // others have second derivatives that jump
		var err error
		if first, err = c.approach(ctx, lambda, at); err != nil {
			return Solved{}, err
		}
		copy(d.trial.Data, d.x.Data)
	}
	return d.run(ctx, tolerance, first, func(n int) { iterated(n, begun) })
}

// run is descend from the point, after that many passes.
func (d *descent[T]) run(ctx context.Context, tolerance float64, passes int, iterated func(n int)) (Solved, error) {
	for d.info.Iterations = passes; d.info.Iterations < maxPasses; {
		if err := d.evaluate(ctx); err != nil {
			return d.info, err
		}
		if d.info.Iterations++; ctx.Err() == nil {
			iterated(d.info.Iterations)
		}
		d.aim(d.judge())
		if d.settled(tolerance) {
			return d.info, nil
		}
		if d.stuck() {
			break
		}
		d.point()
		d.sharpen()
	}
	var norm float64
	for _, v := range d.g.Data {
		norm += float64(v * v)
	}
	return d.info, &ConvergenceError{Lambda: d.lambda, Tolerance: tolerance, Solved: d.info, Gradient: math.Sqrt(norm)}
}

func (c *System[T]) newDescent(lambda float64, at blas.General[float64]) *descent[T] {
	t := at.Cols
	d := &descent[T]{c: c, lambda: lambda, x: at, done: make([]bool, t)}
	if zero(at) {
		copy(at.Row(at.Rows-1), c.constant)
	}
	for _, v := range []*blas.General[float64]{&d.g, &d.trial, &d.next, &d.direction} {
		*v = blas.NewGeneral[float64](at.Rows, t)
	}
	copy(d.trial.Data, d.x.Data)
	for _, v := range []*[]float64{&d.value, &d.slope, &d.step, &d.tried, &d.found} {
		*v = make([]float64, t)
	}
	d.history, d.curvature = newHistory(at.Rows, t, c.plan.pairs, d.dots), c.newCurvature(lambda)
	return d
}

// evaluate writes F at the trial to tried and its gradient to next, and makes the
// preconditioner there, in one pass over the rows.
func (d *descent[T]) evaluate(ctx context.Context) error {
	c, s := d.c, len(d.c.z)
	coef, intercept := c.Split(d.trial)
	shift := make([]T, c.targets)
	stream.Convert(shift, intercept)
	predict := c.predictor(coef, &c.scratch.coef, shift)
	clear(d.tried)
	d.excess = 0
	corner, _ := c.loss.(loss.Pinball)
	d.curvature.begin()
	sums, err := c.sums(ctx, func(p part[T], u blas.General[T]) {
		predict(u, p.x)
		for i := range u.Rows {
			y := p.y.Row(i)[c.first:][:c.targets]
			c.row(u.Row(i), y)
			w := stream.Weight(p.w, i)
			for k, v := range c.value {
				d.tried[k] += float64(w * v)
			}
			if corner.Width > 0 {
				d.excess += float64(w*corner.Excess(c.score[0], y[0])) / c.w
			}
			d.curvature.add(&p, i, y, c.score)
		}
	})
	if err == nil {
		err = d.curvature.end(d.lambda)
	}
	if err != nil {
		return err
	}
	for j := range s {
		x, to := d.trial.Row(j), d.next.Row(j)
		for k, v := range sums.ZY.Row(j) {
			to[k] = (v-float64(c.z[j]*sums.Y[k]))/c.w + float64(2*d.lambda*x[k])
		}
	}
	for k, v := range sums.Y {
		d.next.Row(s)[k] = v / c.w
	}
	columnDots(d.found, coef, coef)
	for k := range d.tried {
		d.tried[k] = d.tried[k]/c.w + float64(d.lambda*d.found[k])
	}
	d.join(d.tried)
	return nil
}

// join makes the values of the targets of a joint loss their sum.
func (d *descent[T]) join(v []float64) {
	if !d.c.loss.Traits().Joint {
		return
	}
	var sum float64
	for _, x := range v {
		sum += x
	}
	for k := range v {
		v[k] = sum
	}
}

// dots writes aᵀb of every target to dst.
func (d *descent[T]) dots(dst []float64, a, b blas.General[float64]) {
	columnDots(dst, a, b)
	d.join(dst)
}

// judge moves the targets whose trial is better to it, and returns which; it shortens the
// steps of the others. F is convex: as long as it falls along the direction it is below
// where it was.
func (d *descent[T]) judge() []bool {
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
	rounding := 0x1p-44
	if _, ok := any(T(0)).(float32); ok {
		rounding = 0x1p-22
	}
	some := false
	for k, v := range d.tried {
		at, to := d.slope[k], d.found[k]
		finite := !math.IsNaN(v+to) && !math.IsInf(v+to, 0)
		switch {
		case d.done[k]:
		case finite && (to <= 0 || v <= d.value[k]+float64(decrease*d.step[k]*at)+float64(rounding*math.Abs(d.value[k]))):
			taken[k], some = true, true
		case finite: // where a quadratic of these slopes is least
			d.step[k] *= min(max(at/(at-to), 0.1), 0.5)
		default:
			d.step[k] *= 0.1
		}
	}
	if some {
		d.history.add(d.x, d.g, d.trial, d.next, taken, d.curvature.precondition)
		for k, on := range taken {
			if on {
				d.value[k] = d.tried[k]
			}
		}
	}
	return taken
}

// aim makes a new direction, and the step 1, of the targets that are chosen.
func (d *descent[T]) aim(chosen []bool) {
	q := d.history.direction(d.g, d.curvature.precondition)
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

// settled says which targets are done, and whether all are.
func (d *descent[T]) settled(tolerance float64) bool {
	null := append([]float64(nil), d.c.null...)
	d.join(null)
	d.info.Residual = 0
	all := true
	for k, scale := range null {
		// Losses that reach 0 at infinite scores have a scale of their own.
		if !d.c.loss.Traits().Differences {
			scale = max(scale, 0x1p-40*d.curvature.unit)
		}
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

// stuck reports whether a target cannot go on.
func (d *descent[T]) stuck() bool {
	for k, done := range d.done {
		if !done && (d.step[k] < leastStep || !(d.slope[k] < 0)) {
			return true
		}
	}
	return false
}

// point sets the next trial.
func (d *descent[T]) point() {
	for i := range d.trial.Rows {
		x, p, to := d.x.Row(i), d.direction.Row(i), d.trial.Row(i)
		for k, on := range d.done {
			if to[k] = x[k]; !on {
				to[k] += float64(d.step[k] * p[k])
			}
		}
	}
}

// sharpen makes the corner narrower, where it is time. The step to the next trial, which is
// taken whatever it comes to, is small by then.
func (d *descent[T]) sharpen() {
	p, ok := d.c.loss.(loss.Pinball)
	if !ok || d.step[0] != 1 || -d.slope[0]/2 > float64(early*d.excess) {
		return
	}
	p.Width *= sharper
	d.c.loss = p
	near := d.curvature.total
	d.started, d.curvature = false, d.c.newCurvature(d.lambda)
	d.curvature.total = near * sharper
	d.history = newHistory(d.x.Rows, 1, d.c.plan.pairs, d.dots)
}

package cg

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

const (
	// maxPasses is the largest number of passes over the rows for one λ.
	maxPasses = 300
	// decrease is the share of what the slope promises that a step beyond the least value
	// along its direction must keep (Armijo's condition).
	decrease = 1e-4
	// Below the share leastStep of a step there is nothing to gain along it.
	leastStep = 0x1p-40
	// The tolerance of a loss with corners is relative to F, or to leastValue times the loss of
	// the best constant if that is more.
	leastValue = 0x1p-10
)

// descent minimises a convex function of a matrix with a column per target. Where the function
// is not joint, it is a sum of one function per column, and every column has its own step and
// its own end.
type descent struct {
	// f writes the values at a point, of all columns alike if it is joint, and the gradient.
	f            func(ctx context.Context, at blas.General[float64], value []float64, gradient blas.General[float64]) error
	precondition func(v blas.General[float64])
	straight     bool // precondition alone gives the step, without the history of earlier steps
	joint        bool
	scale        []float64 // what the tolerance is relative to
	rounding     float64   // relative, of values
	history      history
	info         Solved
	started      bool  // x has been evaluated
	restarted    bool  // without history
	failed       error // the error of precondition
	// sharpen, if set, may change f before the next trial.
	sharpen func()

	x, g, trial, next, direction blas.General[float64] // the point and its gradient, the trial and its gradient, and the direction from one to the other
	value, slope, step           []float64             // the values, their slopes along the direction, and the step to try
	tried, found                 []float64             // the values and slopes at the trial
	excess                       float64               // how much more corners may leave to gain, at the trial
	done                         []bool
}

// solve is run, and fails if that does not meet the tolerance in most passes. Errors: those of
// descend.
func (d *descent) solve(ctx context.Context, lambda, tolerance float64, most int, iterated func(n int)) (Solved, error) {
	if err := d.run(ctx, tolerance, most, iterated); err != nil || d.info.Residual <= tolerance {
		return d.info, err
	}
	return d.info, &ConvergenceError{Lambda: lambda, Tolerance: tolerance, Solved: d.info, Gradient: math.Sqrt(dense.SumSquares(d.g.Data))}
}

// newDescent returns a descent that starts from the point at and moves it.
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

// run evaluates the function until the tolerance is met or no step is better, at most that many
// times. It calls iterated after each evaluation.
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
		if stuck := d.stuck(); slices.Contains(stuck, true) {
			if d.restarted {
				return nil
			}
			// Begin anew, without the history of earlier steps.
			d.restarted, d.history.count = true, 0
			d.history.rescale(len(stuck))
			d.aim(stuck)
		}
		d.point()
		if d.sharpen != nil {
			d.sharpen()
		}
	}
	return nil
}

// total makes every value the sum of them.
func total(v []float64) {
	sum := dense.Sum(v)
	for k := range v {
		v[k] = sum
	}
}

// join replaces the values of all targets by their sum if the function is joint.
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

// judge moves the targets whose trial is better to the trial, and returns which targets these
// are. It shortens the steps of the others. F is convex, so as long as it still falls along the
// direction at the trial, it is lower there than where it was.
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
		case finite: // go to the least point of a quadratic with these slopes
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

// aim gives the chosen targets a new direction and the step 1.
func (d *descent) aim(chosen []bool) {
	if !slices.Contains(chosen, true) {
		return
	}
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

// settled notes which targets are done, and reports whether all are.
func (d *descent) settled(tolerance float64) bool {
	d.info.Residual = 0
	all := true
	for k, scale := range d.scale {
		if d.excess > 0 {
			scale = max(d.value[k], float64(leastValue*scale))
		}
		left := math.Inf(1) // a slope upwards: the preconditioner is lost in rounding errors
		switch promise := d.excess - float64(d.slope[k]/2); {
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

// stuck returns which targets cannot go on.
func (d *descent) stuck() []bool {
	stuck := make([]bool, len(d.done))
	for k, done := range d.done {
		stuck[k] = !done && (d.step[k] < leastStep || !(d.slope[k] < 0))
	}
	return stuck
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

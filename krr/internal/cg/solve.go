package cg

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
)

const (
	// Tolerance is the default bound on how much predictions are still to change. A change of λ
	// by a percent changes them more.
	Tolerance = 1e-4
	// LossTolerance is the default for losses other than squares. With it, the objective ends
	// above its least value by about 10⁻⁶ of the loss of a constant.
	LossTolerance = 1e-3
	// maxIterations is the largest number of iterations for one λ.
	maxIterations = 500
	// restarts is how often the residual is computed anew, if rounding errors have moved the
	// recurrence away from the true residual.
	restarts = 3
)

// Prepare sets the right-hand side for the training rows, those outside the fold
// held, or all for −1. check may refuse rows of that weight. Errors: ErrNoRows;
// those of check and of the source.
func (c *System[T]) Prepare(ctx context.Context, held int, check func(weight float64) error) error {
	c.held = held
	s, err := c.sums(ctx, func(p part[T], u blas.General[T]) {
		for i := range u.Rows {
			stream.Convert(u.Row(i), p.y.Row(i))
		}
	})
	if err != nil {
		return err
	}
	if !(s.W > 0) {
		return ErrNoRows
	}
	if err := check(s.W); err != nil {
		return err
	}
	// ZᵀZ is not needed: with an empty G Form centres the other sums alone.
	sys := &ridge.System{Z: make([]float64, len(s.Z)), Y: make([]float64, c.targets), YY: make([]float64, c.targets), R: blas.NewGeneral[float64](len(s.Z), c.targets)}
	sys.Form(s, nil)
	c.w, c.z, c.y, c.r, c.yy = sys.W, sys.Z, sys.Y, sys.R, sys.YY
	c.n = s.Rows
	if c.loss != nil {
		return c.start(ctx)
	}
	return nil
}

// Solve starts from coef and improves it to the solution for λ. All targets advance
// together, each with its own step sizes. Solve calls iterated after every iteration,
// with their number and the time of the first.
//
// With M = A + Σw·λ·I, the error e and the residual r = −Me, the training
// predictions are still to change by Σw((z−z̄)ᵀe)² ≤ eᵀMe = rᵀM⁻¹r ≤ rᵀP⁻¹r/θ,
// where θ is the least eigenvalue of P⁻¹M. The tolerance bounds the root of that
// over Σw(y−ȳ)² of the targets. The steps make a Lanczos matrix, which gives θ
// (Golub and Van Loan, Matrix Computations, §10.2).
//
// Errors: *ConvergenceError, *ridge.SingularError; those of the source and of ctx.
func (c *System[T]) Solve(ctx context.Context, lambda, tolerance float64, coef blas.General[float64], iterated func(n int, since time.Time)) (Solved, error) {
	switch {
	case c.loss == nil:
	case c.loss.Traits().Levels != nil:
		return c.corners(ctx, lambda, tolerance, coef, iterated)
	default:
		return c.descend(ctx, lambda, tolerance, coef, iterated)
	}
	c.mu = c.w * lambda
	if err := c.precondition(ctx, lambda); err != nil {
		return Solved{}, err
	}
	it := newIteration(c, coef)
	begun, restart, resumed := time.Now(), 0, false
	if c.From != nil {
		if restart, resumed = it.resume(c.From); !resumed {
			return Solved{}, ErrState
		}
		c.From = nil
	}
	for ; ; restart++ {
		if !resumed {
			if err := it.restart(ctx); err != nil {
				return it.info, err
			}
			// Before the first step θ is not known.
			known := it.info.Iterations > 0 || it.info.Residual == 0
			if known && it.info.Residual <= tolerance || restart == restarts || it.info.Iterations == maxIterations {
				break
			}
		}
		for resumed || it.info.Iterations < maxIterations {
			if !resumed {
				if err := it.advance(ctx, restart, begun, iterated); err != nil {
					return it.info, err
				}
			}
			if resumed = false; it.change() <= tolerance/2 { // so that the residual computed anew passes
				break
			}
		}
		if !dense.Finite(coef) {
			return it.info, &ridge.SingularError{Lambda: lambda, Err: errors.New("the iteration diverged")}
		}
	}
	if it.most > 0 {
		it.info.Condition = it.most / it.least
	}
	if !(it.info.Residual <= tolerance) {
		return it.info, &ConvergenceError{Lambda: lambda, Tolerance: tolerance, Solved: it.info}
	}
	return it.info, nil
}

// Revisit stands for a solution of squares for λ that is known already. It draws the sample of
// its preconditioner, from which the sample for the next λ is drawn.
func (c *System[T]) Revisit(ctx context.Context, lambda float64) error {
	return c.precondition(ctx, lambda)
}

// iteration is the state of one solution. A vector has a column per target.
type iteration[T blas.Float] struct {
	c            *System[T]
	info         Solved
	coef         blas.General[float64]
	res, q, z, p blas.General[float64] // residual, M times the direction, P⁻¹ times the residual, direction
	rz           []float64             // rᵀP⁻¹r
	next         []float64             // rᵀP⁻¹r of the next residual
	steps, beta  []float64
	spectrum     []lanczos
	least, most  float64 // eigenvalues of P⁻¹M
}

func newIteration[T blas.Float](c *System[T], coef blas.General[float64]) *iteration[T] {
	n, t := coef.Rows, coef.Cols
	vector := func(i int) blas.General[float64] { return dense.Fitting(&c.vectors[i], n, t) }
	return &iteration[T]{c: c, coef: coef, res: vector(0), q: vector(1), z: vector(2), p: vector(3),
		rz: make([]float64, t), next: make([]float64, t), steps: make([]float64, t), beta: make([]float64, t),
		spectrum: make([]lanczos, t), least: math.Inf(1)}
}

// restart computes the residual anew and makes it the next direction.
func (it *iteration[T]) restart(ctx context.Context) error {
	if zero(it.coef) {
		copy(it.res.Data, it.c.r.Data)
	} else {
		if err := it.c.multiply(ctx, it.q, it.coef); err != nil {
			return err
		}
		for i, v := range it.c.r.Data {
			it.res.Data[i] = v - it.q.Data[i]
		}
	}
	it.c.precond.solve(it.z, it.res)
	columnDots(it.rz, it.res, it.z)
	it.info.Residual = it.change()
	copy(it.p.Data, it.z.Data)
	for k := range it.spectrum {
		it.spectrum[k] = lanczos{}
	}
	return nil
}

// change bounds how much the predictions of the worst target are still to change.
func (it *iteration[T]) change() (worst float64) {
	for k, v := range it.rz {
		if v > 0 && it.c.yy[k] > 0 {
			worst = max(worst, math.Sqrt(v/(it.c.yy[k]*min(it.least, 1))))
		}
	}
	return worst
}

// state returns the state of it, which shares its vectors.
func (it *iteration[T]) state(restart int) *State {
	v := []float64{float64(restart), float64(it.info.Iterations), it.info.Residual, it.least, it.most}
	for k, l := range it.spectrum {
		v = append(v, it.rz[k], l.step, l.beta, float64(len(l.diag)), float64(len(l.off2)))
		v = append(append(v, l.diag...), l.off2...)
	}
	return &State{it.coef, it.res, it.p, v}
}

// resume sets it to the state s, and returns the number of restarts. ok is false if s is of
// another system.
func (it *iteration[T]) resume(s *State) (restart int, ok bool) {
	v := s.Numbers
	take := func(n int) []float64 {
		if n < 0 || n > len(v) || !ok {
			ok = false
			return make([]float64, max(0, min(n, 5)))
		}
		head := v[:n]
		v = v[n:]
		return head
	}
	ok = s.Coef.Rows == it.coef.Rows && s.Coef.Cols == it.coef.Cols
	head := take(5)
	restart, it.info.Iterations, it.info.Residual, it.least, it.most = int(head[0]), int(head[1]), head[2], head[3], head[4]
	for k := range it.spectrum {
		of := take(5)
		it.rz[k] = of[0]
		it.spectrum[k] = lanczos{step: of[1], beta: of[2], diag: slices.Clone(take(int(of[3]))), off2: slices.Clone(take(int(of[4])))}
	}
	ok = ok && restart >= 0 && restart <= restarts && it.info.Iterations >= 0 && it.info.Iterations <= maxIterations
	if ok = ok && len(v) == 0; ok {
		for i := range it.coef.Rows {
			copy(it.coef.Row(i), s.Coef.Row(i))
			copy(it.res.Row(i), s.Residual.Row(i))
			copy(it.p.Row(i), s.Direction.Row(i))
		}
	}
	return restart, ok
}

// advance is step, and then tells Watch and iterated.
func (it *iteration[T]) advance(ctx context.Context, restart int, begun time.Time, iterated func(n int, since time.Time)) error {
	if err := it.step(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	iterated(it.info.Iterations, begun)
	if it.c.Watch != nil {
		return it.c.Watch(it.state(restart))
	}
	return nil
}

// step is one iteration.
func (it *iteration[T]) step(ctx context.Context) error {
	it.info.Iterations++
	if err := it.c.multiply(ctx, it.q, it.p); err != nil {
		return err
	}
	columnDots(it.steps, it.p, it.q)
	for k, pq := range it.steps {
		it.steps[k] = 0
		if pq > 0 {
			it.steps[k] = it.rz[k] / pq
		}
	}
	for i := range it.coef.Rows {
		for k, s := range it.steps {
			it.coef.Row(i)[k] += float64(s * it.p.Row(i)[k])
			it.res.Row(i)[k] -= float64(s * it.q.Row(i)[k])
		}
	}
	it.c.precond.solve(it.z, it.res)
	columnDots(it.next, it.res, it.z)
	for k := range it.beta {
		it.beta[k] = 0
		if it.rz[k] > 0 && it.steps[k] > 0 {
			it.beta[k] = it.next[k] / it.rz[k]
			it.spectrum[k].add(it.steps[k], it.beta[k])
			lo, hi := it.spectrum[k].extremes()
			it.least, it.most = min(it.least, lo), max(it.most, hi)
		}
	}
	for i := range it.p.Rows {
		for k, b := range it.beta {
			it.p.Row(i)[k] = it.z.Row(i)[k] + float64(b*it.p.Row(i)[k])
		}
	}
	it.rz, it.next = it.next, it.rz
	return nil
}

// lanczos is the tridiagonal matrix that the steps of conjugate gradients make. Its
// extreme eigenvalues approach those of the preconditioned system from within.
type lanczos struct {
	diag, off2 []float64 // the diagonal; the squares of the elements beside it
	step, beta float64   // the last
}

func (l *lanczos) add(step, beta float64) {
	d := 1 / step
	if len(l.diag) > 0 {
		d += l.beta / l.step
		l.off2 = append(l.off2, l.beta/(l.step*l.step))
	}
	l.diag = append(l.diag, d)
	l.step, l.beta = step, beta
}

// extremes returns the least and the largest eigenvalue to a percent, by
// bisection on the signs of the Sturm sequence.
func (l *lanczos) extremes() (lo, hi float64) {
	n := len(l.diag)
	var bound float64 // Gershgorin; the matrix is positive definite
	for i, d := range l.diag {
		if i > 0 {
			d += math.Sqrt(l.off2[i-1])
		}
		if i < n-1 {
			d += math.Sqrt(l.off2[i])
		}
		bound = max(bound, d)
	}
	below := func(x float64) (count int) { // eigenvalues less than x
		q := 1.0
		for i, d := range l.diag {
			v := d - float64(x) // x may be a product
			if i > 0 {
				v -= l.off2[i-1] / q
			}
			v = cmp.Or(v, 0x1p-1000)
			if v < 0 {
				count++
			}
			q = v
		}
		return count
	}
	find := func(k int) float64 { // the k-th smallest, by bisection of the logarithm
		a, b := bound*0x1p-60, bound*(1+0x1p-20)
		for b > 1.01*a {
			m := math.Sqrt(a) * math.Sqrt(b)
			if below(m) > k {
				b = m
			} else {
				a = m
			}
		}
		return b
	}
	return find(0), find(n - 1)
}

package krr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/schedule"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/cg"
)

// iterative is a fit by conjugate gradients.
type iterative[T blas.Float] struct {
	*problem
	engine   blas.Engine // with as many workers as there is memory for
	budget   int64       // of the plan, in bytes
	plan     cg.Plan
	system   *cg.System[T]
	span     *span[T] // of few rows, whose coordinates the system has; nil if it has the features
	held     *held    // nil unless held-out rows are measured
	resuming *resuming
	rows     int64 // read, also those of weight 0
	left     int   // the fold left out of the rows that are prepared; −1 for none
}

// fitIterative is Fit by passes over the rows.
func (f *problem) fitIterative(ctx context.Context) (*Model, *Report, error) {
	if narrow := f.precision.Narrow; narrow != nil {
		return (&iterative[float32]{problem: f}).run(ctx, narrow)
	}
	return (&iterative[float64]{problem: f}).run(ctx, f.precision.Wide)
}

func (c *iterative[T]) run(ctx context.Context, features func(*rff.Map) *blas.Features[T]) (*Model, *Report, error) {
	if err := c.planMemory(); err != nil {
		return nil, nil, err
	}
	if err := c.open(); err != nil {
		return nil, nil, err
	}
	defer c.resuming.close()
	rows, err := c.read(ctx)
	if err == nil {
		err = c.resuming.same()
	}
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	if err := c.makeSystem(ctx, features, rows); err != nil {
		return nil, nil, err
	}
	coef := c.resuming.choice.coef
	if c.resuming.want != "" {
		c.report.Resumed = c.rows
	}
	var path []PathPoint            // of what was chosen
	lambda := c.lambdaAt(c.fixed()) // none yet if there are folds to choose by
	if c.foldCount > 1 {
		if path, lambda, err = c.choose(ctx); err != nil {
			return nil, nil, err
		}
		if c.held != nil {
			model := c.solution(coef, lambda)
			for part := range calibrationParts {
				if err := c.held.predict(model, part); err != nil {
					return nil, nil, err
				}
			}
		}
		c.report.Took["select"] = time.Since(start)
		start = time.Now()
	}
	if c.Checkpoint.Path != "" {
		coef = dense.Clone(coef) // the checkpoint keeps the start
	}
	if err := c.prepare(ctx, -1); err != nil {
		return nil, nil, err
	}
	solved, err := c.solveEach(ctx, lambda, coef)
	if err != nil {
		return nil, nil, err
	}
	model := c.solution(coef, lambda)
	model.solved = solved
	c.report.weight, c.report.Took["solve"] = c.system.Weight(), time.Since(start)
	start = time.Now()
	switch {
	case c.Probabilities:
		c.report.HeldOut, err = c.held.scores.calibrate(ctx, model)
		c.report.Took["calibrate"] = time.Since(start)
	case c.held != nil:
		c.report.HeldOut = c.held.report(path, make([]int, c.targets), c.system.Variance)
	}
	if err != nil {
		return nil, nil, err
	}
	model.prov = c.provenance(model)
	return model, &c.report, nil
}

// makeSystem makes the system of rows that have been read, in coordinates of their span if they
// are few.
func (c *iterative[T]) makeSystem(ctx context.Context, features func(*rff.Map) *blas.Features[T], rows *cg.Rows[T]) (err error) {
	if c.span, err = newSpan(ctx, c.problem, c.engine, c.budget, features, rows); err != nil {
		return err
	}
	if c.span == nil {
		c.system = cg.New(features(c.base), c.change, c.engine, rows, c.plan, c.loss, c.Seed)
		return nil
	}
	c.plan = c.span.plan
	c.engine.Workers = c.plan.Workers(c.engine.Workers)
	c.resuming.choice = newChoice(blas.NewGeneral[float64](c.span.X.Cols+1, c.targets), len(c.grid))
	c.system = cg.New(c.span.features, nil, c.engine, c.span.rows, c.plan, c.loss, c.Seed)
	return nil
}

// open opens the checkpoint, if the settings name one. It must come from a fit with the same
// number of folds, grid of λ, memory and tolerance.
func (c *iterative[T]) open() error {
	rows := c.report.features
	if c.loss != nil {
		rows++ // one for the intercept
	}
	r := newResuming(c.problem, nil)
	r.classes, r.choice = nil, newChoice(blas.NewGeneral[float64](rows, c.targets), len(c.grid))
	r.identity = append(r.identity, [2]string{"fold left out", fmt.Sprintf("one of %d", c.foldCount)},
		[2]string{"grid of λ, memory or tolerance", fmt.Sprintf("λ %v at %v, one per target: %v, %d bytes, %g", c.Lambdas, c.at, c.PerTarget, c.Passes.Memory, c.Passes.Tolerance)})
	c.resuming = r
	return r.open()
}

// solution returns the model of coefficients for the training rows that are prepared.
func (c *iterative[T]) solution(coef blas.General[float64], lambda []float64) *Model {
	coef, intercept := c.system.Split(coef)
	for t := range intercept {
		intercept[t] += c.shift.at[t]
	}
	if c.span != nil {
		coef = c.span.Coef(coef)
	}
	return c.model(coef, intercept, lambda)
}

// The sample of held-out rows has 1/heldOutShare of the budget.
const heldOutShare = 8

// part returns a function that is place with the part of a row of fold 0, and −1 for other rows.
func (f *problem) part() func(b rff.Batch, i int) (part int, cluster int64) {
	p := parts{}
	return func(b rff.Batch, i int) (int, int64) {
		fold, cluster := f.place(b, i)
		if fold != 0 {
			return -1, cluster
		}
		return p.of(f.unit(b, i)), cluster
	}
}

// planMemory divides the budget, and refuses one that the machine does not have.
func (c *iterative[T]) planMemory() (err error) {
	in, targets := c.data.Schema().Dims()
	budget := cmp.Or(c.Passes.Memory, cg.Memory)
	left := budget
	if c.HeldOut || c.Probabilities {
		c.held = newHeld(c.problem, 1, float64(budget/heldOutShare))
		c.data = c.held.watch(c.part())
		left -= budget / heldOutShare
	}
	c.budget = left
	if c.plan, err = cg.NewPlan(left, c.report.features, in, targets, int(unsafe.Sizeof(*new(T))), c.change, c.loss); err != nil {
		return err
	}
	c.engine = inside.Engine(c.m)
	c.engine.Workers = c.plan.Workers(schedule.Workers(c.engine.Workers))
	need := budget - c.change.Bytes() // the map has the change already
	if c.Passes.Memory == 0 {
		need -= c.plan.Rows // the rows need not be kept
	}
	if have := availableMemory(); need > have {
		return setting("memory", budget, fmt.Sprintf("conjugate gradients would use %s, and %s are to be had here: set less, or take fewer features", bytesText(float64(need)), bytesText(float64(have))))
	}
	return nil
}

// read is the first pass. It checks all rows, and keeps them if the plan has room.
func (c *iterative[T]) read(ctx context.Context) (*cg.Rows[T], error) {
	start := time.Now()
	reported, n, known := start, int64(0), stream.Count(c.data)
	rows := &cg.Rows[T]{Source: c.round.Source(c.data, checkBatch), Check: checkBatch, Scaling: c.Scaling}
	if c.foldCount > 1 {
		rows.Fold = c.fold
	}
	total, err := rows.Read(ctx, c.report.features, c.plan.Rows, func(b rff.Batch) ([]float64, error) {
		if err := c.admit(b); err != nil {
			return nil, err
		}
		c.countRows(b)
		c.resuming.watch(b)
		n += int64(b.X.Rows)
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			c.progress("rows", n, known, start)
		}
		return c.shift.at, nil
	})
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, none("rows")
	}
	if c.classes != nil {
		c.report.Counts = c.classes.count
		if err := c.classes.check(&c.shift); err != nil {
			return nil, err
		}
	}
	if c.shift.at == nil || c.shift.lo[0] > c.shift.hi[0] {
		return nil, none(noWeight)
	}
	if err := c.checkTargets(); err != nil {
		return nil, err
	}
	c.progress("rows", total, total, start)
	c.rows, c.report.Train.Rows, c.report.Took["rows"] = total, c.present(total), time.Since(start)
	return rows, nil
}

// prepare makes the rows outside the fold held the training rows, or all rows if held is −1.
func (c *iterative[T]) prepare(ctx context.Context, held int) error {
	c.left = held
	return public(c.system.Prepare(ctx, held, func(weight float64) error { return c.checkSums(weight, &c.shift) }))
}

// solve is System.Solve with checkpoints: it goes on with a solution that the checkpoint has
// begun, and saves how far it comes.
func (c *iterative[T]) solve(ctx context.Context, lambda float64, coef blas.General[float64]) (Solved, error) {
	r := c.resuming
	h, of := r.choice, []float64{lambda, float64(c.left)}
	if h.state != nil && slices.Equal(h.solving, of) {
		c.system.From = h.state
	}
	h.state = nil
	if r.Path != "" {
		c.system.Watch = func(s *cg.State) error {
			h.state, h.solving = s, of
			err := r.keep(c.rows, false)
			h.state = nil // the solver goes on changing its vectors
			return err
		}
	}
	usual := cg.Tolerance
	if c.loss != nil {
		usual = cg.LossTolerance
	}
	s, err := c.system.Solve(ctx, lambda, cmp.Or(c.Passes.Tolerance, usual), coef, func(n int, since time.Time) {
		c.progress("iterations", int64(n), -1, since)
	})
	if errors.Is(err, cg.ErrState) {
		return Solved{}, r.otherData("it does not say how far a solution is")
	}
	return iterated(s), public(err)
}

// solveEach is solve with a λ per target. It solves all targets once for every different λ, and
// takes the columns of the targets with that λ.
func (c *iterative[T]) solveEach(ctx context.Context, lambda []float64, coef blas.General[float64]) (worst Solved, err error) {
	if slices.Max(lambda) == slices.Min(lambda) {
		return c.solve(ctx, lambda[0], coef)
	}
	start := dense.Clone(coef)
	for t, l := range lambda {
		if slices.Contains(lambda[:t], l) {
			continue
		}
		all := dense.Clone(start)
		solved, err := c.solve(ctx, l, all)
		if err != nil {
			return solved, err
		}
		if worst.Solver == "" || solved.Iterations > worst.Iterations {
			worst = solved
		}
		for k := t; k < len(lambda); k++ {
			if lambda[k] == l {
				copyColumn(coef, all, k)
			}
		}
	}
	return worst, nil
}

// copyColumn copies column k.
func copyColumn(to, from blas.General[float64], k int) {
	for i := range to.Rows {
		to.Row(i)[k] = from.Row(i)[k]
	}
}

// clearRise is the factor by which the held-out error must exceed its least value, so that no
// smaller λ is worth its passes. All λ are measured on the same rows, so differences between
// neighbours have little noise.
const clearRise = 1.1

// choose solves on the rows outside fold 0. It returns, for every target, the λ whose solution
// has the least error on fold 0, and these errors. It goes from the largest λ down, and each
// solution is the start of the next. It stops after two rises of the error in a row or one
// clear rise, in every target if each has its own λ. It also stops where the iteration does not
// converge: the report's path then has that λ with an infinite error. At the end the choice has
// the coefficients of the chosen λ. The checkpoint has the choice after every λ.
func (c *iterative[T]) choose(ctx context.Context) (chosen []PathPoint, lambda []float64, err error) {
	if err := c.prepare(ctx, 0); err != nil {
		return nil, nil, err
	}
	if c.loss != nil && len(c.Lambdas) == 0 {
		c.grid = lambdasOf(c.system.Unit())
	}
	h := c.resuming.choice
	if !h.among(c.grid) {
		return nil, nil, c.resuming.otherData("it has tried λ that are not those of this fit")
	}
	for i := range h.path {
		if err := c.system.Revisit(ctx, h.path[len(h.path)-1-i].Lambda); err != nil {
			return nil, nil, public(err)
		}
	}
	for h.left > 0 && slices.Min(h.rises) < 2 {
		l := h.left - 1
		point, err := c.point(ctx, c.grid[l], h.now)
		var slow *SolveError
		slows := errors.As(err, &slow) && slow.solved.unconverged && l < len(c.grid)-1
		if err != nil && !slows {
			return nil, nil, err
		}
		h.path = append([]PathPoint{point}, h.path...)
		if h.left = l; slows {
			h.left = 0
		} else {
			c.judge(h, l, point)
		}
		if err := c.resuming.keep(c.rows, h.left == 0 || slices.Min(h.rises) >= 2); err != nil {
			return nil, nil, err
		}
	}
	lambda = h.lambda
	if len(c.grid) > 1 && c.at == nil {
		c.report.Path = h.path
		for _, l := range lambda {
			c.report.AtEdge = c.report.AtEdge || l == c.grid[0] || l == c.grid[len(c.grid)-1]
		}
	}
	return []PathPoint{{Error: h.least}}, lambda, nil
}

// judge keeps λ number l, with its errors in point and its solution in h.now, for the targets
// for which it is the best so far.
func (c *iterative[T]) judge(h *choice, l int, point PathPoint) {
	for t := range h.lowest {
		if h.rises[t] >= 2 {
			continue // it has stopped, and only other targets go on
		}
		e := totalOf(&point)
		if c.PerTarget {
			e = point.Error[t]
		}
		better := e < h.lowest[t]
		if h.rises[t]++; e > clearRise*h.lowest[t] {
			h.rises[t]++
		}
		if c.at != nil { // it is given
			better, h.rises[t] = c.at[t] == l, 0
		}
		if better {
			h.lowest[t], h.least[t], h.lambda[t], h.rises[t] = e, point.Error[t], c.grid[l], 0
			copyColumn(h.coef, h.now, t)
		}
	}
}

// point solves for λ and measures the rows of the fold left out. Where the iteration
// does not converge the errors are infinite, and err is the *SolveError.
func (c *iterative[T]) point(ctx context.Context, lambda float64, coef blas.General[float64]) (p PathPoint, err error) {
	p.Lambda = lambda
	p.Solved, err = c.solve(ctx, lambda, coef)
	var slow *SolveError
	if errors.As(err, &slow) && slow.solved.unconverged {
		p.Solved = slow.solved
		for range c.targets {
			p.Error = append(p.Error, math.Inf(1))
		}
	}
	if err != nil {
		return p, err
	}
	p.Error, err = c.system.HeldOut(ctx, coef)
	return p, public(err)
}

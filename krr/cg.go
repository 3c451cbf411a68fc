package krr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
)

// defaultMemory of conjugate gradients.
const defaultMemory = 1 << 30

// iterative solves (A + Σw·λ·I)β = R by preconditioned conjugate gradients without
// ever forming A: Aβ = Zᵀ(Zβ), each factor fused with the generation of the
// features. The preconditioner is the same system on a sample of the rows, as
// in Rudi, Carratino and Rosasco, "FALKON" (NIPS 2017), factored as it stands
// or, where s×s numbers are beyond the budget, by way of the rows.
//
// Rows are kept in memory if they fit in what is left of the budget; otherwise
// every iteration reads the data. Neither changes a bit of the result; the
// preconditioner, which also depends on the budget, does.
type iterative[T blas.Float] struct {
	*fit
	feat   *blas.Features[T]
	engine blas.Engine
	plan   plan
	kept   bool      // all rows are in memory:
	rows   []part[T] // these
	held   int       // fold left out of training; −1 for none

	n    int64   // training rows
	w    float64 // of these, as z, y, r and yy
	z, y []float64
	r    blas.General[float64]
	yy   []float64

	precond preconditioner
	mu      float64 // Σw·λ

	acc *blas.Accumulator[T]
	// What passes work on, one after the other.
	chunks   chunks
	streamed partMemory[T] // the part that was read
	chosen   partMemory[T] // the rows of it that are wanted
	scratch  struct {
		u, w, coef, z []T
		row           []float64
	}
	vectors [4][]float64 // of the iteration
}

// part is some rows in the precision of the features, scaled.
type part[T blas.Float] struct {
	first int64
	index []int64 // of rows that do not follow each other
	x     blas.General[T]
	y     blas.General[float64] // less the reference
	w     []float64
	fold  []int // nil if there is only one
}

// row returns the index in the data of row i.
func (p *part[T]) row(i int) int64 {
	if p.index != nil {
		return p.index[i]
	}
	return p.first + int64(i)
}

// fitIterative is Fit with the solver ConjugateGradients.
func (f *fit) fitIterative(ctx context.Context) (*Model, *Report, error) {
	if f.Settings.Precision == Float32 {
		return (&iterative[float32]{fit: f, feat: f.m.Features32(), engine: f.m.Engine()}).run(ctx)
	}
	return (&iterative[float64]{fit: f, feat: f.m.Features64(), engine: f.m.Engine()}).run(ctx)
}

func (c *iterative[T]) run(ctx context.Context) (*Model, *Report, error) {
	start := time.Now()
	reported := start
	in, targets := c.data.Dims()
	s := c.report.Features
	budget := c.Memory
	if budget == 0 {
		budget = defaultMemory
	}
	size := int64(unsafe.Sizeof(*new(T)))
	var err error
	if c.plan, err = planMemory(budget, s, in, targets, int(size)); err != nil {
		return nil, nil, err
	}
	c.engine.Workers = c.plan.workers(workersOf(c.engine))
	need := budget
	if c.Memory == 0 {
		need -= c.plan.rows // the rows need not be kept
	}
	if have := availableMemory(); need > have {
		return nil, nil, &SettingError{"memory", budget, fmt.Sprintf("conjugate gradients would use %s, and %s are to be had here: set less, or take fewer features", bytesText(need), bytesText(have))}
	}
	// First pass: keep the rows if they fit, check everything.
	perRow := int64(in)*size + 8*int64(targets+1)
	var total int64
	known := sourceRows(c.data)
	c.kept = known < 0 || known*perRow <= c.plan.rows
	for b, err := range aheadIn(ctx, c.data, s, &c.chunks) {
		if err != nil {
			return nil, nil, err
		}
		if err := c.admit(b); err != nil {
			return nil, nil, err
		}
		total += int64(b.X.Rows)
		if now := time.Now(); now.Sub(reported) > progressEvery {
			reported = now
			c.progress("rows", total, known, start)
		}
		switch {
		case !c.kept:
		case total*perRow <= c.plan.rows:
			c.rows = append(c.rows, c.convert(b, new(partMemory[T])))
		default:
			c.kept, c.rows = false, nil
		}
	}
	if total == 0 {
		return nil, nil, &EmptyError{"rows"}
	}
	if c.classes != nil {
		c.report.Counts = c.classes.count
		if err := c.classes.check(); err != nil {
			return nil, nil, err
		}
	}
	if c.shift.at == nil {
		return nil, nil, &EmptyError{"rows of positive weight"}
	}
	c.progress("rows", total, total, start)
	c.report.Rows, c.report.Read = total, time.Since(start)
	start = time.Now()
	coef := blas.NewGeneral[float64](s, targets)
	lambda := c.grid[0]
	var info Solved
	if len(c.grid) > 1 {
		if lambda, err = c.choose(ctx, coef); err != nil {
			return nil, nil, err
		}
		c.report.Select = time.Since(start)
		start = time.Now()
	}
	if err := c.prepare(ctx, -1); err != nil {
		return nil, nil, err
	}
	if info, err = c.solve(ctx, lambda, coef); err != nil {
		return nil, nil, err
	}
	intercept := make([]float64, targets)
	for t := range intercept {
		intercept[t] = c.y[t]
		for j, z := range c.z {
			intercept[t] -= float64(z * coef.Row(j)[t])
		}
		intercept[t] += c.shift.at[t]
	}
	model := newModel(c.m, c.Settings.Precision, c.Scaling, coef, intercept)
	model.classes, model.solved = c.Classes, info
	model.inputs, model.target = c.Inputs, c.Target
	for range targets {
		model.lambda = append(model.lambda, lambda)
	}
	if c.ClipPredictions && c.classes == nil {
		model.lo, model.hi = c.shift.lo, c.shift.hi
	}
	c.report.Weight, c.report.Lambda, c.report.Solved, c.report.Solve = c.w, model.lambda, info, time.Since(start)
	model.prov = c.provenance(model)
	return model, &c.report, nil
}

// partMemory is what a part is made on.
type partMemory[T blas.Float] struct {
	x     []T
	y, w  []float64
	index []int64
	fold  []int
}

// convert makes a part of the rows of b, on the memory of m.
func (c *iterative[T]) convert(b rff.Batch, m *partMemory[T]) part[T] {
	n := 0
	for i := range b.X.Rows {
		if weightOf(b.Weight, i) > 0 {
			n++
		}
	}
	p := part[T]{first: b.First, x: dense.Fitting(&m.x, n, b.X.Cols), y: dense.Fitting(&m.y, n, b.Y.Cols)}
	m.w, m.index, m.fold = m.w[:0], m.index[:0], m.fold[:0]
	r := 0
	for i := range b.X.Rows {
		if weightOf(b.Weight, i) == 0 {
			continue // no row
		}
		scaleTo(c.Scaling, p.x.Row(r), b.X.Row(i))
		shiftTo(p.y.Row(r), b.Y.Row(i), c.shift.at)
		if b.Weight != nil {
			m.w = append(m.w, b.Weight[i])
			p.w = m.w
		}
		if n < b.X.Rows {
			m.index = append(m.index, b.First+int64(i))
			p.index = m.index
		}
		if c.foldCount > 1 {
			m.fold = append(m.fold, c.fit.fold(b, i))
			p.fold = m.fold
		}
		r++
	}
	return p
}

// each calls f with the rows that take wants, nil for all; f must not keep them.
func (c *iterative[T]) each(ctx context.Context, take func(p *part[T], i int) bool, f func(p part[T])) error {
	use := func(p part[T]) {
		if take != nil {
			p = c.choice(p, take)
		}
		if p.x.Rows > 0 {
			f(p)
		}
	}
	if c.kept {
		for _, p := range c.rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			use(p)
		}
		return nil
	}
	for b, err := range aheadIn(ctx, c.data, c.report.Features, &c.chunks) {
		if err != nil {
			return err
		}
		use(c.convert(b, &c.streamed))
	}
	return nil
}

// choice returns the rows of p that take wants, until the next call.
func (c *iterative[T]) choice(p part[T], take func(p *part[T], i int) bool) part[T] {
	m := &c.chosen
	q := part[T]{x: dense.Fitting(&m.x, p.x.Rows, p.x.Cols), y: dense.Fitting(&m.y, p.y.Rows, p.y.Cols)}
	m.w, m.index = m.w[:0], m.index[:0]
	n := 0
	for i := range p.x.Rows {
		if !take(&p, i) {
			continue
		}
		copy(q.x.Row(n), p.x.Row(i))
		copy(q.y.Row(n), p.y.Row(i))
		if p.w != nil {
			m.w = append(m.w, p.w[i])
			q.w = m.w
		}
		m.index = append(m.index, p.row(i))
		n++
	}
	q.x, q.y, q.index = q.x.RowRange(0, n), q.y.RowRange(0, n), m.index
	return q
}

// training returns the choice of the rows to learn from.
func (c *iterative[T]) training() func(p *part[T], i int) bool {
	if c.held < 0 {
		return nil
	}
	return func(p *part[T], i int) bool { return p.fold[i] != c.held }
}

// sums returns Σw·z·uᵀ and its like over the training rows, for u given by f.
// The next call overwrites it.
func (c *iterative[T]) sums(ctx context.Context, f func(p part[T], u blas.General[T])) (*blas.Sums, error) {
	if c.acc == nil {
		c.acc = blas.NewAccumulator(c.feat, c.targets, false)
	}
	s := &c.acc.Sums
	s.Rows, s.W = 0, 0
	for _, v := range [][]float64{s.ZY.Data, s.Z, s.Y, s.YY} {
		clear(v)
	}
	err := c.each(ctx, c.training(), func(p part[T]) {
		u := dense.Fitting[T](&c.scratch.u, p.x.Rows, c.targets)
		f(p, u)
		var weight []T
		if p.w != nil {
			weight = dense.Fitting[T](&c.scratch.w, 1, len(p.w)).Data
			convert(weight, p.w)
		}
		c.acc.Add(c.engine, p.x, u, weight)
	})
	c.acc.Flush(c.engine)
	return s, err
}

// prepare sets the right-hand side for the training rows outside the fold held.
func (c *iterative[T]) prepare(ctx context.Context, held int) error {
	c.held = held
	targets := c.targets
	s, err := c.sums(ctx, func(p part[T], u blas.General[T]) {
		for i := range u.Rows {
			convert(u.Row(i), p.y.Row(i))
		}
	})
	if err != nil {
		return err
	}
	if !(s.W > 0) {
		return &EmptyError{"rows of positive weight"}
	}
	// An empty G takes the place of ZᵀZ: ridge.New centres the rest alike.
	if err := c.checkSums(s.W, &c.shift); err != nil {
		return err
	}
	sys := &ridge.System{Z: make([]float64, len(s.Z)), Y: make([]float64, targets), YY: make([]float64, targets), R: blas.NewGeneral[float64](len(s.Z), targets)}
	sys.Form(s, nil)
	c.w, c.z, c.y, c.r, c.yy = sys.W, sys.Z, sys.Y, sys.R, sys.YY
	c.n = s.Rows
	return nil
}

// multiply writes (A + Σw·λ·I)p to dst.
func (c *iterative[T]) multiply(ctx context.Context, dst, p blas.General[float64]) error {
	t := p.Cols
	coef := dense.Fitting[T](&c.scratch.coef, p.Rows, t)
	shift := make([]T, t)
	mean := make([]float64, t)
	for j, z := range c.z {
		convert(coef.Row(j), p.Row(j))
		for k, v := range p.Row(j) {
			mean[k] += float64(z * v)
		}
	}
	for k, v := range mean {
		shift[k] = T(-v)
	}
	s, err := c.sums(ctx, func(q part[T], u blas.General[T]) {
		c.feat.Predict(c.engine, u, q.x, coef, shift)
	})
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

// choose returns the λ with the least error on the rows of fold 0, from
// solutions on the other rows, each the start of the next, from the largest λ
// down. It stops after two rises in a row, and at a λ whose system cannot be
// solved, which then is in the report's path and cannot be chosen. coef ends as
// a start for the final fit.
func (c *iterative[T]) choose(ctx context.Context, coef blas.General[float64]) (float64, error) {
	if err := c.prepare(ctx, 0); err != nil {
		return 0, err
	}
	lowest, rises := math.Inf(1), 0
	lambda := c.grid[len(c.grid)-1]
	now := dense.Clone(coef)
	for l := len(c.grid) - 1; l >= 0 && rises < 2; l-- {
		info, err := c.solve(ctx, c.grid[l], now)
		point := PathPoint{Lambda: c.grid[l], Solved: info}
		var slow *ConvergenceError
		if errors.As(err, &slow) && l < len(c.grid)-1 {
			for range c.targets {
				point.MSE = append(point.MSE, math.Inf(1))
			}
			c.report.Path = append([]PathPoint{point}, c.report.Path...)
			break
		}
		if err != nil {
			return 0, err
		}
		if point.MSE, err = c.heldOut(ctx, now); err != nil {
			return 0, err
		}
		c.report.Path = append([]PathPoint{point}, c.report.Path...)
		if e := point.Total(); e < lowest {
			lowest, lambda, rises = e, c.grid[l], 0
			for i := range coef.Rows {
				copy(coef.Row(i), now.Row(i))
			}
		} else {
			rises++
		}
	}
	c.report.AtEdge = lambda == c.grid[0] || lambda == c.grid[len(c.grid)-1]
	return lambda, nil
}

// heldOut returns the mean squared error per target on the rows held out.
func (c *iterative[T]) heldOut(ctx context.Context, coef blas.General[float64]) ([]float64, error) {
	t := coef.Cols
	low, shift := blas.NewGeneral[T](coef.Rows, t), make([]T, t)
	intercept := append([]float64(nil), c.y...)
	for j, z := range c.z {
		convert(low.Row(j), coef.Row(j))
		for k, v := range coef.Row(j) {
			intercept[k] -= float64(z * v)
		}
	}
	convert(shift, intercept)
	out := make([]float64, t)
	var sum float64
	in := func(p *part[T], i int) bool { return p.fold[i] == c.held }
	err := c.each(ctx, in, func(p part[T]) {
		u := dense.Fitting[T](&c.scratch.u, p.x.Rows, t)
		c.feat.Predict(c.engine, u, p.x, low, shift)
		for i := range u.Rows {
			w := weightOf(p.w, i)
			sum += w
			for k, v := range u.Row(i) {
				d := p.y.Row(i)[k] - float64(v)
				out[k] += float64(w * d * d)
			}
		}
	})
	if err == nil && sum == 0 {
		return nil, &EmptyError{"held-out rows to choose λ with: give more rows, or set lambda"}
	}
	for k := range out {
		out[k] /= sum
	}
	return out, err
}

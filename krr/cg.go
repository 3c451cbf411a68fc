package krr

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// defaultMemory of conjugate gradients.
const defaultMemory = 1 << 30

const (
	// cgTolerance on the preconditioned residual relative to the right-hand
	// side: below what a change of λ by a percent does to predictions.
	cgTolerance = 1e-4
	// cgIterations is the most per λ.
	cgIterations = 500
	// cgSample is the most rows the preconditioner is made of.
	cgSample = 4000
)

// iterative solves (A + nλI)β = R by preconditioned conjugate gradients without
// ever forming A: Aβ = Zᵀ(Zβ), each factor fused with the generation of the
// features. The preconditioner is the same problem on m rows drawn at random,
// P = (n/m)SᵀS + nλI, inverted by an m×m Cholesky factor (Woodbury); it catches
// the large eigenvalues, which the sample has too (as the Nyström
// preconditioner of Rudi, Carratino and Rosasco, "FALKON", NIPS 2017, does).
//
// Memory: m·s numbers for the sample, a few vectors, and the raw rows if they
// fit in what is left of the budget; otherwise every iteration reads the data.
type iterative[T blas.Float] struct {
	*fit
	feat   *blas.Features[T]
	engine blas.Engine
	rows   []part[T] // all rows, if they fit
	kept   bool
	held   int // rows of this fold are left out of passes over training rows; −1 for none

	w          float64 // of the current training rows, as z, y and r
	n          int64
	z, y       []float64
	r          blas.General[float64]
	yy         []float64
	sample     blas.General[float64] // S, centred, m×s
	sampleW    float64
	gram       blas.General[float64] // SSᵀ, m×m
	factor     blas.General[float64] // of SSᵀ + (m/n)·nλ·I
	mu, weight float64               // nλ and n/m of the factor
}

// part is some rows in the precision of the features, scaled.
type part[T blas.Float] struct {
	first int64
	x     blas.General[T]
	y     blas.General[float64]
	w     []float64
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
	in, targets := c.data.Dims()
	s := c.report.Features
	budget := c.Memory
	if budget == 0 {
		budget = defaultMemory
	}
	// The sample takes m·s numbers and its Gram and factor m² each: three
	// quarters of the budget at most, which solves 16m² + 8sm = ¾·budget.
	h := float64(float64(s) * 0.25)
	m := int(min(cgSample, math.Sqrt(float64(h*h)+float64(0.046875*float64(budget)))-h))
	if m < 1 {
		return nil, nil, &SettingError{"memory", budget, fmt.Sprintf("conjugate gradients with %d features need at least %d bytes", s, 16*s)}
	}
	rest := budget - 8*int64(m)*int64(s+2*m)
	// First pass: keep the rows if they fit, draw the sample, check everything.
	drawn, total, err := reservoirOf(ctx, c.data, m, c.Seed+2, s, func(b rff.Batch) error {
		if c.classes != nil {
			if err := c.classes.add(b.First, b.Y); err != nil {
				return err
			}
		}
		rest -= int64(b.X.Rows) * int64(8*(in+targets+1))
		if rest >= 0 {
			c.rows = append(c.rows, c.convert(b))
		} else {
			c.rows = nil
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
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
	c.kept = rest >= 0
	c.report.Rows, c.report.Read = total, time.Since(start)
	start = time.Now()
	coef := blas.NewGeneral[float64](s, targets)
	lambda := c.grid[0]
	var info Solved
	if len(c.grid) > 1 {
		if lambda, err = c.choose(ctx, drawn, coef); err != nil {
			return nil, nil, err
		}
		c.report.Select = time.Since(start)
		start = time.Now()
	}
	if err := c.prepare(ctx, -1, drawn); err != nil {
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
	}
	model := newModel(c.m, c.Settings.Precision, c.Scaling, coef, intercept)
	model.classes, model.solved = c.Classes, info
	for range targets {
		model.lambda = append(model.lambda, lambda)
	}
	if c.ClipPredictions && c.classes == nil {
		if model.lo, model.hi, err = c.ranges(ctx); err != nil {
			return nil, nil, err
		}
	}
	c.report.Weight, c.report.Lambda, c.report.Solved, c.report.Solve = c.w, model.lambda, info, time.Since(start)
	model.prov = c.provenance(model)
	return model, &c.report, nil
}

func (c *iterative[T]) convert(b rff.Batch) part[T] {
	p := part[T]{first: b.First, x: blas.NewGeneral[T](b.X.Rows, b.X.Cols), y: cloneGeneral(b.Y)}
	for i := range b.X.Rows {
		scaleTo(c.Scaling, p.x.Row(i), b.X.Row(i))
	}
	if b.Weight != nil {
		p.w = append(p.w, b.Weight...)
	}
	return p
}

// each calls f with the rows outside the fold held, or in it if inside is set.
func (c *iterative[T]) each(ctx context.Context, inside bool, f func(p part[T])) error {
	use := func(p part[T]) {
		if c.held >= 0 {
			q := part[T]{x: p.x, y: p.y}
			q.x.Rows, q.y.Rows = 0, 0
			x, y := blas.NewGeneral[T](p.x.Rows, p.x.Cols), blas.NewGeneral[float64](p.y.Rows, p.y.Cols)
			n := 0
			for i := range p.x.Rows {
				if (foldOf(c.Seed, p.first+int64(i), c.foldCount) == c.held) == inside {
					copy(x.Row(n), p.x.Row(i))
					copy(y.Row(n), p.y.Row(i))
					if p.w != nil {
						q.w = append(q.w, p.w[i])
					}
					n++
				}
			}
			q.x, q.y = x.RowRange(0, n), y.RowRange(0, n)
			p = q
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
	for b, err := range ahead(ctx, c.data, c.report.Features) {
		if err != nil {
			return err
		}
		use(c.convert(b))
	}
	return nil
}

// sums adds Σw·z·uᵀ and its like over the training rows, for u given by f.
func (c *iterative[T]) sums(ctx context.Context, columns int, f func(p part[T], u blas.General[T])) (*blas.Sums, error) {
	acc := blas.NewAccumulator(c.feat, columns, false)
	var u, w []T
	err := c.each(ctx, false, func(p part[T]) {
		um := fitting[T](&u, p.x.Rows, columns)
		f(p, um)
		var weight []T
		if p.w != nil {
			weight = fitting[T](&w, 1, len(p.w)).Data
			convert(weight, p.w)
		}
		acc.Add(c.engine, p.x, um, weight)
	})
	acc.Flush(c.engine)
	return &acc.Sums, err
}

// prepare sets the right-hand side and the preconditioner's sample for the
// training rows outside the fold held.
func (c *iterative[T]) prepare(ctx context.Context, held int, drawn *memory) error {
	c.held = held
	targets := c.targets
	s, err := c.sums(ctx, targets, func(p part[T], u blas.General[T]) {
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
	// An empty G takes the place of ZᵀZ: newSystem centres the rest alike.
	s.G = blas.General[float64]{}
	sys := &system{z: make([]float64, len(s.Z)), y: make([]float64, targets), yy: make([]float64, targets), r: blas.NewGeneral[float64](len(s.Z), targets)}
	sys.form(s, nil)
	c.w, c.n, c.z, c.y, c.r, c.yy = sys.w, sys.rows, sys.z, sys.y, sys.r, sys.yy

	x := blas.NewGeneral[T](drawn.x.Rows, drawn.x.Cols)
	for i := range x.Rows {
		scaleTo(c.Scaling, x.Row(i), drawn.x.Row(i))
	}
	z := blas.NewGeneral[T](x.Rows, len(c.z))
	c.feat.Transform(c.engine, z, x)
	c.sample = blas.NewGeneral[float64](x.Rows, len(c.z))
	c.sampleW = 0
	for i := range x.Rows {
		w := weightOf(drawn.w, i)
		c.sampleW += w
		root := math.Sqrt(w)
		for j, v := range z.Row(i) {
			c.sample.Row(i)[j] = root * (float64(v) - c.z[j])
		}
	}
	c.gram = blas.NewGeneral[float64](x.Rows, x.Rows)
	blas.Gemm(c.engine, false, true, 1, c.sample, c.sample, 0, c.gram)
	return nil
}

// precondition factors P for λ.
func (c *iterative[T]) precondition(lambda float64) error {
	c.mu, c.weight = c.w*lambda, c.w/c.sampleW
	c.factor = cloneGeneral(c.gram)
	// SSᵀ has rounding errors of eps·tr; the preconditioner may have as much more.
	var trace float64
	for i := range c.gram.Rows {
		trace += c.gram.Row(i)[i]
	}
	shift := c.mu/c.weight + float64(0x1p-50*trace)
	for i := range c.factor.Rows {
		c.factor.Row(i)[i] += shift
	}
	if err := blas.Cholesky(c.engine, c.factor); err != nil {
		return &SingularError{lambda, err}
	}
	return nil
}

// applyInverse writes P⁻¹v to dst: (v − Sᵀ(SSᵀ + (μ/c)I)⁻¹Sv)/μ.
func (c *iterative[T]) applyInverse(dst, v blas.General[float64]) {
	t := blas.NewGeneral[float64](c.sample.Rows, v.Cols)
	blas.Gemm(c.engine, false, false, 1, c.sample, v, 0, t)
	blas.CholeskySolve(c.engine, c.factor, t)
	for i := range v.Rows {
		copy(dst.Row(i), v.Row(i))
	}
	blas.Gemm(c.engine, true, false, -1, c.sample, t, 1, dst)
	for i := range dst.Rows {
		row := dst.Row(i)
		for k := range row {
			row[k] /= c.mu
		}
	}
}

// multiply writes (A + nλI)p to dst.
func (c *iterative[T]) multiply(ctx context.Context, dst, p blas.General[float64]) error {
	t := p.Cols
	coef := blas.NewGeneral[T](p.Rows, t)
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
	s, err := c.sums(ctx, t, func(q part[T], u blas.General[T]) {
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

// solve improves coef, the start, to the solution for λ. Targets advance side
// by side, each with steps of its own.
func (c *iterative[T]) solve(ctx context.Context, lambda float64, coef blas.General[float64]) (Solved, error) {
	info := Solved{Solver: ConjugateGradients}
	if err := c.precondition(lambda); err != nil {
		return info, err
	}
	tolerance := c.Tolerance
	if tolerance == 0 {
		tolerance = cgTolerance
	}
	n, t := coef.Rows, coef.Cols
	res, q := blas.NewGeneral[float64](n, t), blas.NewGeneral[float64](n, t)
	z, p := blas.NewGeneral[float64](n, t), blas.NewGeneral[float64](n, t)
	dots := func(a, b blas.General[float64]) []float64 {
		out := make([]float64, t)
		for i := range n {
			bi := b.Row(i)
			for k, v := range a.Row(i) {
				out[k] += float64(v * bi[k])
			}
		}
		return out
	}
	c.applyInverse(z, c.r)
	size := dots(c.r, z) // of the right-hand side
	if err := c.multiply(ctx, q, coef); err != nil {
		return info, err
	}
	for i := range n {
		for k := range t {
			res.Row(i)[k] = c.r.Row(i)[k] - q.Row(i)[k]
		}
	}
	c.applyInverse(z, res)
	rz := dots(res, z)
	for i := range n {
		copy(p.Row(i), z.Row(i))
	}
	done := func() bool {
		info.Residual = 0
		for k := range t {
			if size[k] > 0 {
				info.Residual = max(info.Residual, math.Sqrt(max(0, rz[k])/size[k]))
			}
		}
		return info.Residual <= tolerance
	}
	for !done() && info.Iterations < cgIterations {
		info.Iterations++
		if err := c.multiply(ctx, q, p); err != nil {
			return info, err
		}
		pq := dots(p, q)
		step := make([]float64, t)
		for k := range t {
			if pq[k] > 0 {
				step[k] = rz[k] / pq[k]
			}
		}
		for i := range n {
			for k := range t {
				coef.Row(i)[k] += float64(step[k] * p.Row(i)[k])
				res.Row(i)[k] -= float64(step[k] * q.Row(i)[k])
			}
		}
		c.applyInverse(z, res)
		next := dots(res, z)
		for i := range n {
			for k := range t {
				beta := 0.0
				if rz[k] > 0 {
					beta = next[k] / rz[k]
				}
				p.Row(i)[k] = z.Row(i)[k] + float64(beta*p.Row(i)[k])
			}
		}
		rz = next
		c.progress("iterations", int64(info.Iterations), -1, time.Now())
	}
	info.Unconverged = info.Residual > tolerance
	if !finite(coef) {
		return info, &SingularError{lambda, fmt.Errorf("the iteration diverged")}
	}
	return info, nil
}

// choose returns the λ with the least error on the rows of fold 0, from
// solutions on the other rows, each the start of the next, from the largest λ
// down; it stops after two rises in a row. coef ends as a start for the final fit.
func (c *iterative[T]) choose(ctx context.Context, drawn *memory, coef blas.General[float64]) (float64, error) {
	if err := c.prepare(ctx, 0, drawn); err != nil {
		return 0, err
	}
	lowest, rises := math.Inf(1), 0
	lambda := c.grid[len(c.grid)-1]
	now := cloneGeneral(coef)
	for l := len(c.grid) - 1; l >= 0 && rises < 2; l-- {
		info, err := c.solve(ctx, c.grid[l], now)
		if err != nil {
			return 0, err
		}
		point := PathPoint{Lambda: c.grid[l], Solved: info}
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
	err := c.each(ctx, true, func(p part[T]) {
		u := blas.NewGeneral[T](p.x.Rows, t)
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

// ranges returns the range of every target.
func (c *iterative[T]) ranges(ctx context.Context) (lo, hi []float64, err error) {
	for range c.targets {
		lo, hi = append(lo, math.Inf(1)), append(hi, math.Inf(-1))
	}
	c.held = -1
	err = c.each(ctx, false, func(p part[T]) {
		for i := range p.y.Rows {
			for k, v := range p.y.Row(i) {
				lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
			}
		}
	})
	return lo, hi, err
}

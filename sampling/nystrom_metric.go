package sampling

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/ridge"
)

// What Nystrom.Metric takes to learn the scales.
const (
	metricRows      = 8000 // rows to learn on, and a quarter of it to validate on
	metricLandmarks = 256  // of the fits
	metricGradients = 2000 // rows whose gradients are taken
	metricRounds    = 6
)

// nystromMetric learns a bandwidth per input for a kernel of the Euclidean distance: the
// recursive feature machine of Radhakrishnan et al. (Science 383, 2024; see Metric) on
// kernel sections, with the diagonal of M = mean ∇f∇fᵀ alone.
type nystromMetric struct {
	engine blas.Engine
	rows   *learningRows
	marks  *mat.Dense
	// with returns the kernel of those bandwidths, in standardised inputs.
	with func(bandwidths []float64) rff.Kernel
	// slope is φ'(r)/r of the kernel φ(r) at bandwidth 1.
	slope func(r float64) float64
}

// metricFit is ridge regression on the sections at some bandwidths.
type metricFit struct {
	bandwidths []float64
	error      float64   // per row held out, summed over targets; +Inf if there is no solution
	losses     []float64 // of the rows held out
	alpha      blas.General[float64]
}

// learnedKernel returns the kernel of q with a bandwidth per input that was learned; the
// kernel as it is if that does no better on rows held out, beyond noise, or there is
// nothing to learn from.
func (s Nystrom) learnedKernel(ctx context.Context, q *request) (rff.Kernel, error) {
	bandwidths, with, slope, ok := radial(q.kernel, q.dim)
	if !ok {
		return nil, kernelError(q.sampler, q.kernel, "a metric is learned for gaussian and matern kernels")
	}
	rows, err := readLearning(ctx, q, metricRows, 0, q.src.Uint64())
	if err != nil {
		return nil, err
	}
	if q.dim == 1 || rows.train.X.Rows < leastTrain || rows.valid.X.Rows < leastValid || !varies(rows.train.Y) {
		return q.kernel, nil
	}
	l := &nystromMetric{engine: s.Engine, rows: rows, with: with, slope: slope}
	x := rows.train.X.RowRange(0, min(metricLandmarks, q.features, rows.train.X.Rows)) // in random order
	l.marks = matOf(dense.Clone(x))
	start := make([]float64, q.dim)
	for j, v := range bandwidths {
		start[j] = v / rows.given[j]
	}
	plain, err := l.climb(ctx, start)
	if err != nil {
		return nil, err
	}
	best, worse := plain, 0
	for at, round := plain, 0; round < metricRounds && worse < 2; round++ {
		next, ok := l.next(at)
		if !ok {
			break
		}
		if at, err = l.climb(ctx, next); err != nil {
			return nil, err
		}
		worse++
		if at.error < best.error {
			best, worse = at, 0
		}
	}
	if best == plain || !l.better(best, plain) {
		return q.kernel, nil
	}
	learned := make([]float64, q.dim)
	for j, v := range best.bandwidths {
		learned[j] = v * rows.given[j]
	}
	return with(learned), nil
}

// radial returns the bandwidths of a kernel that is a function φ of a distance in dim
// dimensions, what makes the kernel of others, and φ'(r)/r at bandwidth 1.
func radial(k rff.Kernel, dim int) (bandwidths []float64, with func([]float64) rff.Kernel, slope func(r float64) float64, ok bool) {
	switch v := k.(type) {
	case rff.Gaussian:
		bandwidths = v.Sigma
		with = func(b []float64) rff.Kernel { return rff.Gaussian{Sigma: b} }
		slope = func(r float64) float64 { return -portable.Exp(-float64(r*r) / 2) }
	case rff.Matern:
		bandwidths = v.Length
		with = func(b []float64) rff.Kernel { return rff.Matern{Nu: v.Nu, Length: b} }
		switch v.Nu {
		case 0.5:
			slope = func(r float64) float64 {
				if r == 0 { // the kink has no gradient
					return 0
				}
				return -portable.Exp(-r) / r
			}
		case 0, 1.5:
			slope = func(r float64) float64 { return -3 * portable.Exp(-math.Sqrt(3)*r) }
		default:
			slope = func(r float64) float64 {
				a := float64(math.Sqrt(5) * r)
				return -5. / 3 * float64((1+a)*portable.Exp(-a))
			}
		}
	default:
		return nil, nil, nil, false
	}
	out := make([]float64, dim)
	for j := range out {
		switch len(bandwidths) {
		case 0:
			out[j] = 1
		case 1:
			out[j] = bandwidths[0]
		default:
			out[j] = bandwidths[j]
		}
	}
	return out, with, slope, true
}

// climb returns the fit at the best multiple 2^{k/2} of bandwidths, downhill from k = 0.
func (l *nystromMetric) climb(ctx context.Context, bandwidths []float64) (*metricFit, error) {
	at := func(octave int) (*metricFit, error) {
		scaled := make([]float64, len(bandwidths))
		for j, v := range bandwidths {
			scaled[j] = learn.Bandwidth(v, octave)
		}
		return l.fit(ctx, scaled)
	}
	best, err := at(0)
	if err != nil {
		return nil, err
	}
	for _, step := range []int{1, -1} {
		moved := false
		for k := step; k >= -8 && k <= 8; k += step {
			f, err := at(k)
			if err != nil {
				return nil, err
			}
			if !(f.error < best.error) {
				break
			}
			best, moved = f, true
		}
		if moved {
			break
		}
	}
	return best, nil
}

// fit fits the training rows and takes the λ that does best on the others.
func (l *nystromMetric) fit(ctx context.Context, bandwidths []float64) (*metricFit, error) {
	m, err := rff.Nystrom(l.with(bandwidths), l.marks)
	if err != nil {
		return nil, err
	}
	train, valid := l.rows.train, l.rows.valid
	f := &metricFit{bandwidths: bandwidths, error: math.Inf(1)}
	z := m.Features64()
	sums := func(r learn.Rows) *blas.Sums {
		acc := blas.NewAccumulator(z, r.Y.Cols, true)
		acc.Add(l.engine, r.X, r.Y, r.Weight)
		acc.Flush(l.engine)
		return &acc.Sums
	}
	targets := train.Y.Cols
	system := ridge.New(sums(train), nil, make([]float64, targets))
	grid := []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
	_, columns := m.Dims()
	all := blas.NewGeneral[float64](columns, targets*len(grid))
	if _, err := system.SolveGrid(ctx, l.engine, grid, all, func(float64) {}); err != nil {
		return f, ctx.Err()
	}
	held := sums(valid)
	best := -1
	for i, e := range perLambda(system.HeldOut(l.engine, held, all, blas.NewGeneral[float64](columns, all.Cols)), targets) {
		if e /= held.W; e <= f.error { // of equal errors the larger λ
			f.error, best = e, i
		}
	}
	if best < 0 {
		return f, nil
	}
	coef := blas.NewGeneral[float64](columns, targets)
	for i := range columns {
		copy(coef.Row(i), all.Row(i)[best*targets:])
	}
	out := blas.NewGeneral[float64](valid.X.Rows, targets)
	z.Predict(l.engine, out, valid.X, coef, system.Intercept(coef))
	for i := range out.Rows {
		sum := 0.0
		for t, y := range valid.Y.Row(i) {
			e := y - out.Row(i)[t]
			sum += float64(e * e)
		}
		f.losses = append(f.losses, sum)
	}
	_, p := m.Factored()
	f.alpha = dense.MulUpper(l.engine, false, p, coef)
	return f, nil
}

// perLambda sums the errors of every λ over targets.
func perLambda(errs []float64, targets int) []float64 {
	out := make([]float64, len(errs)/targets)
	for i, e := range errs {
		out[i/targets] += e
	}
	return out
}

// next returns the bandwidths 1/√Mⱼⱼ, with the spread of the inputs that those of f
// have; !ok if M is none.
func (l *nystromMetric) next(f *metricFit) (bandwidths []float64, ok bool) {
	if f.alpha.Rows == 0 {
		return nil, false
	}
	b, ok := learn.FromProduct(l.engine, learn.Product{Diagonal: l.gradients(f)}, learn.Half)
	if !ok {
		return nil, false
	}
	var before, after float64
	for j, v := range f.bandwidths {
		before += 1 / float64(v*v)
		after += float64(b.Scale[j] * b.Scale[j])
	}
	scale := math.Sqrt(after / before)
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, false
	}
	bandwidths = make([]float64, len(f.bandwidths))
	for j, v := range b.Scale {
		bandwidths[j] = scale / v
	}
	return bandwidths, true
}

// gradients returns the sum over training rows and targets of (∂f/∂xⱼ)², of
// f(x) = Σ αₗφ(rₗ), rₗ² = Σ(xⱼ−cₗⱼ)²/bⱼ²: ∂f/∂xⱼ = Σ αₗ(φ'(rₗ)/rₗ)(xⱼ−cₗⱼ)/bⱼ².
func (l *nystromMetric) gradients(f *metricFit) []float64 {
	d, m, targets := len(f.bandwidths), f.alpha.Rows, f.alpha.Cols
	train := l.rows.train.First(metricGradients)
	n := train.X.Rows
	scaled := func(x func(i int) []float64, rows int) blas.General[float64] {
		out := blas.NewGeneral[float64](rows, d)
		for i := range rows {
			for j, v := range x(i) {
				out.Row(i)[j] = v / f.bandwidths[j]
			}
		}
		return out
	}
	x, c := scaled(train.X.Row, n), scaled(l.marks.RawRowView, m)
	slopes := blas.NewGeneral[float64](n, m)
	for i := range n {
		for k := range m {
			var r float64
			for j, v := range x.Row(i) {
				e := v - c.Row(k)[j]
				r += float64(e * e)
			}
			slopes.Row(i)[k] = l.slope(math.Sqrt(r))
		}
	}
	out := make([]float64, d)
	weighted, g := blas.NewGeneral[float64](n, m), blas.NewGeneral[float64](n, d)
	for t := range targets {
		for i := range n {
			for k, v := range slopes.Row(i) {
				weighted.Row(i)[k] = v * f.alpha.Row(k)[t]
			}
		}
		blas.Gemm(l.engine, false, false, 1, weighted, c, 0, g)
		for i := range n {
			w, total := 1.0, 0.0
			if train.Weight != nil {
				w = train.Weight[i]
			}
			for _, v := range weighted.Row(i) {
				total += v
			}
			for j, v := range x.Row(i) {
				e := (float64(total*v) - g.Row(i)[j]) / f.bandwidths[j]
				out[j] += float64(w * float64(e*e))
			}
		}
	}
	return out
}

// better reports whether f does better than g on the rows held out: by more than twice
// the standard error of the difference.
func (l *nystromMetric) better(f, g *metricFit) bool {
	if f.losses == nil || g.losses == nil {
		return f.losses != nil
	}
	var sum, mean, ss float64
	weight := func(i int) float64 {
		if w := l.rows.valid.Weight; w != nil {
			return w[i]
		}
		return 1
	}
	for i := range f.losses {
		sum += weight(i)
		mean += float64(weight(i) * (g.losses[i] - f.losses[i]))
	}
	mean /= sum
	for i := range f.losses {
		d, w := g.losses[i]-f.losses[i]-mean, weight(i)/sum
		ss += float64(float64(w*w) * float64(d*d))
	}
	return mean > 2*math.Sqrt(ss)
}

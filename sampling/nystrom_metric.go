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
	"github.com/rffgo/rff/internal/trial"
)

// What Nystrom.Metric takes to learn the scales.
const (
	metricRows      = 8000 // rows to learn on, and a quarter of it to validate on
	metricLandmarks = 256  // of the fits
	metricGradients = 2000 // rows whose gradients are taken
	metricRounds    = 6
	metricErrors    = 2 // standard errors that the best of the rounds must do better by
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
	*trial.Result
	bandwidths []float64
	alpha      blas.General[float64] // of the sections; no elements if there is no solution
}

// learnedKernel returns the kernel of q with a bandwidth per input that was learned; the
// kernel as it is if that does no better on rows held out, beyond noise, or there is
// nothing to learn from.
func (s Nystrom) learnedKernel(ctx context.Context, q *request) (rff.Kernel, error) {
	bandwidths, with, slope, ok := radial(q.Kernel, q.Dim)
	if !ok {
		return nil, kernelError(q.sampler, q.Kernel, "a metric is learned for gaussian and matern kernels")
	}
	rows, err := readLearning(ctx, q, metricRows, 0, q.Rand.Uint64())
	if err != nil {
		return nil, err
	}
	if q.Dim == 1 || rows.train.X.Rows < leastTrain || rows.valid.X.Rows < leastValid || !varies(rows.train.Y) {
		return q.Kernel, nil
	}
	l := &nystromMetric{engine: q.engine, rows: rows, with: with, slope: slope}
	x := rows.train.X.RowRange(0, min(metricLandmarks, q.Features, rows.train.X.Rows)) // in random order
	l.marks = matOf(dense.Clone(x))
	start := make([]float64, q.Dim)
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
		if at.Mean < best.Mean {
			best, worse = at, 0
		}
	}
	if best == plain || !trial.Compare(plain.Result, best.Result).Better(metricErrors) {
		return q.Kernel, nil
	}
	learned := make([]float64, q.Dim)
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
			if !(f.Mean < best.Mean) {
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
	f := &metricFit{Result: &trial.Result{Mean: math.Inf(1)}, bandwidths: bandwidths}
	task := trial.Task{Engine: l.engine, Lambdas: trial.Lambdas(false)[4:], Loss: trial.Squares, Keep: true,
		Map: func(context.Context, int, *trial.Rows) (*rff.Map, error) { return m, nil }}
	if r, err := task.Run(ctx, []trial.Split{{Train: l.rows.train, Valid: l.rows.valid}}, nil); err == nil && r.Solved() {
		f.Result = r
		f.alpha, _, _ = r.Solution()
		r.Forget()
	}
	return f, ctx.Err()
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
	train := l.rows.train.Head(metricGradients)
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
			w, total := train.WeightOf(i), 0.0
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

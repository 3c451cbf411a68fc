package sampling

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// The sizes of the search of Nystrom.Metric.
const (
	metricRows      = 8000 // rows to learn on; there are a quarter as many to validate on
	metricSections  = 256  // in each fit
	metricGradients = 2000 // rows whose gradients are taken
	metricRounds    = 6
	metricErrors    = 2 // by how many standard errors the best round must beat the given kernel
)

// nystromMetric learns a bandwidth per input for a kernel of a distance. It is the recursive
// feature machine of Radhakrishnan et al. (Science 383, 2024; see Metric) on kernel
// sections, and takes only the diagonal of M = mean ∇f∇fᵀ.
type nystromMetric struct {
	inside.Family
	engine blas.Engine
	rows   *learningRows
	marks  *mat.Dense
}

// metricFit is ridge regression on the sections at some bandwidths.
type metricFit struct {
	*trial.Result
	bandwidths []float64
	alpha      blas.General[float64] // of the sections; no elements if there is no solution
}

// learnedKernel returns the kernel of q with a learned bandwidth per input. It returns the
// kernel as it is if the learned bandwidths do no better on held-out rows, beyond noise, or
// if there is nothing to learn from.
func (s Nystrom) learnedKernel(ctx context.Context, q *request) (rff.Kernel, error) {
	k := inside.FamilyOf(q.Kernel, q.Dim)
	if k.Slope == nil {
		return nil, kernelError(q.sampler, q.Kernel, "a metric is learned for gaussian, laplacian and matern kernels")
	}
	rows, err := readLearning(ctx, q, metricRows, q.Rand.Uint64())
	if err != nil {
		return nil, err
	}
	if q.Dim == 1 || rows.train.X.Rows < leastTrain || rows.valid.X.Rows < leastValid || !varies(rows.train.Y) {
		return q.Kernel, nil
	}
	l := &nystromMetric{Family: k, engine: q.engine, rows: rows}
	x := rows.train.X.RowRange(0, min(metricSections, q.Features, rows.train.X.Rows)) // in random order
	l.marks = matOf(dense.Clone(x))
	start := make([]float64, q.Dim)
	for j := range start {
		start[j] = 1 / rows.given[j]
		if n := len(k.Bandwidths); n > 0 {
			start[j] = k.Bandwidths[min(j, n-1)] / rows.given[j]
		}
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
	return k.With(learned), nil
}

// climb returns the fit at the best multiple 2^{k/2} of bandwidths. It begins at k = 0 and
// goes on for as long as the error falls.
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

// fit fits the training rows and takes the λ that does best on the validation rows.
func (l *nystromMetric) fit(ctx context.Context, bandwidths []float64) (*metricFit, error) {
	m, err := rff.Nystrom(l.With(bandwidths), l.marks)
	if err != nil {
		return nil, err
	}
	f := &metricFit{Result: &trial.Result{Mean: math.Inf(1)}, bandwidths: bandwidths}
	task := trial.Task{Engine: l.engine, Lambdas: trial.Lambdas(stream.Float64)[4:], Loss: trial.Squares, Keep: true,
		Map: func(context.Context, blas.Engine, int, *trial.Rows) (*rff.Map, error) { return m, nil }}
	if r, err := task.Run(ctx, []trial.Split{{Train: l.rows.train, Valid: l.rows.valid}}, nil); err == nil && r.Solved() {
		f.Result = r
		f.alpha, _, _ = r.Solution()
		r.Forget()
	}
	return f, ctx.Err()
}

// next returns the bandwidths bⱼ ∝ 1/√Mⱼⱼ, scaled so that Σ 1/bⱼ² is that of the bandwidths
// of f. ok is false if f gives no M.
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

// gradients returns the sum of (∂f/∂xⱼ)² over training rows and targets, for
// f(x) = Σ αₗφ(rₗ). If rₗ² = Σ(xⱼ−cₗⱼ)²/bⱼ², ∂f/∂xⱼ = Σ αₗ(φ'(rₗ)/rₗ)(xⱼ−cₗⱼ)/bⱼ². If
// rₗ = Σ|xⱼ−cₗⱼ|/bⱼ, ∂f/∂xⱼ = Σ αₗφ'(rₗ)sign(xⱼ−cₗⱼ)/bⱼ.
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
			slopes.Row(i)[k] = l.Slope(l.distance(x.Row(i), c.Row(k)))
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
		l.sumDifferences(g, weighted, x, c)
		for i := range n {
			w := train.WeightOf(i)
			for j, v := range g.Row(i) {
				e := v / f.bandwidths[j]
				out[j] += float64(w * float64(e*e))
			}
		}
	}
	return out
}

// distance returns the distance of x and y.
func (l *nystromMetric) distance(x, y []float64) (r float64) {
	for j, v := range x {
		e := v - y[j]
		if l.L1 {
			r += math.Abs(e)
		} else {
			r += float64(e * e)
		}
	}
	if l.L1 {
		return r
	}
	return math.Sqrt(r)
}

// sumDifferences writes gᵢⱼ = Σₗ wᵢₗ(xᵢⱼ−cₗⱼ), or for an ℓ₁ distance what sumSigns writes.
func (l *nystromMetric) sumDifferences(g, w, x, c blas.General[float64]) {
	if l.L1 {
		sumSigns(g, w, x, c)
		return
	}
	blas.Gemm(l.engine, false, false, -1, w, c, 0, g)
	for i := range g.Rows {
		total := 0.0
		for _, v := range w.Row(i) {
			total += v
		}
		for j, v := range x.Row(i) {
			g.Row(i)[j] += float64(total * v)
		}
	}
}

// sumSigns writes gᵢⱼ = Σₗ wᵢₗ·sign(xᵢⱼ−cₗⱼ).
func sumSigns(g, w, x, c blas.General[float64]) {
	clear(g.Data)
	for i := range g.Rows {
		to, at := g.Row(i), x.Row(i)
		for k, v := range w.Row(i) {
			for j, e := range c.Row(k) {
				switch {
				case at[j] > e:
					to[j] += v
				case at[j] < e:
					to[j] -= v
				}
			}
		}
	}
}

// metricWork returns the multiply-adds of learning bandwidths. Each climb usually takes
// three fits. Gradients between them are computed term by term and not in blocks.
func (s Nystrom) metricWork(t inside.Task) float64 {
	rows, marks := min(t.Rows, metricRows+metricRows/4), min(t.Features, metricSections)
	terms := float64(min(rows, metricGradients)) * float64(marks) * float64(t.In) * float64(1+t.Targets)
	own := float64(float64(3*(metricRounds+1)) * Nystrom{}.work(inside.Task{Features: marks}))
	return float64(float64(4*metricRounds)*terms) + own + fitsWork(t, []learn.Fits{{Count: 3 * (metricRounds + 1),
		Rows: rows * 4 / 5, Held: rows / 5, Features: marks, Lambdas: len(trial.Lambdas(stream.Float64)[4:])}})
}

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
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// The sizes of the search of Nystrom.Metric.
const (
	// Of up to 5/4·metricRows rows that are read, metricLeast to metricLeft are left out one by one,
	// and the others validate.
	metricRows, metricLeft, metricLeast = 4000, 600, 200
	metricSteps                         = 25
	metricOctaves                       = 8
	// A search ends after metricWorse steps without a smaller error on the validation rows, and
	// its best bandwidths must beat the given ones by metricErrors standard errors there.
	metricWorse, metricErrors = 6, 2
)

// metricLambdas are the λ, one of which a search begins with.
var metricLambdas = []float64{1e-9, 1e-7, 1e-5, 1e-3, 1e-1}

// metricGrid has the λ of fits of few sections.
func metricGrid() []float64 { return trial.Lambdas(stream.Float64)[4:] }

// learnedRows returns how many rows are left out: fewer for few sections, whose kernel is wider.
func learnedRows(features int) int { return min(metricLeft, max(metricLeast, 2*features)) }

// learnedKernel returns the kernel of q with a learned bandwidth per input. It returns the
// kernel as it is if the learned bandwidths do no better on held-out rows, beyond noise, or
// if there is nothing to learn from.
func (s Nystrom) learnedKernel(ctx context.Context, q *request) (rff.Kernel, error) {
	k := inside.FamilyOf(q.Kernel, q.Dim)
	if k.Slope == nil && k.Power == 0 {
		return nil, kernelError(q.sampler, q.Kernel, "a metric is learned for gaussian, laplacian and matern kernels, and for exponential-power with q = p")
	}
	rows, err := readLearning(ctx, q, metricRows, learnedRows(q.Features), q.Rand.Uint64())
	if err != nil {
		return nil, err
	}
	if q.Dim == 1 || rows.train.X.Rows < leastTrain || rows.valid.X.Rows < leastValid || !varies(rows.train.Y) {
		return q.Kernel, nil
	}
	given := make([]float64, q.Dim)
	for j := range given {
		given[j] = 1 / rows.given[j]
		if n := len(k.Bandwidths); n > 0 {
			given[j] = k.Bandwidths[min(j, n-1)] / rows.given[j]
		}
	}
	l := &leaveOneOut{Family: k, engine: q.engine, rows: rows.train}
	first, best, learned, err := l.descend(ctx, given, rows.valid)
	if err != nil {
		return nil, err
	}
	if best == first {
		return q.Kernel, nil
	}
	if q.Features < rows.train.X.Rows { // that few sections ask for wider kernels
		c := newSections(k, q, rows)
		if c == nil {
			return q.Kernel, nil
		}
		if first, _, err = c.climb(ctx, given); err != nil {
			return nil, err
		}
		if best, learned, err = c.climb(ctx, learned); err != nil {
			return nil, err
		}
	}
	if !best.Solved() || first.Solved() && !trial.Compare(first, best).Better(metricErrors) {
		return q.Kernel, nil
	}
	for j := range learned {
		learned[j] *= rows.given[j]
	}
	return k.With(learned), nil
}

// descend returns the results of bandwidths and of the best ones below them on rows that validate,
// and the latter.
func (l *leaveOneOut) descend(ctx context.Context, bandwidths []float64, valid *trial.Rows) (first, best *trial.Result, learned []float64, err error) {
	at, err := l.begin(ctx, bandwidths)
	if err != nil {
		return nil, nil, nil, err
	}
	for step, worse := 0, 0; step <= metricSteps && worse < metricWorse; step++ {
		f, err := l.fit(at.logs)
		if err != nil { // a kernel that wide has no inverse
			break
		}
		r := f.validate(valid)
		if first == nil {
			first, best = r, r
		}
		worse++
		if r.Mean < best.Mean {
			best, learned, worse = r, f.bandwidths, 0
		}
		if !at.step(f.gradient()) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
	}
	return first, best, learned, nil
}

// someSections compares bandwidths by fits of as many sections as are asked for, on half of the
// rows that validate.
type someSections struct {
	inside.Family
	engine blas.Engine
	split  trial.Split
	marks  *mat.Dense
}

// newSections returns nil if no part of the rows can be held out from the others.
func newSections(k inside.Family, q *request, rows *learningRows) *someSections {
	halves := (trial.Folds{Of: 2, Count: 1, Most: rows.valid.X.Rows}).Splits(rows.valid)
	if len(halves) == 0 {
		return nil
	}
	marks := dense.Clone(rows.train.X.RowRange(0, q.Features)) // in random order
	return &someSections{Family: k, engine: q.engine, split: halves[0], marks: matOf(marks)}
}

// climb returns the fit at the best multiple 2^{k/2} of bandwidths, and these. It begins at k = 0
// and goes on for as long as the error falls.
func (c *someSections) climb(ctx context.Context, bandwidths []float64) (best *trial.Result, at []float64, err error) {
	try := func(octave int) (*trial.Result, []float64, error) {
		scaled := make([]float64, len(bandwidths))
		for j, v := range bandwidths {
			scaled[j] = learn.Bandwidth(v, octave)
		}
		r, err := c.fit(ctx, scaled)
		return r, scaled, err
	}
	if best, at, err = try(0); err != nil {
		return nil, nil, err
	}
	for _, step := range []int{1, -1} {
		moved := false
		for k := step; k >= -metricOctaves && k <= metricOctaves; k += step {
			r, scaled, err := try(k)
			if err != nil {
				return nil, nil, err
			}
			if !(r.Mean < best.Mean) {
				break
			}
			best, at, moved = r, scaled, true
		}
		if moved {
			break
		}
	}
	return best, at, nil
}

// fit takes the λ that does best on the rows held out.
func (c *someSections) fit(ctx context.Context, bandwidths []float64) (*trial.Result, error) {
	m, err := rff.Nystrom(c.With(bandwidths), c.marks)
	if err != nil {
		return nil, err
	}
	task := trial.Task{Engine: c.engine, Lambdas: metricGrid(), Loss: trial.Squares,
		Map: func(context.Context, blas.Engine, int, *trial.Rows) (*rff.Map, error) { return m, nil }}
	r, err := task.Run(ctx, []trial.Split{c.split}, nil)
	if err != nil || !r.Solved() {
		r = &trial.Result{Mean: math.Inf(1)} // not solved
	}
	return r, ctx.Err()
}

const (
	// A step of a logarithm is firstRate at first, slower times as long after its slope changed
	// its sign and faster times otherwise, between leastRate and mostRate. slower and faster are
	// those of the paper.
	firstRate, slower, faster, leastRate, mostRate = 0.1, 0.5, 1.2, 1e-3, 1
	// The logarithm of λ stays above that of leastLambda, below which rounding errors decide.
	leastLambda = 1e-11
)

// descent goes down a slope by its signs alone (iRprop−; Igel and Hüsken, "Improving the Rprop
// learning algorithm", NC 2000; for hyperparameters of Gaussian processes Blum and Riedmiller,
// "Optimization of Gaussian process hyperparameters using Rprop", ESANN 2013): each number has a
// rate of its own. Bandwidths of inputs that do not matter have slopes near 0 and have to go far.
type descent struct {
	logs, rate []float64 // of bandwidths in standard deviations, and of λ
	before     []float64 // slopes
}

// begin returns a descent from bandwidths and the best λ for them.
func (l *leaveOneOut) begin(ctx context.Context, bandwidths []float64) (*descent, error) {
	n := len(bandwidths) + 1
	d := &descent{logs: make([]float64, n), rate: make([]float64, n), before: make([]float64, n)}
	for j := range d.rate {
		d.rate[j] = firstRate
	}
	for j, b := range bandwidths {
		d.logs[j] = portable.Log(b)
	}
	var err error
	d.logs[n-1], err = l.firstLambda(ctx, d.logs)
	return d, err
}

// firstLambda returns the logarithm of the best λ of a grid for the first bandwidths.
func (l *leaveOneOut) firstLambda(ctx context.Context, logs []float64) (float64, error) {
	f, err := l.at(logs)
	if err != nil {
		return 0, err
	}
	least, at := math.Inf(1), 0.0
	for _, lambda := range metricLambdas {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := f.solve(lambda); err != nil {
			continue
		}
		if e := f.mean(); e < least {
			least, at = e, portable.Log(lambda)
		}
	}
	return at, nil
}

// step reports whether the slopes are finite, and goes on if they are.
func (d *descent) step(slope []float64) bool {
	for _, g := range slope {
		if g-g != 0 {
			return false
		}
	}
	for j, g := range slope {
		switch s := g * d.before[j]; {
		case s < 0:
			d.rate[j] = max(leastRate, d.rate[j]*slower)
			g = 0
		case s > 0:
			d.rate[j] = min(mostRate, d.rate[j]*faster)
		}
		d.before[j] = g
		switch {
		case g > 0:
			d.logs[j] -= d.rate[j]
		case g < 0:
			d.logs[j] += d.rate[j]
		}
	}
	last := len(d.logs) - 1
	d.logs[last] = min(0, max(portable.Log(leastLambda), d.logs[last]))
	return true
}

// metricWork returns the multiply-adds of learning bandwidths, which takes some metricSteps·⅔ steps.
// Each has a factor, its inverse and two squares, 4/3·n³ multiply-adds in blocks of middling size, a
// pass over the sections and their slopes, and sections of the rows that validate. Of 500 and 3,000
// rows with 6 to 287 inputs, 1 and 10 targets, three kernels and many sections, a search takes .14 to
// 1.7 times that. Few sections take some four fits more from either start.
func (s Nystrom) metricWork(t inside.Task) float64 {
	rows, in := float64(min(t.Rows, 5*metricRows/4)), float64(t.In)
	n := min(rows, float64(learnedRows(t.Features)))
	step := float64(3*n*n*n) + float64(n*n*(300+float64(12*in))) + float64((rows-n)*n*(in+60))
	work := float64(metricSteps * 2. / 3 * step)
	if marks := min(t.Features, t.Rows); marks < learnedRows(t.Features) {
		half := int(rows-n) / 2
		work += fitsWork(t, []learn.Fits{{Count: 8, Rows: half, Held: half, Features: marks, Lambdas: len(metricGrid())}}) + float64(8*Nystrom{}.work(inside.Task{Features: marks}))
	}
	return work
}

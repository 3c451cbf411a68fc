package krr

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// search is a search with a budget.
type search struct {
	AutoSettings
	data                rff.Source
	in, targets         int
	n                   int64 // rows of the data
	sample              *memory
	splits              []splitRows
	scalings            []inputScaling
	medians             [][]float64 // per scaling and kernel
	low, high, variance []float64   // of the targets
	grid                []float64   // of λ
	budget              *budget
	size                size // of the trial of the best
	final               int  // features of the final fit
	kernelsGiven        bool
	best                trial
	plain               trial // the best without learning
	plainSize           size
	latest              trial // of the last challenge
	report              *AutoReport
	engine              blas.Engine
	tried               map[key]bool
	progress            *stage // one part is the budget
}

// size is that of a trial.
type size struct {
	rows, valid, features int
	splits                int
}

// newSearch reads the rows that the choice rests on.
func newSearch(ctx context.Context, data rff.Source, a AutoSettings) (*search, error) {
	s := &search{AutoSettings: a, data: data, engine: a.Engine, tried: map[key]bool{}}
	s.budget = newBudget(&s.AutoSettings)
	s.in, s.targets = data.Dims()
	if s.targets < 1 {
		return nil, setting("targets", s.targets, "learning needs a target column")
	}
	var err error
	if s.sample, s.n, err = reservoir(ctx, data, a.searchRows(s.in, s.targets), &s.Settings); err != nil {
		return nil, err
	}
	if s.n == 0 {
		return nil, none("rows")
	}
	s.sample.classes = s.Classes
	if s.grid, err = s.autoLambdas(); err != nil {
		return nil, err
	}
	s.report = &AutoReport{Rows: s.n, Searched: s.sample.x.Rows, LeastLambda: s.grid[0]}
	if s.Scaling.IsIdentity() {
		s.scalings = scalings(s.sample)
	} else {
		s.scalings = []inputScaling{{"given", s.Scaling}}
	}
	for _, sc := range s.scalings {
		m, err := s.kernelMedians(sc.Scaling)
		if err != nil {
			return nil, err
		}
		s.medians = append(s.medians, m)
	}
	return s, nil
}

// autoLambdas returns the grid of λ: to 10⁻¹² in float64. In float32 ZᵀZ has a
// relative error of 2·10⁻⁷, so that a λ below 10⁻⁸ would fit rounding errors.
func (s *search) autoLambdas() ([]float64, error) {
	if s.Lambda != 0 || len(s.Lambdas) != 0 {
		return s.lambdas()
	}
	grid := []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
	if s.Precision == Float32 {
		grid = grid[4:]
	}
	return grid, nil
}

// kernelMedians returns the median of every kernel's own distance.
func (s *search) kernelMedians(sc rff.Scaling) ([]float64, error) {
	euclidean, err := medianDistance(s.sample, sc, s.Seed)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(s.Kernels))
	for i, k := range s.Kernels {
		out[i] = euclidean
		if _, ok := k.(rff.Laplacian); ok {
			out[i] = medianL1(s.sample, sc)
		}
	}
	return out, nil
}

func (s *search) bandwidth(c candidate) float64 {
	return s.medians[c.scaling][c.kernel] * bandwidthGrid(1, c.exponent, c.exponent)[0]
}

// run searches.
func (s *search) run(ctx context.Context) error {
	begin := time.Now()
	s.progress = newStage(s.Progress, "search", 1)
	defer func() {
		s.report.Search, s.report.Error, s.report.Late = time.Since(begin), s.best.errors, s.budget.late
		s.report.AtEdge = s.best.lambda == s.grid[0] && len(s.grid) > 1
	}()
	s.final = s.features(int(s.n))
	varies := s.targetRanges()
	if s.sample.x.Rows < leastSearched || !varies {
		s.report.Stopped = fmt.Sprintf("%d rows are too few to search on", s.n)
		if !varies {
			s.report.Stopped = "the target is the same in all rows"
		}
		return nil
	}
	s.splits = s.split()
	if len(s.splits) == 0 {
		s.report.Stopped = "all rows share a fold: none can be held out"
		return nil
	}
	for _, step := range []func(context.Context) error{s.halve, s.climb, s.landmarks, s.learn, s.grow} {
		if s.report.Stopped != "" {
			break
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	if s.report.Stopped == "" {
		s.report.Stopped = "nothing that was left to try fits the budget"
	}
	s.progress.end()
	return nil
}

// features returns the number of features that the search ends at, before it takes
// more: a few trials of them and the final fit take less than half of the budget.
func (s *search) features(rows int) int {
	if s.Features > 0 {
		return s.Features
	}
	f := 256
	for 2*f <= 1024 && 2*f <= max(256, rows/4) {
		z := shape{s.in, s.targets, 2 * f, min(rows, s.sample.x.Rows) * 4 / 5, mostHeldOut / 4, 3, s.Precision}
		if seconds(float64(6*z.work())+s.finalWork(2*f)) > 0.4*s.budget.left {
			break
		}
		f *= 2
	}
	for f > 32 && seconds(2*s.finalWork(f)) > s.budget.left {
		f /= 2
	}
	return f
}

// full is the size of trials on all rows.
func (s *search) full(features int) size {
	return size{s.splits[0].train.x.Rows, s.splits[0].valid.x.Rows, features, len(s.splits)}
}

// cost returns the estimated seconds of a trial.
func (s *search) cost(z size, lambdas int) float64 {
	return float64(z.splits) * seconds(shape{s.in, s.targets, z.features, z.rows, z.valid, lambdas, s.Precision}.work())
}

// available is what is left beside the final fit.
func (s *search) available(features int) float64 {
	return s.budget.left - seconds(s.finalWork(features))
}

// job is a trial to do.
type job struct {
	candidate
	grid []float64
}

// step tries candidates of one size, takes their cost off the budget and adds the
// step to the report. It returns the trials, best first.
func (s *search) step(ctx context.Context, name string, jobs []job, z size, extra float64) ([]trial, error) {
	begin := time.Now()
	out := make([]trial, len(jobs))
	for _, j := range jobs {
		extra += s.costOf(j.candidate, z, len(j.grid))
	}
	errs := make([]error, len(jobs))
	s.engine.Each(len(jobs), func(share blas.Engine, i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			out[i], errs[i] = s.try(ctx, share, jobs[i].candidate, z, jobs[i].grid)
		}
		s.progress.add(s.costOf(jobs[i].candidate, z, len(jobs[i].grid)) / s.budget.whole)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	s.budget.left -= extra
	slices.SortStableFunc(out, compareTrials)
	for _, t := range out {
		s.tried[key{t.candidate, z}] = true
	}
	s.report.Steps = append(s.report.Steps, AutoStep{Name: name, Candidates: len(jobs), Rows: z.rows, HeldOut: len(out[0].loss), Features: z.features,
		Best: s.describe(out[0]), Error: out[0].errors, Estimated: duration(extra), Elapsed: time.Since(begin)})
	return out, nil
}

// compareTrials orders trials by their error; of equal ones the larger bandwidth, the
// smoother function, comes first.
func compareTrials(a, b trial) int {
	return cmp.Or(cmp.Compare(a.mean, b.mean), cmp.Compare(b.exponent, a.exponent))
}

// key is what a trial is told apart by.
type key struct {
	candidate
	size
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// describe names a candidate.
func (s *search) describe(t trial) string {
	if t.err != nil {
		return t.err.Error()
	}
	k, err := rff.WithBandwidth(s.Kernels[t.kernel], s.bandwidth(t.candidate))
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%s inputs, %v (%.3g medians), λ %.0e", s.scalings[t.scaling].name, k, s.bandwidth(t.candidate)/s.medians[t.scaling][t.kernel], t.lambda)
	if t.learned != "" {
		text = t.learned + ", " + text
	} else if t.landmarks {
		text = "landmarks, " + text
	}
	return text
}

// last returns the step just done.
func (s *search) last() *AutoStep { return &s.report.Steps[len(s.report.Steps)-1] }

// stop reports whether no further step may start.
func (s *search) stop() bool {
	if !s.budget.over(len(s.report.Steps)) {
		return false
	}
	s.report.Stopped = fmt.Sprintf("%d steps were asked for", s.Steps)
	if s.budget.late {
		s.report.Stopped = fmt.Sprintf("the clock shows %v, the budget is %v: this machine is slower than the estimate, or busy", time.Since(s.budget.begin).Round(time.Second/10), s.Budget)
	}
	return true
}

// gain returns by how much the mean loss of a trial is below that of the best of the same
// held-out rows, and the standard error of that difference.
func gain(best, t trial) (mean, stdErr float64) {
	// Splits follow each other, so those of fewer splits are the first ones.
	rows := min(len(best.loss), len(t.loss))
	n := float64(rows)
	if rows < 2 {
		return best.mean - t.mean, 0
	}
	for i, v := range best.loss[:rows] {
		mean += (v - t.loss[i]) / n
	}
	var ss float64
	for i, v := range best.loss[:rows] {
		d := v - t.loss[i] - mean
		ss += float64(d * d)
	}
	return mean, math.Sqrt(ss / (n * (n - 1)))
}

// around returns the λ of the grid within that many steps of one.
func (s *search) around(lambda float64, steps int) []float64 {
	at, found := slices.BinarySearch(s.grid, lambda)
	if !found {
		return s.grid
	}
	return s.grid[max(0, at-steps):min(len(s.grid), at+steps+1)]
}

// source of the draws of maps: the same for every candidate.
func (s *search) source() rand.Source { return rand.NewPCG(s.Seed, 0x5bd1e995) }

package race

import (
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// Race is a search with a budget.
type Race struct {
	Settings
	engine      blas.Engine
	in, targets int
	rows        *trial.Rows
	n           int64 // rows of the data
	flags       bool  // some inputs have two values
	splits      []trial.Split
	folds       int // splits of a repeat
	scalings    []inputScaling
	medians     [][]float64 // per scaling and kernel
	loss        trial.Loss
	grid        []float64 // of λ
	left, whole float64   // multiply-adds of the budget
	begin       time.Time
	best        *tried   // what the fit of all rows is to be made as
	plain       *tried   // the best with features that nothing was learned for
	trained     *tried   // trained frequencies that further draws join: the last kept, or else the best
	kept        []*tried // all that were best once, the last one last
	seen        map[string]bool
	fruitless   map[string]int    // steps of a kind that were not kept
	skipped     map[string]string // kinds of steps that do not fit the budget, and why
	report      *Report
	proposers   []proposer
	advance     func(share float64) // of the budget
}

// A proposer says what may be better than the best so far.
type proposer func(r *Race) []proposal

// proposal is a step that a race may take.
type proposal struct {
	name string
	gain float64 // as a share of the loss, to be expected
	work float64 // multiply-adds of the step
	more float64 // multiply-adds by which the fit of all rows gets dearer if it is kept
	need float64 // what is to be left for it; 0: work and more
	run  func(ctx context.Context) error
}

// New begins a race on rows that were drawn from n rows of data. The error is a
// *rff.ValueError for a value too far from the others.
func New(rows *trial.Rows, n int64, s Settings) (*Race, error) {
	r := &Race{Settings: s, rows: rows, n: n, in: rows.X.Cols, targets: rows.Y.Cols, flags: rows.HasFlags(), grid: s.Lambdas,
		whole: s.Budget.Seconds() * rate, begin: time.Now(), seen: map[string]bool{}, fruitless: map[string]int{}, skipped: map[string]string{}}
	var err error
	if r.engine, err = blas.NewEngine(s.Engine.Backend, s.Engine.Workers); err != nil {
		return nil, err
	}
	r.left = r.whole
	r.proposers = []proposer{firstSearch}
	if !s.First {
		r.proposers = append(r.proposers, neighbours, sections, scales, learners, joined, moreFeatures, rules)
	}
	if r.grid == nil {
		r.grid = trial.Lambdas(s.Precision)
	}
	r.rows.Labels = s.Classes
	r.report = &Report{Rows: n, Searched: rows.X.Rows, LeastLambda: r.grid[0]}
	if s.Scaling == nil {
		r.scalings = scalings(rows)
	} else {
		r.scalings = []inputScaling{{"given", *s.Scaling}}
	}
	for _, sc := range r.scalings {
		m, err := rows.MedianDistances(s.Kernels, sc.Scaling, s.Seed)
		if err != nil {
			return nil, err
		}
		for i := range m {
			if s.Unit > 0 {
				m[i] = s.Unit
			}
		}
		r.medians = append(r.medians, m)
	}
	return r, nil
}

// Run races. It calls advance, on any worker, with shares of the budget. A race without a
// best has a reason in its report, and the error of the first candidate where none can be
// fitted.
func (r *Race) Run(ctx context.Context, advance func(share float64)) (*Report, error) {
	r.advance = advance
	defer func() {
		r.report.Elapsed, r.report.Error = time.Since(r.begin), 0
		if r.best != nil {
			r.report.Error = r.told(r.best)
			r.report.AtEdge = r.best.Lambda == r.grid[0] && len(r.grid) > 1
		}
	}()
	if !r.prepare() {
		return r.report, nil
	}
	for r.report.Stopped == "" {
		if r.over() {
			break
		}
		p := r.next()
		if p == nil {
			r.report.Stopped = "nothing that is left to try is worth its work, or fits the budget"
			break
		}
		delete(r.skipped, p.name)
		if err := p.run(ctx); err != nil {
			return nil, err
		}
		if !r.last().Kept {
			r.fruitless[p.name]++
		}
	}
	for _, kind := range stepKinds {
		if why, ok := r.skipped[kind]; ok {
			r.report.Steps = append(r.report.Steps, Step{Name: kind, Why: why})
		}
	}
	return r.report, nil
}

// prepare splits the rows, and reports whether there is something to search.
func (r *Race) prepare() bool {
	ranges, varies := trial.RangesOf(r.rows.Y)
	r.loss = ranges.SquaredError(!r.Unclipped)
	if r.Classes != nil {
		r.loss = trial.WrongLabels
	}
	rows := r.rows.X.Rows
	switch {
	case rows < leastRows:
		r.report.Stopped = fmt.Sprintf("%d different rows are too few to search on", rows)
		return false
	case !varies:
		r.report.Stopped = "the target is the same in all rows"
		return false
	}
	f := trial.Folds{Seed: r.Seed + 3, Of: foldsOf(rows), Repeats: 1, Most: mostHeldOut}
	f.Count = min(f.Of, 1+(enoughHeldOut-1)/max(1, rows/f.Of))
	if f.Count == f.Of {
		f.Repeats = mostRepeats
	}
	r.splits = f.Splits(r.rows)
	r.folds = min(f.Count, len(r.splits))
	if r.folds == 0 {
		r.report.Stopped = "all rows share a fold: none can be held out"
		return false
	}
	return true
}

// next returns the proposal with the largest gain for its work among those that fit beside
// the fit of all rows; nil if none does that is worth it.
func (r *Race) next() *proposal {
	var best *proposal
	better := func(p proposal) bool {
		if best == nil || priors[p.name].last != priors[best.name].last {
			return best == nil || priors[best.name].last
		}
		return p.gain*(best.work+best.more) > best.gain*(p.work+p.more)
	}
	for i, from := range r.proposers {
		if i > 0 && r.best == nil {
			break // there is nothing yet to be better than
		}
		for _, p := range from(r) {
			if p.gain < leastGain {
				continue
			}
			if need := max(p.need, p.work+p.more); r.best != nil && need > r.available() {
				r.skipped[p.name] = fmt.Sprintf("%.3g s are needed and %.3g are left", need/rate, max(0, r.available())/rate)
				continue
			}
			if better(p) {
				best = &p
			}
		}
	}
	return best
}

// available is what is left beside the fit of all rows.
func (r *Race) available() float64 {
	if r.best == nil {
		return r.left - r.finalWork(r.final())
	}
	return r.left - r.fitWork(r.best, r.final())
}

// final is the number of features of the fit of all rows.
func (r *Race) final() int {
	if r.best != nil && r.drawn().features > 0 && r.measured(r.drawn()) {
		return r.drawn().features
	}
	return r.target()
}

// measured reports whether a trial had all rows and the features of the fit, so that its λ
// is that of the fit.
func (r *Race) measured(t *tried) bool {
	return t != nil && t.err == nil && t.rows == r.splits[0].Train.X.Rows && t.features >= r.target()
}

// target returns the number of features that the first search ends at: a few trials of
// them and the fit take less than half of the budget.
func (r *Race) target() int {
	if r.Features > 0 {
		return r.Features
	}
	rows, f := int(r.n), startFeatures
	for 2*f <= mostFeatures && 2*f <= max(startFeatures, rows/rowsPerFeature) {
		z := trial.Size{In: r.in, Targets: r.targets, Features: 2 * f, Train: min(rows, r.rows.X.Rows) * 4 / 5, Valid: mostHeldOut / 4, Lambdas: 3, Precision: r.Precision}
		if float64(mostTrials*z.Work())+r.finalWork(2*f) > startShare*r.whole {
			break
		}
		f *= 2
	}
	for f > 32 && 2*r.finalWork(f) > r.whole {
		f /= 2
	}
	return f
}

// finalWork is that of the fit of all rows: its sums, and the folds of probabilities or
// held-out measures with one λ.
func (r *Race) finalWork(features int) float64 {
	f, n := float64(features), float64(r.n)
	once := trial.Size{In: r.in, Targets: r.targets, Features: features, Train: int(r.n), Lambdas: 1, Precision: r.Precision}.Work()
	m := min(f, n) // unknowns
	return once + float64(5*m*m*m/4) + float64(n*f*float64(r.targets))
}

// full is the size of trials on all rows.
func (r *Race) full(features int) size {
	return size{r.splits[0].Train.X.Rows, r.splits[0].Valid.X.Rows, features, r.folds}
}

// around returns the λ of the grid within that many steps of one.
func (r *Race) around(lambda float64, steps int) []float64 {
	for i, l := range r.grid {
		if l == lambda {
			return r.grid[max(0, i-steps):min(len(r.grid), i+steps+1)]
		}
	}
	return r.grid
}

// workOf returns the multiply-adds of a trial: of its fits, and of its sampler if that
// says so.
func (r *Race) workOf(j job, z size) float64 { return r.furtherWork(j, z, 0) }

// furtherWork returns the multiply-adds of a trial that goes on after so many of its splits.
// A sampler works once for each split and draw that is not at hand.
func (r *Race) furtherWork(j job, z size, done int) float64 {
	further := float64(max(0, z.splits-done))
	learning := r.axesWork(j.candidate, z, done)
	ways := len(j.grid)
	if j.kind == sectioned && z.features >= z.rows && j.rules == nil {
		return learning + float64(further*trial.Size{In: r.in, Targets: r.targets, Train: z.rows, Valid: z.valid, Lambdas: ways}.Exact())
	}
	work := trial.Size{In: r.in, Targets: r.targets, Features: z.features, Train: z.rows, Valid: z.valid, Lambdas: ways, Precision: r.Precision.On(j.kind == sectioned), Sums: j.rules != nil}.Work()
	if j.rules != nil {
		work += r.rulesWork(j, z)
	}
	if j.kind == sectioned { // sections are dearer than half as many cosines
		work += float64(float64(z.rows+z.valid) * float64(z.features) / 2 * float64(r.in+20))
	}
	draws := j.draws + 1
	if made := draws*max(0, z.splits-max(done, len(j.maps))) - j.draws*max(0, min(z.splits, len(j.beside))-done); made > 0 {
		learning += float64(float64(made) * r.samplerWork(j.own(), z.rows, z.features/draws))
	}
	return learning + float64(further*work)
}

// samplerWork returns the multiply-adds that a sampler takes for so many rows and features.
func (r *Race) samplerWork(s rff.Sampler, rows, features int) float64 {
	return inside.Work(s, inside.Task{Rows: rows, In: r.in, Targets: r.targets, Features: features, Flags: r.flags})
}

// over reports whether no further step may start.
func (r *Race) over() bool {
	switch {
	case r.Steps > 0 && len(r.report.Steps) >= r.Steps:
		r.report.Stopped = fmt.Sprintf("%d steps were asked for", r.Steps)
	case r.Deadline > 0 && r.best != nil && time.Since(r.begin) > r.Deadline:
		r.report.Late = true
		r.report.Stopped = fmt.Sprintf("the deadline of %v is over", r.Deadline)
	}
	return r.report.Stopped != ""
}

// add appends a kernel with the medians of the Euclidean distance.
func (r *Race) add(k rff.Stationary, like int) int {
	r.Kernels = append(r.Kernels, k)
	for i, m := range r.medians {
		r.medians[i] = append(m, m[like])
	}
	return len(r.Kernels) - 1
}

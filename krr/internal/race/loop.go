package race

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// New returns a race on rows that were drawn from n rows of data.
func New(rows *trial.Rows, n int64, s Settings) (*Race, error) {
	r := &Race{Settings: s, rows: rows, n: n, in: rows.X.Cols, targets: rows.Y.Cols, flags: rows.HasFlags(), grid: s.Lambdas,
		whole: s.Budget.Seconds() * rate, begin: time.Now(), seen: map[string]bool{}, fruitless: map[string]int{}, skipped: map[string]string{}}
	var err error
	if r.engine, err = inside.EngineOf(s.Engine); err != nil {
		return nil, err
	}
	if r.left = r.whole; s.Begin.IsZero() {
		r.Begin = r.begin
	}
	r.proposers = []proposer{firstSearch}
	if !s.First {
		r.proposers = append(r.proposers, neighbours, sections, scales, trees, learners, joined, moreFeatures, rules, means, trainings)
	}
	if r.grid == nil {
		r.grid = trial.Lambdas(s.Precision)
	}
	r.reserve = r.keptForMean()
	r.rows.Labels, r.rows.Kept = s.Classes, trial.NewKept(keptBytes)
	r.report = &Report{Rows: n, Searched: rows.X.Rows, LeastLambda: r.grid[0]}
	if s.Trees {
		r.shape = boost.ShapeOf(rows)
	}
	return r, nil
}

// Run races. It calls advance, on any worker, with shares of the budget. If there is nothing to
// search, the report says why. If no candidate can be fitted, Run returns the error of the
// first.
func (r *Race) Run(ctx context.Context, advance func(share float64)) (*Report, error) {
	r.advance = advance
	defer func() {
		r.report.Elapsed, r.report.Error = time.Since(r.begin), 0
		if r.best != nil {
			r.report.Error = r.told(r.best)
			r.report.AtEdge = r.best.Lambda == r.grid[0] && len(r.grid) > 1
			if r.mean != nil {
				r.report.Error = r.mean.told
			}
		}
	}()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	for r.report.Stopped == "" {
		p := r.next()
		if p == nil {
			r.report.Stopped = "nothing that is left to try is worth its work, or fits the budget"
			for _, kind := range stepKinds { // a search that ends otherwise is repeated by its number of steps, so these are none of its report
				if why, ok := r.skipped[kind]; ok {
					r.report.Steps = append(r.report.Steps, Step{Name: kind, Why: why})
				}
			}
			break
		}
		if r.over(p.work + p.more) {
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
	return r.report, nil
}

// scale finds the ways of scaling inputs and the unit of bandwidths of each. The error is a *rff.ValueError
// for a value too far from the others, or that of ctx.
func (r *Race) scale(ctx context.Context) error {
	if r.Settings.Scaling == nil {
		need, most := r.bendingWork(), firstMost*r.whole
		var err error
		if r.scalings, err = scalings(ctx, r.engine, r.rows, need <= most); err != nil {
			return err
		}
		if need > most {
			r.skipped["scalings"] = fmt.Sprintf("first trials of logarithms and ranks of %d inputs need %.3g s, and %.3g are for them", r.in, need/rate, most/rate)
		}
	} else {
		r.scalings = []inputScaling{{name: "given", Scaling: *r.Settings.Scaling}}
	}
	if !r.keepsScaled(len(r.scalings)) {
		for i := range r.scalings {
			r.scalings[i].bent = bentInputs(r.scalings[i].Scaling)
		}
	}
	r.medians = make([][]float64, len(r.scalings))
	metrics := 1
	for _, k := range r.Kernels {
		if trial.OwnDistance(k) != nil {
			metrics++
		}
	}
	errs := make([]error, len(r.scalings))
	r.engine.Each(len(r.scalings), func(_ blas.Engine, i int) {
		by := r.scalings[i].Scaling
		if r.medians[i], errs[i] = r.rows.MedianDistances(ctx, r.Kernels, by); r.Unit > 0 {
			for k := range r.medians[i] {
				r.medians[i][k] = r.Unit
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
		r.left -= trial.ScalingWork(r.rows.X.Rows, r.in, metrics)
	}
	return nil
}

// foldings says how the rows are split.
func (r *Race) foldings() trial.Folds {
	rows := r.rows.X.Rows
	f := trial.Folds{Seed: r.Seed + 3, Of: foldsOf(rows), Repeats: 1, Most: mostHeldOut}
	f.Count = min(f.Of, 1+(enoughHeldOut-1)/max(1, rows/f.Of))
	if f.Count == f.Of {
		f.Repeats = mostRepeats
	}
	return f
}

// prepare scales and splits the rows. If there is nothing to search, the report says why. The errors are those of scale.
func (r *Race) prepare(ctx context.Context) error {
	r.dealing, r.splits = r.foldings(), nil
	if err := r.scale(ctx); err != nil {
		return err
	}
	ranges, varies := trial.RangesOf(r.rows.Y)
	r.loss = ranges.SquaredError(!r.Unclipped)
	if r.Classes != nil {
		r.loss = trial.WrongLabels
	}
	switch rows := r.rows.X.Rows; {
	case rows < leastRows:
		r.report.Stopped = fmt.Sprintf("%d different rows are too few to search on", rows)
		return nil
	case !varies:
		r.report.Stopped = "the target is the same in all rows"
		return nil
	}
	if err := r.deal(ctx); err != nil {
		return err
	}
	r.folds = len(r.splits) // fewer than f.Count where groups are fewer
	if r.folds == 0 {
		r.report.Stopped = "all rows share a fold: none can be held out"
	}
	return nil
}

// next returns the proposal with the largest gain for its work, among those that the budget
// pays for beside the fit of all rows. It returns nil if none of them is worth its work.
func (r *Race) next() *proposal {
	var best *proposal
	late := func(p *proposal) int { // those that take more than their share come when no other fits
		if p.room > r.available() {
			return 1 + 2*priors[p.name].last
		}
		return 2 * priors[p.name].last
	}
	better := func(p *proposal) bool {
		if best == nil || late(p) != late(best) {
			return best == nil || late(p) < late(best)
		}
		return p.gain*(best.work+best.more) > best.gain*(p.work+p.more)
	}
	for i, from := range r.proposers {
		if i > 0 && r.best == nil {
			break // there is no best yet that a proposal could improve on
		}
		for _, p := range from(r) {
			if p.gain < leastGain || r.mean != nil && priors[p.name].last < priors["mean"].last { // a mean is of the best
				continue
			}
			need := cmp.Or(p.need, p.work+p.more)
			if r.best != nil && need > r.available() {
				r.skipped[p.name] = fmt.Sprintf("%.3g s are needed and %.3g are left", need/rate, max(0, r.available())/rate)
				continue
			}
			if better(&p) {
				best = &p
			}
		}
	}
	return best
}

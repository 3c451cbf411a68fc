package race

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// available returns the budget that is left beside the fit of all rows and what comes last.
func (r *Race) available() float64 {
	if r.best == nil {
		return r.left - r.finalWork(r.final()) - r.reserve
	}
	return r.left - r.fitWork(r.best, r.final()) - r.reserve
}

// keptForMean returns the part of the budget that is kept for a mean. It is 0 where that part does
// not pay for another fit of all rows.
func (r *Race) keptForMean() float64 {
	part := meanShare * r.whole
	if !r.Means || r.Features > 0 || r.First || r.finalWork(r.target()) > part {
		return 0
	}
	return part
}

// keptForLast returns the part of the budget that is kept for a mean and, if the best are trained
// frequencies, for reservedModels further trainings of them.
func (r *Race) keptForLast() float64 {
	part := r.keptForMean()
	if part == 0 || !r.best.isTrained() {
		return part
	}
	again := r.trainingWork(r.best, len(r.best.maps)) + r.fitWork(r.best, r.best.features)
	return max(part, min(reservedModels*again, trainingsShare*r.whole))
}

// final returns the number of features of the fit of all rows.
func (r *Race) final() int {
	if r.best != nil && r.drawn().features > 0 && r.measured(r.drawn()) {
		return r.drawn().features
	}
	return r.target()
}

// measured reports whether a trial had all rows and the features of the fit, so that its λ
// is that of the fit.
func (r *Race) measured(t *tried) bool {
	return t != nil && t.err == nil && t.rows == r.splits[0].Train.X.Rows && (t.isBoosted() || t.features >= r.target())
}

// target returns the number of features that the first search ends at: a few trials of
// them and the fit take less than half of the budget.
func (r *Race) target() int {
	if r.Features > 0 {
		return r.Features
	}
	rows, f := int(r.n), startFeatures
	for 2*f <= mostFeatures && 2*f <= max(startFeatures, rows/rowsPerFeature) {
		z := trial.Size{In: r.in, Targets: r.targets, Features: 2 * f, Train: min(rows, r.rows.X.Rows) * (usualFolds - 1) / usualFolds, Valid: usualHeldOut, Lambdas: 2*aroundOne + 1, Precision: r.Precision}
		if float64(mostTrials*z.Work())+r.finalWork(2*f) > startShare*r.whole {
			break
		}
		f *= 2
	}
	for f > leastFeatures && r.finalWork(f) > fitShare*r.whole {
		f /= 2
	}
	return f
}

// finalWork returns the work of the fit of all rows: its sums, and the folds of probabilities
// or held-out measures with one λ.
func (r *Race) finalWork(features int) float64 {
	f, n := float64(features), float64(r.n)
	once := trial.Size{In: r.in, Targets: r.targets, Features: features, Train: int(r.n), Lambdas: 1, Precision: r.Precision}.Work()
	m := min(f, n) // unknowns
	return once + float64(5*m*m*m/4) + float64(n*f*float64(r.targets))
}

// full returns the size of trials on all rows.
func (r *Race) full(features int) size {
	held := 0
	for _, s := range r.splits[:r.folds] {
		held = max(held, s.Valid.X.Rows)
	}
	return size{r.splits[0].Train.X.Rows, held, features, r.folds}
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

// allWork returns the multiply-adds of jobs of one size.
func (r *Race) allWork(jobs []job, z size) (sum float64) {
	for _, j := range jobs {
		sum += r.workOf(j, z)
	}
	return sum
}

// furtherWork returns the multiply-adds of a trial that goes on after so many of its splits.
// A sampler works once for each split and draw that is not at hand, and searches for a metric in the
// first draw alone.
func (r *Race) furtherWork(j job, z size, done int) float64 {
	further, bent := float64(max(0, z.splits-done)), r.scalings[j.scaling].bent
	learning := r.axesWork(j.candidate, z, done)
	ways := len(j.grid)
	features := z.features
	if j.isBoosted() {
		features = r.targets
	}
	if j.kind == sectioned && z.features >= z.rows && j.rules == nil {
		return learning + float64(further*trial.Size{In: r.in, Targets: r.targets, Train: z.rows, Valid: z.valid, Lambdas: ways, Bent: bent}.Exact())
	}
	work := trial.Size{In: r.in, Targets: r.targets, Features: features, Train: z.rows, Valid: z.valid, Lambdas: ways, Precision: r.Precision.On(j.kind == sectioned), Sums: j.rules != nil, Bent: bent}.Work()
	if j.rules != nil {
		work += r.rulesWork(j, z)
	}
	if j.kind == sectioned { // sections are dearer than half as many cosines
		work += float64(float64(z.rows+z.valid) * float64(z.features) / 2 * float64(r.in+cosine))
	}
	if begun := max(done, len(j.maps)); z.splits > begun {
		joined := max(0, min(z.splits, len(j.beside))-begun) // splits that have all draws but one
		searches := z.splits - begun - joined
		task := inside.Task{Rows: z.rows, In: r.in, Targets: r.targets, Features: z.features / (j.draws + 1), Flags: r.flags}
		learning += float64(float64(searches) * r.learningWork(j.own(), task))
		if task.Another = true; j.draws > 0 {
			for split := begun; split < begun+joined; split++ {
				learning += r.learningWork(j.further(split), task)
			}
			learning += float64(float64(j.draws*searches) * r.learningWork(j.drawing(1), task))
		}
	}
	return learning + float64(further*work)
}

// learningWork returns the multiply-adds that a sampler which learns takes.
func (r *Race) learningWork(s rff.Sampler, t inside.Task) float64 {
	if trees, ok := s.(boost.Sampler); ok {
		return trees.Work(t.Rows, t.Features, r.shape)
	}
	return inside.Work(s, t)
}

// samplerWork returns the multiply-adds that a sampler takes for so many rows and features.
func (r *Race) samplerWork(s rff.Sampler, rows, features int) float64 {
	return inside.Work(s, inside.Task{Rows: rows, In: r.in, Targets: r.targets, Features: features, Flags: r.flags})
}

// fitWork returns the work of a fit of all rows that follows a trial, with that many features.
func (r *Race) fitWork(t *tried, features int) float64 {
	bending := trial.BendingWork(int(r.n), r.scalings[t.scaling].bent)
	if t.isExact() {
		return r.exactWork() + float64(bending)
	}
	if t.isBoosted() { // a column per target, however many trees it adds up
		features = r.targets
	}
	work := r.finalWork(features) + float64(bending)
	if c, ok := r.onAll(t); ok {
		s := c.sampler.(boost.Sampler)
		work += r.growingWork(s, s.Trees)
	}
	if s, ok := t.own().(sampling.Nystrom); ok {
		work += r.samplerWork(s, r.rows.X.Rows, features)
	}
	return work
}

// onAll returns the trees that are grown on all rows for the fit, in place of those of a trial. It returns false if
// the trial has the features of the fit, or if the budget does not pay for others. The trees of several divisions have
// seen all rows together. Those of one division have not seen what was held out, and trees go on to gain from rows: on
// covtype trees of four fifths of the rows have 7.7 % wrong labels, and those of all rows 7.0.
func (r *Race) onAll(t *tried) (candidate, bool) {
	c := t.candidate
	s, ok := c.sampler.(boost.Sampler)
	if !ok || t.splits != 1 || t.maps == nil {
		return c, false
	}
	s.Trees, s.Part = inside.Trees(t.maps[0].Map), false
	c.sampler = s
	return c, r.growingWork(s, s.Trees)+r.finalWork(r.targets) <= r.left
}

// growingWork returns the work of growing so many trees on all rows.
func (r *Race) growingWork(s boost.Sampler, trees int) float64 {
	s.Trees, s.Part = trees, false
	return s.Work(r.rows.X.Rows, trees, r.shape)
}

// exactWork returns the work of the fit of all rows by their kernel matrix, with the folds of
// held-out measures, or by sums where many rows are equal.
func (r *Race) exactWork() float64 {
	n := r.rows.X.Rows
	if float64(r.n) > someAlike*float64(n) {
		return r.finalWork(n) + r.samplerWork(uniformRows, n, n)
	}
	solutions := 1
	if r.Classes != nil {
		solutions += r.folds // for probabilities
	}
	return trial.Size{In: r.in, Targets: r.targets, Train: int(r.n), Lambdas: solutions}.Exact()
}

// ruleWork returns the work of the second solution of the fit of all rows: the scores of all
// rows, and the sums of those that count more.
func (r *Race) ruleWork() float64 {
	return trial.Size{In: r.in, Targets: r.targets, Features: r.final(), Train: int(r.best.LossShare() * float64(r.n)), Valid: int(r.n), Lambdas: 1, Precision: r.Precision}.Work()
}

// rulesWork returns the work of trying rules: solutions by Cholesky factors, a pass for the scores of each λ, and
// the sums of the rows that each rule has count more.
func (r *Race) rulesWork(j job, z size) float64 {
	f, t, n := float64(z.features), float64(r.targets), float64(z.rows)
	solve := float64(f * f * (float64(f/4) + t))
	scores := float64(n * f * (float64(float64(r.in+cosine)/2) + t))
	sums := float64(r.best.LossShare()*n) * f * (float64(float64(f+float64(r.in+cosine))/2) + t)
	first := float64(len(j.grid))
	second := float64(first * float64(len(j.rules)))
	return float64((first+second)*solve) + float64(first*scores) + float64(second*sums)
}

// axesWork returns the work of learning bandwidths per input for those splits after the first
// done that have none yet.
func (r *Race) axesWork(c candidate, z size, done int) float64 {
	if c.axes == nil {
		return 0
	}
	sections := min(z.features, axesSections)
	once := r.samplerWork(sampling.Nystrom{Metric: true}, z.rows, sections)
	return float64(float64(max(0, z.splits-max(done, len(c.axes.kernels)))) * once)
}

// keepsScaled reports whether memory keeps the rows of all splits in that many scalings, so that trials need
// not bend them again.
func (r *Race) keepsScaled(scalings int) bool {
	return float64(8*r.in)*float64(r.rows.X.Rows)*float64(r.dealing.Count*scalings) <= keptBytes
}

// bendingWork returns the work of bending all inputs in the first trials, at their smallest size, of the
// scalings that bend.
func (r *Race) bendingWork() float64 {
	if r.keepsScaled(plainScalings + bentScalings) {
		return 0
	}
	rows, least := r.rows.X.Rows, firstRungs[len(firstRungs)-1]
	if rows-rows/r.dealing.Of <= least {
		rows *= r.dealing.Count
	} else {
		rows = least + least/heldPart
	}
	return bentScalings * float64((gridHigh-gridLow+1)*len(r.Kernels)) * trial.BendingWork(rows, r.in)
}

// trainingWork returns the work of the training of that number, of all draws of a trial. There is none
// where it was done on another split, and where trees are grown for the fit, which counts for it.
func (r *Race) trainingWork(t *tried, number int) float64 {
	if _, all := r.onAll(t); all || number < len(t.maps) {
		return 0
	}
	draws := t.draws + 1
	task := inside.Task{Rows: t.rows, In: r.in, Targets: r.targets, Features: t.features / draws, Flags: r.flags, Another: true}
	return float64(draws) * r.learningWork(job{candidate: t.candidate, beside: t.maps}.further(0), task)
}

package race

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// step tries candidates of one size, takes their work off the budget and adds the step to
// the report. It returns the trials, best first; those that could not be fitted come last. The
// only error is that of ctx.
func (r *Race) step(ctx context.Context, name string, jobs []job, z size) ([]*tried, error) {
	begin := time.Now()
	defer r.draws.forget()
	for _, t := range slices.Concat(r.all, r.kept) { // the scores of many classes by every λ take much memory
		if t != r.best && t.Result != nil {
			t.settle()
		}
	}
	out := make([]*tried, len(jobs))
	each := make([]float64, len(jobs))
	var work float64
	ways := 0
	for i, j := range jobs {
		each[i] = r.workOf(j, z)
		work += each[i]
		ways += max(1, len(j.grid)*len(j.rules))
	}
	r.engine.Each(len(jobs), func(share blas.Engine, i int) {
		if ctx.Err() == nil {
			out[i] = r.try(ctx, share, jobs[i], z, nil)
		}
		r.advance(each[i] / r.whole)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.left -= work
	slices.SortStableFunc(out, compare)
	for i, t := range out {
		r.seen[t.key(z)] = true
		if i > 1 && t.err == nil {
			t.settle()
		}
		if r.measured(t) && t.rules == nil {
			r.all = append(r.all, t)
		}
	}
	held := 0
	if out[0].err == nil {
		held = len(out[0].Loss)
	}
	r.report.Steps = append(r.report.Steps, Step{Name: name, Candidates: ways, Rows: z.rows, HeldOut: held, Features: z.features,
		Best: r.describe(out[0]), Error: r.told(out[0]), Estimated: duration(work), Elapsed: time.Since(begin)})
	return out, nil
}

// onPart is a step on a part of the rows, which chooses what is tried on all of them. It returns the
// trials beside those before, best first.
func (r *Race) onPart(ctx context.Context, name string, jobs []job, z size, before []*tried) ([]*tried, error) {
	trials, err := r.step(ctx, name, jobs, z)
	if err != nil {
		return nil, err
	}
	r.last().Why = "the best of them go on to all rows"
	if trials[0].err != nil {
		r.last().Why = "none is of use"
	}
	trials = append(before, trials...)
	slices.SortStableFunc(trials, compare)
	return trials, nil
}

// over reports whether the next step may not start, if it has that work.
func (r *Race) over(work float64) bool {
	switch {
	case r.Steps > 0 && len(r.report.Steps) >= r.Steps:
		r.report.Stopped = fmt.Sprintf("%d steps were asked for", r.Steps)
	case r.Deadline > 0 && r.best != nil && time.Since(r.Begin)+r.takes(work+r.fitWork(r.best, r.final())) > r.Deadline:
		r.report.Late = true
		r.report.Stopped = fmt.Sprintf("the deadline of %v leaves no time for another step", r.Deadline)
	}
	return r.report.Stopped != ""
}

// takes returns how long that work would take at the speed of the steps so far.
func (r *Race) takes(work float64) time.Duration {
	var took, estimated time.Duration
	for _, s := range r.report.Steps {
		took, estimated = took+s.Elapsed, estimated+s.Estimated
	}
	return time.Duration(float64(duration(work)) * took.Seconds() / max(estimated.Seconds(), 1e-9))
}

// try fits a candidate to the first rows of every split and measures it on held-out rows,
// or goes on from what it did on fewer splits.
func (r *Race) try(ctx context.Context, e blas.Engine, j job, z size, from *tried) *tried {
	t := &tried{job: j, size: z}
	var before *trial.Result
	if from != nil {
		before = from.Result
		t.maps = from.maps
	}
	maps := make([]*sampling.Learned, max(z.splits, len(t.maps)))
	copy(maps, t.maps)
	task, made := r.task(e, j), r.makerOf(j.candidate, z.features)
	task.Held = z.rows == r.splits[0].Train.X.Rows
	task.Map = func(ctx context.Context, e blas.Engine, split int, rows *trial.Rows) (m *rff.Map, err error) {
		if l := maps[split]; l != nil {
			return inside.On(l.Map, e), nil
		}
		var beside *sampling.Learned
		if split < len(j.beside) {
			beside = j.beside[split]
		}
		m, maps[split], err = made(ctx, e, split, rows, beside)
		return m, err
	}
	splits := make([]trial.Split, z.splits)
	for i, s := range r.splits[:z.splits] {
		valid := s.Valid.Head(z.valid)
		splits[i] = trial.Split{Train: s.Train.Head(z.rows), Valid: valid, Slot: s.Slot[:valid.X.Rows]}
	}
	t.Result, t.err = task.Run(ctx, splits, before)
	for len(t.maps) < len(maps) && maps[len(t.maps)] != nil {
		t.maps = maps[:len(t.maps)+1]
	}
	if t.err == nil && !t.Solved() {
		t.err = errNothing
	}
	return t
}

// task is what a trial of a job fits.
func (r *Race) task(e blas.Engine, j job) trial.Task {
	return trial.Task{Engine: e, Scaling: r.scalings[j.scaling].Scaling, Precision: r.Precision, Lambdas: j.grid, Rules: j.rules, Loss: r.loss}
}

// last returns the step just done.
func (r *Race) last() *Step { return &r.report.Steps[len(r.report.Steps)-1] }

// replace puts the best, tried on further splits, in the place of the best.
func (r *Race) replace(by *tried) {
	r.kept[len(r.kept)-1] = by
	if r.plain == r.best {
		r.plain = by
	}
	if r.trained == r.best {
		r.trained = by
	}
	r.best = by
}

// take makes a trial the best.
func (r *Race) take(t *tried) {
	r.best = t
	r.kept = append(r.kept, t)
	if t.kind != learned && !t.isExact() {
		r.plain = t
	}
	if t.isTrained() && t.rules == nil {
		r.trained = t
	}
	r.last().Kept = true
	r.reserve = r.keptForLast()
}

// challenge tries candidates and keeps the best of them if it is better than the best before.
// If held-out rows cannot tell the two apart, it also keeps the new one if that has more
// features and enough rows for them, or joins further draws, or has as many features without
// learning them.
func (r *Race) challenge(ctx context.Context, name string, jobs []job, z size) error {
	trials, err := r.step(ctx, name, jobs, z)
	if err != nil {
		return err
	}
	r.judge(ctx, name, trials[0])
	return ctx.Err()
}

// judge keeps the best trial of a step, or says why it does not.
func (r *Race) judge(ctx context.Context, name string, t *tried) {
	step := r.last()
	if t.err != nil {
		step.Why = t.err.Error()
		return
	}
	errors := priors[name].errors
	d, t, best := r.decide(ctx, r.best, t, errors)
	r.replace(best)
	if t.err != nil {
		step.Why = t.err.Error()
		return
	}
	if t.isTrained() && t.rules == nil && (r.trained == nil || trial.Compare(r.trained.Result, t.Result).Mean > 0) {
		r.trained = t
	}
	step.Gain, step.StdErr, step.Error, step.HeldOut = d.Mean, d.StdErr, r.told(t), len(t.Loss)
	more := !t.isBoosted() && !best.isBoosted() && t.features > best.features && r.n >= int64(enoughRows*t.features)
	simpler := t.features == best.features && best.kind == learned && t.kind == drawn
	averaged := t.draws > best.draws && best.isTrained() // the mean of more draws varies less
	worse := trial.Compare(t.Result, best.Result).Better(noise)
	switch {
	case r.onFew(t, best) && d.Mean > 0 && !d.Better(alone):
		step.Why = fmt.Sprintf("%d rows of one split say too little, and the budget does not pay for another", len(t.Loss))
	case d.Better(errors), (more || simpler || averaged) && !worse && !r.onFew(t, best):
		r.take(t)
	default:
		step.Why = notKept(d, errors)
	}
}

// decide compares a trial with the best on the rows that both held out. A gain on few of them
// must hold on further splits. If the difference is not far beyond that many standard errors
// and all rows were held out once, decide tries both with other folds, as long as that may
// settle the matter and the budget pays for it.
func (r *Race) decide(ctx context.Context, best, t *tried, errors float64) (trial.Difference, *tried, *tried) {
	for {
		d := trial.Compare(best.Result, t.Result)
		splits := t.splits + r.folds
		switch within := d.Mean > -d.StdErr && d.Mean < undecided*errors*d.StdErr; {
		case r.onFew(t, best) && d.Mean > 0:
			splits = t.splits + 1
		case errors == 0 || !within || t.splits < r.folds || best.splits < r.folds || best.splits%r.folds != 0 || splits > r.folds*r.dealing.Repeats:
			return d, t, best
		}
		var work float64
		for _, one := range []*tried{t, best} {
			z := one.size
			z.splits = splits
			work += r.furtherWork(one.job, z, one.splits)
		}
		if work > decideShare*r.available() {
			return d, t, best
		}
		r.left -= work
		for len(r.splits) < splits {
			if r.deal(ctx) != nil { // which the caller of judge returns
				return d, t, best
			}
		}
		for _, one := range []**tried{&t, &best} {
			if (*one).splits >= splits {
				continue
			}
			z := (*one).size
			z.splits = splits
			again := r.try(ctx, r.engine, (*one).job, z, *one)
			if again.err != nil {
				if one == &t {
					t = again
				}
				return d, t, best
			}
			if i := slices.Index(r.all, *one); i >= 0 {
				r.all[i] = again
			}
			*one = again
		}
		r.last().Estimated += duration(work)
	}
}

// deal makes the splits of the next repeat. The error is that of ctx.
func (r *Race) deal(ctx context.Context) error {
	f := r.dealing
	f.From = len(r.splits) / max(1, r.folds)
	f.Repeats = f.From + 1
	splits, err := f.SplitsUntil(ctx, r.rows)
	r.splits = append(r.splits, splits...)
	return err
}

// onFew reports whether a trial was measured on few rows and on fewer splits than the best.
func (r *Race) onFew(t, best *tried) bool {
	return t.splits < min(r.folds, best.splits) && len(t.Loss) < fewHeldOut
}

// notKept says why a gain is not enough where it must have that many standard errors.
func notKept(d trial.Difference, errors float64) string {
	if d.Mean > d.StdErr {
		return fmt.Sprintf("the gain, %.2g ± %.2g, is within %g standard errors", d.Mean, d.StdErr, errors)
	} else if d.Mean > 0 {
		return fmt.Sprintf("the gain, %.2g ± %.2g, is within its standard error", d.Mean, d.StdErr)
	}
	return "held-out rows are no better off"
}

package race

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/sampling"
)

// trainings proposes to learn the features of the fit again, from other rows or random numbers, and to
// take the mean of all. It comes last and takes what is left of the budget. None of these
// trainings is measured: each is expected to be as good as the one that was, and the squared error
// of a mean is at most the mean of the squared errors.
func trainings(r *Race) []proposal {
	if !r.Means || r.Features > 0 || r.fruitless["trainings"] > 0 || !r.measured(r.best) {
		return nil
	}
	m := r.mean
	if m == nil {
		m = &mean{of: []*tried{r.best}, weight: []float64{1}}
	}
	times, work, fits := r.timesOf(m)
	if slices.Max(times) == 0 {
		return nil
	}
	return []proposal{{name: "trainings", gain: r.gainOf("trainings"), work: work, more: fits, need: work + fits - r.reserve, run: func(ctx context.Context) error {
		r.fruitless["trainings"]++ // once is enough
		return r.trainAgain(ctx, times, work)
	}}}
}

// timesOf returns how often the budget pays for training each member of a mean again, so that the
// weights of single trainings become alike and what is learned takes at most meanBytes. It also
// returns the work of that, and of the fits of all but the best.
func (r *Race) timesOf(m *mean) (times []int, work, fits float64) {
	times = make([]int, len(m.of))
	for _, t := range m.of {
		if t != r.best {
			fits += r.fitWork(t, t.features)
		}
	}
	bytes := 0
	for models := len(m.of); models < mostModels; models++ {
		at, training, fit := -1, 0.0, 0.0
		for i, t := range m.of {
			if t.kind != learned || at >= 0 && m.weight[i]/float64(1+times[i]) <= m.weight[at]/float64(1+times[at]) {
				continue
			}
			w, f := r.trainingWork(t, 1+times[i]), r.fitWork(t, t.features)
			if t.rules != nil {
				f += r.ruleWork()
			}
			if work+w+fits+f <= r.available()+r.reserve && bytes+r.bytesOf(t) <= meanBytes {
				at, training, fit = i, w, f
			}
		}
		if at < 0 {
			break
		}
		times[at]++
		bytes += r.bytesOf(m.of[at])
		work, fits = work+training, fits+fit
	}
	return times, work, fits
}

// bytesOf bounds the memory of the frequencies or tables of a trial.
func (r *Race) bytesOf(t *tried) int {
	if s, ok := t.sampler.(boost.Sampler); ok {
		return r.tableBytes(s, t.features)
	}
	return 8 * t.features * r.in
}

// another is a further training of a member of the mean, with random numbers from draw first on.
type another struct {
	member, number, first int
	of                    *tried
	err                   error
}

// trainAgain trains the members of the mean that often, or the best if there is no mean.
func (r *Race) trainAgain(ctx context.Context, times []int, work float64) error {
	begin := time.Now()
	if r.mean == nil {
		r.mean = &mean{of: []*tried{r.best}, weight: []float64{1}, told: r.told(r.best), scores: r.best.Scores(r.targets)}
	}
	m, next := r.mean, 1
	for _, t := range m.of {
		next = max(next, t.draws+1)
	}
	var again []another
	for i, n := range times {
		for k := range n {
			again = append(again, another{member: i, number: 1 + k, first: next})
			next += m.of[i].draws + 1
		}
	}
	r.engine.Each(len(again), func(e blas.Engine, i int) { // one training has parts that keep a single worker busy
		a := &again[i]
		a.of, a.err = r.retrained(ctx, e, m.of[a.member], a.number, a.first)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	step := Step{Name: "trainings", Rows: m.of[0].rows, Error: m.told, Estimated: duration(work)}
	var text []string
	for i := range times {
		var of []*tried
		for _, a := range again {
			if a.member == i && a.err == nil {
				of = append(of, a.of)
			} else if a.member == i {
				step.Why = a.err.Error()
			}
		}
		if of == nil {
			continue
		}
		m.weight[i] /= float64(1 + len(of))
		for _, one := range of {
			m.of, m.weight = append(m.of, one), append(m.weight, m.weight[i])
		}
		step.Candidates, step.Features, step.Kept = step.Candidates+len(of), step.Features+len(of)*m.of[i].features, true
		text = append(text, fmt.Sprintf("%d of (%s)", len(of), r.describe(m.of[i])))
	}
	step.Best, step.Elapsed = "not measured: "+strings.Join(text, " + "), time.Since(begin)
	r.left -= work
	r.advance(work / r.whole)
	r.report.Steps = append(r.report.Steps, step)
	return nil
}

// retrained returns a trial with the features of the training of that number: of another split, or
// of the first with random numbers from draw first on. Trees for all rows are grown for the fit.
func (r *Race) retrained(ctx context.Context, e blas.Engine, t *tried, number, first int) (*tried, error) {
	again := *t
	if _, all := r.onAll(t); all {
		again.draw = first
		return &again, nil
	}
	if number < len(t.maps) {
		again.maps = t.maps[number:][:1]
		return &again, nil
	}
	l, err := r.train(ctx, e, t.candidate, t.features, r.splits[0].Train, t.maps[0], first)
	if err != nil {
		return nil, err
	}
	again.maps = []*sampling.Learned{l}
	return &again, nil
}

package race

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// waves returns rows of two inputs with a wave and noise.
func waves(n int, noise float64) *trial.Rows {
	rng := rand.New(rand.NewPCG(1, 1))
	r := &trial.Rows{X: blas.NewGeneral[float64](n, 2), Y: blas.NewGeneral[float64](n, 1), Low: []float64{-5, -5}, High: []float64{5, 5}}
	for i := range n {
		x := r.X.Row(i)
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		r.Y.Row(i)[0] = math.Sin(2*x[0]) + x[1] + noise*rng.NormFloat64()
		r.Index = append(r.Index, int64(i))
	}
	return r
}

func begun(t *testing.T, rows *trial.Rows, s Settings) *Race {
	t.Helper()
	if s.Budget == 0 {
		s.Budget = time.Second
	}
	if s.Kernels == nil {
		s.Kernels = []rff.Stationary{rff.NewGaussian()}
	}
	s.Engine.Workers = 1
	s.Check = func(int, int64) error { return nil }
	r, err := New(rows, int64(rows.X.Rows), s)
	if err != nil {
		t.Fatal(err)
	}
	r.advance = func(float64) {}
	if err := r.prepare(t.Context()); err != nil || r.report.Stopped != "" {
		t.Fatal(err, r.report.Stopped)
	}
	return r
}

// fork returns a race that goes on from where r is, and leaves r and its trials as they are, so that tests share
// what comes before.
func fork(t *testing.T, r *Race) *Race {
	t.Helper()
	c := begun(t, r.rows, r.Settings)
	copies := map[*tried]*tried{nil: nil}
	one := func(of *tried) *tried {
		if copies[of] == nil && of != nil {
			again := *of
			if of.Result != nil {
				result := *of.Result
				again.Result = &result
			}
			copies[of] = &again
		}
		return copies[of]
	}
	each := func(of []*tried) (out []*tried) {
		for _, t := range of {
			out = append(out, one(t))
		}
		return out
	}
	c.best, c.plain, c.trained, c.few, c.oneSplit, c.kept, c.all = one(r.best), one(r.plain), one(r.trained), one(r.few), one(r.oneSplit), each(r.kept), each(r.all)
	if r.mean != nil {
		m := *r.mean
		m.of, m.weight, c.mean = each(m.of), slices.Clone(m.weight), &m
	}
	c.splits, c.folds, c.left, c.reserve, c.gained = slices.Clone(r.splits), r.folds, r.left, r.reserve, r.gained
	c.seen, c.fruitless, c.skipped = maps.Clone(r.seen), maps.Clone(r.fruitless), maps.Clone(r.skipped)
	c.report.Steps, c.report.Error, c.report.Stopped = slices.Clone(r.report.Steps), r.report.Error, r.report.Stopped
	return c
}

// Of the proposals the one with the largest gain for its work comes next; one that does not
// fit beside the fit, or gains next to nothing, does not come, and those whose
// gain belongs to the last fit come last.
func TestNext(t *testing.T) {
	r := begun(t, waves(300, 0.1), Settings{})
	r.best = &tried{size: r.full(r.target()), Result: &trial.Result{}}
	all := []proposal{{name: "refined", gain: 0.3, work: 6e9}, {name: "metric", gain: 0.1, work: 1e9}, {name: "features", gain: 0.05, work: 1e9, more: 1e9},
		{name: "landmarks", gain: 0.5, work: 1e12}, {name: "bandwidth", gain: leastGain / 2, work: 1}, {name: "mean", gain: 1, work: 1}, {name: "rule", gain: 0.9, work: 1}}
	none := func(*Race) []proposal { return nil }
	r.proposers = []proposer{none, func(*Race) []proposal { return all }}
	var order []string
	for range all {
		p := r.next()
		if p == nil {
			break
		}
		order = append(order, p.name)
		all = slices.DeleteFunc(slices.Clone(all), func(q proposal) bool { return q.name == p.name })
	}
	if want := []string{"metric", "refined", "features", "rule", "mean"}; !slices.Equal(order, want) {
		t.Errorf("steps come in the order %v, want %v", order, want)
	}
	if r.skipped["landmarks"] == "" {
		t.Error("what does not fit is not told")
	}
	// A mean is of the best, which no step changes after it.
	all = []proposal{{name: "refined", gain: 0.3, work: 1}, {name: "rule", gain: 0.9, work: 1}}
	if r.mean = new(mean); r.next() != nil {
		t.Error("a step comes after the mean")
	}
	if all = append(all, proposal{name: "trainings", gain: 0.02, work: 1e9}); r.next().name != "trainings" {
		t.Error("a mean is not trained again")
	}
}

// What was tried is not tried again where the best has gone on to more splits.
func TestTriedOnFewerSplits(t *testing.T) {
	r := begun(t, waves(300, 0.1), Settings{})
	z := r.full(r.target())
	r.report.Steps = []Step{{}}
	r.best = scripted([]float64{1}, z)
	if neighbours(r) == nil {
		t.Fatal("no other bandwidth is proposed")
	}
	one := z
	one.splits = 1
	for by := -1; by <= 1; by++ {
		j := r.best.job
		j.exponent += by
		r.seen[j.key(one)] = true
	}
	if p := neighbours(r); p != nil {
		t.Errorf("%+v is tried again", p[0])
	}
}

// scripted is a proposal's trial with losses of its own.
func scripted(losses []float64, z size) *tried {
	t := &tried{size: z, Result: trial.ResultOf(len(losses), func(i int) (loss, proper, told, weight float64) { return losses[i], 0, 0, 1 })}
	t.Splits = z.splits
	return t
}

// What is learned or larger is kept where it is better by more than its standard error, or
// has more features and rows enough, or further draws, or nothing was learned for as many; not
// for any gain.
func TestKeeps(t *testing.T) {
	const n = 400
	losses := func(shift, spread float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 1 + shift + spread*float64(1-2*(i%2)) // a spread of 0.2 is a standard error of 0.01
		}
		return out
	}
	for _, c := range []struct {
		name           string
		shift          float64
		features, rows int
		best, kind     kind
		want           bool
	}{
		{"better", -0.1, 64, 1000, drawn, drawn, true},
		{"a little better", -0.004, 64, 1000, drawn, drawn, false},
		{"worse", 0.1, 64, 1000, drawn, drawn, false},
		{"more features of few rows", 0, 128, 1000, drawn, drawn, false},
		{"more features of many rows", 0.004, 128, enoughRows * 128, drawn, drawn, true},
		{"many, and worse", 0.1, 128, enoughRows * 128, drawn, drawn, false},
		{"plain in the place of learned", 0.004, 64, 1000, learned, drawn, true},
		{"learned in the place of plain", 0.004, 64, 1000, drawn, learned, false},
	} {
		r := begun(t, waves(100, 0.1), Settings{})
		r.n, r.folds = int64(c.rows), math.MaxInt // no repeats
		best, other := scripted(losses(0, 0), size{80, 20, 64, 1}), scripted(losses(c.shift, 0.2), size{80, 20, c.features, 1})
		best.kind, other.kind = c.best, c.kind
		r.report.Steps = append(r.report.Steps, Step{}, Step{})
		r.take(best)
		r.last().Kept = false
		r.judge(context.Background(), "features", other)
		if kept := r.best == other; kept != c.want || r.last().Kept != kept || kept == (r.last().Why != "") {
			t.Errorf("%s: kept %v, %+v", c.name, kept, *r.last())
		}
	}
}

// A rule must gain two standard errors. Of a gain between one and two the report does not say
// that it is within one.
func TestWhyRuleIsNotKept(t *testing.T) {
	for gain, want := range map[float64]string{1.5: "within 2 standard errors", 0.5: "within its standard error"} {
		best, other := make([]float64, 400), make([]float64, 400)
		for i := range other { // a standard error of 0.01
			best[i], other[i] = 1, 1-gain/100+0.2*float64(1-2*(i%2))
		}
		r := begun(t, waves(100, 0.1), Settings{})
		r.n, r.folds = 1000, math.MaxInt // no repeats
		r.report.Steps = append(r.report.Steps, Step{}, Step{})
		r.take(scripted(best, size{80, 20, 64, 1}))
		r.last().Kept = false
		r.judge(context.Background(), "rule", scripted(other, size{80, 20, 64, 1}))
		if s := r.last(); s.Kept || !strings.Contains(s.Why, want) {
			t.Errorf("a gain of %g standard errors: %+v, want %q", gain, *s, want)
		}
	}
}

// Bandwidths go on beside the best for as long as one gains leastGain of the loss.
func TestNeighboursEnd(t *testing.T) {
	r := begun(t, waves(300, 0.1), Settings{})
	r.best = scripted([]float64{2, 2}, r.full(r.target()))
	for _, c := range []struct {
		step Step
		want bool
	}{
		{Step{Name: "bandwidth", Kept: true, Gain: 2.1 * leastGain}, true},
		{Step{Name: "bandwidth", Kept: true, Gain: 1.9 * leastGain}, false},
		{Step{Name: "bandwidth", Gain: 1.9 * leastGain}, true},
		{Step{Name: "features", Kept: true, Gain: 1.9 * leastGain}, true},
	} {
		r.report.Steps = []Step{c.step}
		if got := neighbours(r) != nil; got != c.want {
			t.Errorf("after %+v: proposed %v", c.step, got)
		}
	}
}

// The grid of bandwidths is widened where its end is evidently better than the next, and not
// where all are alike.
func TestWidensOnEvidence(t *testing.T) {
	r := begun(t, waves(100, 0.1), Settings{})
	even, better := make([]float64, 100), make([]float64, 100)
	for i := range even {
		even[i], better[i] = 1, 0.9+0.01*float64(i%3)
	}
	z := r.full(64)
	at := func(exponent int, losses []float64) *tried {
		t := scripted(losses, z)
		t.exponent = exponent
		return t
	}
	if end := at(gridHigh, even); evident([]*tried{end, at(gridHigh-1, even)}, end, gridLow, gridHigh) {
		t.Error("a tie is evidence")
	}
	if end := at(gridLow, better); !evident([]*tried{end, at(gridLow+1, even)}, end, gridLow, gridHigh) {
		t.Error("a gain on every row is none")
	}
	if inner := at(0, better); evident([]*tried{inner}, inner, gridLow, gridHigh) {
		t.Error("the middle of the grid is its end")
	}
}

// failing is a sampler that fits some numbers of features.
type failing struct{ most int }

func (s failing) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	if r.Features > s.most {
		return nil, errors.New("too many")
	}
	return sampling.MonteCarlo{}.Sample(ctx, r)
}

// A candidate that cannot be fitted is a tried one that failed: where twice the features
// cannot be, the race ends with those there are, and with the error of a sampler that always
// fails. There are no more landmarks than rows.
func TestFailures(t *testing.T) {
	ctx := context.Background()
	for most, ok := range map[int]bool{0: false, startFeatures: true} {
		r := begun(t, waves(300, 0.1), Settings{Sampler: failing{most}})
		_, err := r.Run(ctx, func(float64) {})
		if (err == nil) != ok {
			t.Errorf("at most %d features: %v", most, err)
		}
		if err != nil {
			continue
		}
		made := false
		for _, c := range r.Choices() {
			made = made || c.Make(ctx) == nil
		}
		if made != (most >= r.target()) {
			t.Errorf("at most %d features: made %v", most, made)
		}
	}
	r := begun(t, waves(120, 0.1), Settings{Sampler: uniformRows, Features: 200})
	if _, err := r.Run(ctx, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	c := r.Choices()[0]
	if err := c.Make(ctx); err != nil {
		t.Fatal(err)
	}
	if _, s := c.Map.Dims(); s != 120 {
		t.Errorf("%d landmarks of 120 rows", s)
	}
}

// What landmarks and learning cost more than random features is counted, as the samplers
// say it.
func TestWork(t *testing.T) {
	r := begun(t, waves(100, 0.1), Settings{})
	z := size{16000, 4000, 1024, 2}
	j := job{grid: make([]float64, 3)}
	plain := r.workOf(j, z)
	j.kind, j.sampler = sectioned, uniformRows
	uniform := r.workOf(j, z)
	j.sampler = pickedRows
	if least := 2 * 1024. * 1024 * 1024 * 3; uniform < plain+least || r.workOf(j, z) < uniform+least { // L⁻¹ and two products with it, of two splits; the pool
		t.Errorf("%.3g multiply-adds, landmarks %.3g, picked %.3g", plain, uniform, r.workOf(j, z))
	}
	few := r.workOf(j, z)
	if j.sampler = (sampling.Nystrom{Pick: "rpcholesky", Metric: true}); r.workOf(j, z) < few+2*20*8000*256*256/2 { // Grams of two splits, 20 fits each
		t.Errorf("%.3g multiply-adds, of scaled landmarks %.3g", few, r.workOf(j, z))
	}
	var before float64
	for _, s := range []rff.Sampler{sampling.Refined{Metric: sampling.Metric{Rows: manyLearned}, Epochs: 60}, sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: manyLearned}, Epochs: 60},
		sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: fewLearned}, Epochs: 60}, sampling.Metric{Fast: true, Rows: fewLearned}} {
		j.kind, j.sampler = learned, s
		if w := r.workOf(j, z); before > 0 && !(w < before) {
			t.Errorf("%+v takes %.3g, more effort %.3g", s, w, before)
		} else {
			before = w
		}
	}
}

// The budget pays for scalings and distances of many inputs before the first step.
func TestBeginningIsPaidFor(t *testing.T) {
	for _, kernels := range [][]rff.Stationary{{rff.NewGaussian()}, {rff.NewGaussian(), rff.NewLaplacian()}} {
		wide := waves(40, 0.1)
		wide.X = blas.NewGeneral[float64](40, 1500)
		for i := range wide.X.Data {
			wide.X.Data[i] = float64(i * i % 101)
		}
		wide.Low, wide.High = make([]float64, 1500), make([]float64, 1500)
		for j := range wide.High {
			wide.High[j] = 100
		}
		r := begun(t, wide, Settings{Kernels: kernels})
		want := float64(len(r.scalings)) * trial.ScalingWork(40, r.in, len(kernels))
		if spent := r.whole - r.left; math.Abs(spent-want) > 1e-9*r.whole || want == 0 {
			t.Errorf("%d metrics: %g multiply-adds are off the budget, want %g", len(kernels), spent, want)
		}
		if r := begun(t, waves(200, 0.1), Settings{Kernels: kernels}); r.left != r.whole {
			t.Errorf("few inputs: %g of %g are left", r.left, r.whole)
		}
	}
}

// What was learned is at hand for the splits of a trial, and is learned again for further
// ones; joined draws for each split the draw they lack, with one search for a metric for all draws.
func TestWorkOfFurtherSplits(t *testing.T) {
	r := begun(t, waves(300, 0.1), Settings{})
	z := r.full(64)
	j := job{candidate: candidate{kind: learned, sampler: sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: fewLearned}, Epochs: 3}}, grid: r.grid}
	one := r.samplerWork(j.sampler, z.rows, z.features)
	plain := job{candidate: candidate{sampler: sampling.MonteCarlo{}}, grid: r.grid}
	check := func(what string, got float64, splits int, learned float64) {
		t.Helper()
		alone := z
		alone.splits = splits
		if want := r.workOf(plain, alone) + learned; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s count for %g, want %g", what, got, want)
		}
	}
	check("five splits", r.workOf(j, z), 5, 5*one)
	check("four further splits", r.furtherWork(j, z, 1), 4, 4*one)
	j.maps = make([]*sampling.Learned, 2)
	check("five splits, with maps of two", r.workOf(j, z), 5, 3*one)
	check("four further splits, with a map of one", r.furtherWork(j, z, 1), 4, 3*one)
	j.maps, j.draws, j.beside = nil, 1, make([]*sampling.Learned, 5)
	half := r.samplerWork(j.sampler, z.rows, z.features/2)
	twice := sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: fewLearned}, Epochs: 6}
	other := inside.Work(twice, inside.Task{Rows: z.rows, In: r.in, Targets: r.targets, Features: z.features / 2, Another: true})
	if !(other > 0 && other < half/2) {
		t.Errorf("another draw takes %.3g, the first %.3g", other, half)
	}
	check("five splits of two draws, with one of each at hand", r.workOf(j, z), 5, 5*other)
	j.beside[0] = &sampling.Learned{Untrained: true}
	read := inside.Work(sampling.Metric{}, inside.Task{Rows: z.rows, In: r.in, Another: true}) // another draw for its metric
	check("five splits of two draws, with one of each at hand, that training did not help on one split", r.workOf(j, z), 5, 4*other+read)
	for i := range j.beside {
		j.beside[i] = j.beside[0]
	}
	check("five splits of two draws, with one of each at hand that training did not help", r.workOf(j, z), 5, 5*read)
	j.beside = make([]*sampling.Learned, 3)
	check("five splits of two draws, with one of three at hand", r.workOf(j, z), 5, 2*half+5*other)
	j.beside = nil
	check("five splits of two draws", r.workOf(j, z), 5, 5*half+5*other)
	j.maps = make([]*sampling.Learned, 4)
	check("five splits of two draws, with maps of four", r.workOf(j, z), 5, half+other)
	z.features, j.maps, j.draws = 96, nil, 2
	check("five splits of three draws", r.workOf(j, z), 5, 5*half+10*other)
}

// Draws that do not depend on the rows are made once for all splits, and are those of each split.
func TestDrawnOnce(t *testing.T) {
	r := begun(t, waves(60, 0.1), Settings{Seed: 4})
	c := candidate{exponent: 1}
	made := r.makerOf(c, 64)
	var first *rff.Map
	for i, s := range r.splits {
		alone, _, err := r.sampled(context.Background(), r.engine, c, 64, i, s.Train, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := made(context.Background(), r.engine, i, s.Train, nil)
		if err != nil || m.Fingerprint() != alone.Fingerprint() {
			t.Fatalf("split %d has other features than alone: %v", i, err)
		}
		if i > 0 && inside.Features64(m) != inside.Features64(first) {
			t.Errorf("split %d draws again", i)
		}
		first = m
	}
	made = r.makerOf(candidate{sampler: sampling.Nystrom{}, kind: sectioned}, 10)
	a, _, errA := made(context.Background(), r.engine, 0, r.splits[0].Train, nil)
	b, _, errB := made(context.Background(), r.engine, 1, r.splits[1].Train, nil)
	if errA != nil || errB != nil || a.Fingerprint() == b.Fingerprint() {
		t.Errorf("two splits have the same landmarks: %v, %v", errA, errB)
	}
}

// A trial holds what it learned for each of its splits, and one that goes on from it, or has its
// maps, learns only what is missing.
func TestLearnedOnce(t *testing.T) {
	rows := waves(400, 0.05)
	for i := range rows.X.Rows {
		rows.Y.Row(i)[0] = math.Sin(3 * rows.X.Row(i)[0]) // whatever the other input is
	}
	r := begun(t, rows, Settings{Budget: time.Minute})
	r.engine.Workers = 2
	ctx, z := context.Background(), r.full(32)
	j := job{candidate: candidate{kind: learned, sampler: sampling.Metric{Fast: true, Rows: 300}}, grid: r.grid[4:6]}
	z.splits = 2
	two := r.try(ctx, r.engine, j, z, nil)
	z.splits = r.folds
	all := r.try(ctx, r.engine, j, z, two)
	if two.err != nil || all.err != nil || len(two.maps) != 2 || len(all.maps) != r.folds || r.folds < 3 {
		t.Fatalf("%d and %d maps, %v, %v", len(two.maps), len(all.maps), two.err, all.err)
	}
	for i, l := range all.maps {
		if i < 2 && l != two.maps[i] {
			t.Errorf("the map of split %d was learned again", i)
		}
		if slices.Contains(all.maps[:i], l) {
			t.Errorf("split %d has the map of another", i)
		}
	}
	again := r.try(ctx, r.engine, job{candidate: j.candidate, grid: j.grid, maps: all.maps}, z, nil)
	r.engine.Workers = 1
	alone := r.try(ctx, r.engine, j, z, nil)
	if again.err != nil || !slices.Equal(again.Loss, all.Loss) || !slices.Equal(again.maps, all.maps) || !slices.Equal(alone.Loss, all.Loss) {
		t.Errorf("losses %v, with the maps %v, by one worker %v", all.Mean, again.Mean, alone.Mean)
	}
}

// A gain on few rows of one split, where the best was tried on several, is kept if it holds
// on further splits or is many standard errors; else the step says what is missing.
func TestFewRowsOfOneSplit(t *testing.T) {
	losses := func(n, wrong int) []float64 {
		out := make([]float64, n)
		for i := range wrong {
			out[i] = 1
		}
		return out
	}
	for _, c := range []struct {
		name      string
		rows      int
		one, best int // wrong labels of them
		draws     int
		want      bool
		why       string
	}{
		{"one row of 60", 60, 5, 6, 0, false, "60 rows of one split"},
		{"a tenth of 60, 2.6 standard errors", 60, 0, 6, 0, false, "60 rows of one split"},
		{"half of 60, 7.7 standard errors", 60, 0, 30, 0, true, ""},
		{"a hundredth of 500, 2.2 standard errors", 500, 0, 5, 0, true, ""},
		{"a further draw, as good on 60", 60, 6, 6, 1, false, "no better off"},
		{"a further draw, as good on 500", 500, 6, 6, 1, true, ""},
	} {
		r := begun(t, waves(300, 0.1), Settings{})
		r.left = 0 // a further split does not fit
		best := scripted(losses(5*c.rows, 0), size{240, c.rows, 64, 5})
		copy(best.Loss, losses(c.rows, c.best))
		one := scripted(losses(c.rows, c.one), size{240, c.rows, 64, 1})
		one.kind, one.draws = learned, c.draws
		best.kind, best.sampler = learned, sampling.Refined{}
		r.report.Steps = append(r.report.Steps, Step{}, Step{})
		r.take(best)
		r.last().Kept = false
		r.judge(context.Background(), "refined", one)
		if kept := r.best == one; kept != c.want || (c.why == "") != (r.last().Why == "") || !strings.Contains(r.last().Why, c.why) {
			t.Errorf("%s: kept %v, %+v", c.name, kept, *r.last())
		}
	}
}

// What is learned is tried at every λ, whatever the best plain features have, and few rows
// are trained on for more epochs than many, with more features than the best has.
func TestLearning(t *testing.T) {
	r := settled(t, Settings{Budget: time.Hour})
	r.best.Lambda = r.grid[0]
	if j := r.learning(sampling.Metric{}, 0); !slices.Equal(j.grid, r.grid) {
		t.Errorf("learned features are tried at λ %v of %v", j.grid, r.grid)
	}
	rows := r.full(0).rows
	if more := r.moreTrained(16); !(more > 16 && more <= rows) {
		t.Errorf("%d features are to be trained on %d rows", more, rows)
	}
	r.Features = 16
	if more := r.moreTrained(16); more != 16 {
		t.Errorf("%d features are to be trained where 16 are asked for", more)
	}
}

// A further draw of trained frequencies has as many of them as each before, which the fit of
// all rows pays for. It is proposed where these are the best or little behind, and where the draw
// before gained enough.
func TestJoined(t *testing.T) {
	r := begun(t, waves(100, 0.1), Settings{Budget: time.Minute})
	one := r.target()
	best := &tried{job: job{candidate: candidate{kind: learned, sampler: sampling.Refined{}}, grid: r.grid}, Result: &trial.Result{Lambda: 1e-3}}
	best.rows, best.valid, best.splits = r.splits[0].Train.X.Rows, r.splits[0].Valid.X.Rows, 1
	r.best, r.trained = best, best
	r.gained = enoughJoined
	for draws := range 3 {
		best.draws, best.features = draws, one*(draws+1)
		out := joined(r)
		if want := r.finalWork(one*(draws+2)) - r.finalWork(one*(draws+1)); len(out) != 1 || out[0].more != want || !(want > 0) {
			t.Fatalf("after %d draws of %d: %+v, want %g more work", draws+1, one, out, want)
		}
	}
	r.gained = 0.99 * enoughJoined
	if joined(r) != nil {
		t.Error("a further draw, though the one before gained little")
	}
	best.draws = 0
	if len(joined(r)) != 1 {
		t.Error("no second draw, which follows none that could have gained")
	}
	r.best = scripted([]float64{1, 1}, best.size)
	for loss, want := range map[float64]bool{0.9: true, 1.005: true, 2: false} {
		best.Loss = []float64{loss, loss}
		if out := joined(r); (out[0].gain > leastGain) != want {
			t.Errorf("trained frequencies with a loss of %v, the best with 1: a gain of %v", loss, out[0].gain)
		}
	}
	r.trained = nil
	if joined(r) != nil {
		t.Error("nothing was trained to join with")
	}
}

// A bandwidth per input is proposed once for the best landmarks of each kernel, few or all rows,
// at its cost, unless they are far behind; the choice says by which sampler.
func TestScales(t *testing.T) {
	r := begun(t, waves(100, 0.1), Settings{})
	if scales(r) != nil {
		t.Error("nothing is the best yet")
	}
	for _, c := range []struct {
		pick sampling.Nystrom
		name string
	}{{uniformRows, "nystrom:metric=diagonal"}, {pickedRows, "nystrom:pick=rpcholesky,metric=diagonal"}} {
		r.best = scripted([]float64{1, 1}, size{80, 20, 40, 1})
		r.best.kind, r.best.sampler = sectioned, c.pick
		r.all = []*tried{r.best}
		out := scales(r)
		if len(out) != 1 || !(out[0].work > r.workOf(r.best.job, r.best.size)) {
			t.Errorf("%s: %+v", c.name, out)
		}
		c.pick.Metric = true
		r.best.sampler = c.pick
		if name := r.samplerName(r.best.candidate); name != c.name || scales(r) != nil {
			t.Errorf("%q, proposed again: %v", name, scales(r) != nil)
		}
	}
	learned := scripted([]float64{1, 1}, r.best.size)
	learned.kind, learned.sampler, learned.axes = sectioned, r.best.sampler, &axes{}
	r.best = scripted([]float64{1, 1}, r.best.size)
	for loss, want := range map[float64]int{1.1: 1, 2: 0} {
		for kernel, add := range []int{0, want} { // that of learned has bandwidths per input
			other := scripted([]float64{loss, loss}, r.best.size)
			other.kind, other.sampler, other.kernel = sectioned, uniformRows, kernel
			if r.all = []*tried{r.best, learned, other}; len(scales(r)) != add {
				t.Errorf("sections of kernel %d with a loss of %v, the best with 1: %v", kernel, loss, scales(r))
			}
		}
	}
}

// Bandwidths per input are learned once for each split: another bandwidth is a multiple of
// them, and the fit of all rows has those of the first split, which were measured.
func TestScalesAreAsMeasured(t *testing.T) {
	rows := waves(400, 0.05)
	for i := range rows.X.Rows {
		rows.Y.Row(i)[0] = math.Sin(3 * rows.X.Row(i)[0]) // whatever the other input is
	}
	r := begun(t, rows, Settings{Budget: time.Minute})
	ctx, z := context.Background(), r.full(rows.X.Rows)
	plain := r.try(ctx, r.engine, job{candidate: candidate{sampler: uniformRows, kind: sectioned}, grid: r.grid[3:6]}, z, nil)
	if plain.err != nil {
		t.Fatal(plain.err)
	}
	r.report.Steps, r.all = append(r.report.Steps, Step{}), []*tried{plain}
	r.take(plain)
	for _, propose := range []proposer{scales, neighbours} {
		if err := propose(r)[0].run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	own := r.best.axes
	if own == nil || len(own.kernels) != r.best.splits {
		t.Fatalf("the best is %s", r.describe(r.best))
	}
	for split, k := range own.kernels {
		if k == nil || split > 0 && fmt.Sprint(k) == fmt.Sprint(own.kernels[0]) {
			t.Errorf("split %d has the kernel %v", split, k)
		}
	}
	learned := inside.FamilyOf(own.kernels[0], 2).Bandwidths
	if len(learned) != 2 || !(learned[1] > 2*learned[0]) {
		t.Errorf("bandwidths %v of an input that matters and one that does not", learned)
	}
	c := r.Choices()[0]
	if err := c.Make(ctx); err != nil {
		t.Fatal(err)
	}
	for j, v := range inside.FamilyOf(c.Map.Kernel(), 2).Bandwidths {
		if want := learned[j] * multiple(r.best.exponent-own.exponent); v != want {
			t.Errorf("the fit has bandwidth %v for input %d, measured was %v", v, j, want)
		}
	}
}

// Further draws are kept in the place of fewer trained ones unless they are worse beyond noise;
// in the place of anything else they are to be better.
func TestKeepsDraws(t *testing.T) {
	for _, c := range []struct {
		best rff.Sampler
		gain float64
		want bool
	}{{sampling.Refined{}, -0.004, true}, {sampling.Refined{}, -0.1, false}, {uniformRows, -0.004, false}, {sampling.Metric{}, -0.004, false}} {
		r := begun(t, waves(100, 0.1), Settings{})
		r.folds = math.MaxInt // no repeats
		losses := make([]float64, 400)
		for i := range losses {
			losses[i] = 1 - c.gain + 0.2*float64(1-2*(i%2)) // a standard error of 0.01
		}
		best, joined := scripted(slices.Repeat([]float64{1}, 400), size{80, 20, 64, 1}), scripted(losses, size{80, 20, 128, 1})
		best.sampler, best.kind, joined.sampler, joined.kind, joined.draws = c.best, learned, sampling.Refined{}, learned, 1
		r.report.Steps = append(r.report.Steps, Step{}, Step{})
		r.take(best)
		r.last().Kept = false
		r.trained = best
		r.judge(context.Background(), "joined", joined)
		if kept := r.best == joined; kept != c.want {
			t.Errorf("in the place of %T, with a gain of %v: kept %v", c.best, c.gain, kept)
		}
		if c.want && r.trained != joined {
			t.Error("a further draw would not join those that were kept")
		}
	}
}

// Folds of groups differ in size. The loss of a held-out row is that row's, whichever fold has
// it.
func TestLossesOfUnevenFolds(t *testing.T) {
	rows := waves(300, 0.1)
	for i := range rows.X.Rows {
		rows.Group = append(rows.Group, uint64(max(0, i-100))) // the first has 101 rows
	}
	r := begun(t, rows, Settings{})
	j, z := job{grid: r.grid[len(r.grid)-1:]}, r.full(32)
	all := r.try(context.Background(), r.engine, j, z, nil)
	if all.err != nil {
		t.Fatal(all.err)
	}
	sizes := map[int]bool{}
	for i, s := range r.splits[:z.splits] {
		sizes[s.Valid.X.Rows] = true
		task := r.task(r.engine, j)
		task.Map = func(ctx context.Context, _ blas.Engine, _ int, train *trial.Rows) (*rff.Map, error) {
			m, _, err := r.sampled(ctx, r.engine, j.candidate, z.features, i, train, nil)
			return m, err
		}
		one, err := task.Run(context.Background(), []trial.Split{{Train: s.Train, Valid: s.Valid.Head(z.valid)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range one.Loss {
			if got := all.Loss[s.Slot[k]]; got != want {
				t.Errorf("fold %d, row %d: loss %g, alone %g", i, k, got, want)
				break
			}
		}
	}
	if len(sizes) == 1 {
		t.Error("the folds have one size")
	}
}

// Landmarks are picked apart from each other if picking twice as many among the rows at hand takes no
// more than a fifth of what is left of the budget, and uniform ones always.
func TestPicksWithinBudget(t *testing.T) {
	r := begun(t, waves(300, 0.1), Settings{})
	r.n = 60_000 // of which the others are out of reach
	one, two := r.samplerWork(pickedRows, 300, 64), r.samplerWork(pickedRows, 300, 128)
	if one >= two {
		t.Fatalf("picking 64 is %g of work, 128 %g", one, two)
	}
	for _, c := range []struct {
		available float64
		want      int
	}{{5.1 * two, len(sectionWays)}, {4.9 * two, 1}} {
		r.left += c.available - r.available()
		ways := r.sectionWays(64)
		if len(ways) != c.want || ways[0].pick != uniformRows {
			t.Errorf("%g of work is left, %g and %g needed: ways %+v", c.available, one, two, ways)
		}
	}
}

// The fit picks landmarks among the rows at hand, however many more the data have.
func TestWorkOfPicking(t *testing.T) {
	r := settled(t, Settings{Budget: time.Hour, Check: func(int, int64) error { return nil }})
	r.n = 60_000
	r.best.features = r.target() // which is more for more rows
	picked := &tried{job: job{candidate: candidate{sampler: pickedRows, kind: sectioned}}, size: r.full(64)}
	want := r.finalWork(64) + r.samplerWork(pickedRows, r.rows.X.Rows, 64)
	if got := r.fitWork(picked, 64); math.Abs(got-want) > 1e-9*want {
		t.Errorf("a fit of picked landmarks is %g of work, want %g", got, want)
	}
	if got, want := sections(r)[0].more, r.samplerWork(pickedRows, r.rows.X.Rows, r.final()); math.Abs(got-want) > 1e-9*want {
		t.Errorf("landmarks make the fit dearer by %g, want %g", got, want)
	}
}

// The first search doubles rows and features, and goes on with four times the rows where there are all features.
func TestRungs(t *testing.T) {
	for features, want := range map[int][][2]int{256: {{500, 64}, {1000, 128}, {2000, 256}, {4000, 256}}, 64: {{250, 64}, {1000, 64}, {4000, 64}}} {
		r := begun(t, waves(5000, 0.5), Settings{Features: features, First: true, Budget: time.Duration(features) * time.Millisecond})
		if err := r.halve(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got [][2]int
		for _, s := range r.report.Steps {
			if s.Name == "search" {
				got = append(got, [2]int{s.Rows, s.Features})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d features: rows and features %v, want %v", features, got, want)
		}
	}
}

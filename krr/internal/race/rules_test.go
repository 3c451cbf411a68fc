package race

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// settled is a race whose best has the size of the fit.
func settled(t *testing.T, s Settings) *Race {
	t.Helper()
	rows := waves(300, 0.1)
	if s.Classes != nil {
		for i := range rows.Y.Rows {
			rows.Y.Row(i)[0] = math.Copysign(1, rows.Y.Row(i)[0])
		}
	}
	r := begun(t, rows, s)
	r.report.Steps = append(r.report.Steps, Step{})
	best := scripted(slices.Repeat([]float64{1}, 60), r.full(r.target()))
	best.Lambda = 1e-4
	r.take(best)
	return r
}

// Of equal losses the better proper score comes first, then the larger bandwidth; what
// cannot be fitted comes last. Bandwidths go by half octaves.
func TestOrder(t *testing.T) {
	with := func(mean, proper float64, exponent int) *tried {
		t := &tried{Result: &trial.Result{Mean: mean, Proper: proper}}
		t.exponent = exponent
		return t
	}
	failed := with(0, 0, 9)
	failed.err = errNothing
	want := []*tried{with(1, 5, 0), with(2, 1, 0), with(2, 2, 3), with(2, 2, 1), failed}
	got := []*tried{want[4], want[3], want[1], want[2], want[0]}
	if slices.SortStableFunc(got, compare); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for exponent, want := range map[int]float64{0: 1, 2: 2, 3: 2 * math.Sqrt2, -1: math.Sqrt2 / 2, -4: 0.25} {
		if got := multiple(exponent); math.Abs(got-want) > 1e-15*want {
			t.Errorf("exponent %d stands for %v, want %v", exponent, got, want)
		}
	}
}

// Few rows have more folds. A kind of step that was not kept promises less, and so does
// learning from many inputs; bandwidths per input are not tried with very many.
func TestExpectations(t *testing.T) {
	for rows, want := range map[int]int{1: 1, 8: 8, 20: 20, 21: 10, 249: 10, 250: 5, 1e6: 5} {
		if got := foldsOf(rows); got != want {
			t.Errorf("%d rows have %d folds, want %d", rows, got, want)
		}
	}
	r := settled(t, Settings{})
	before := r.gainOf("refined")
	r.in = 2 * int(priors["refined"].wide)
	wide := r.gainOf("refined")
	r.fruitless["refined"]++
	if again := r.gainOf("refined"); before != priors["refined"].gain || wide != before/2 || again != doubt*wide {
		t.Errorf("a gain of %v, of many inputs %v, after one in vain %v", before, wide, again)
	}
	for in, want := range map[int]float64{priors["scales"].most: priors["scales"].gain, priors["scales"].most + 1: 0} {
		if r.in = in; r.gainOf("scales") != want {
			t.Errorf("bandwidths per input of %d inputs promise %v, want %v", in, r.gainOf("scales"), want)
		}
	}
}

// The losses of a regression are of predictions within the range of the targets, unless
// these may leave it; an error is told in standard deviations, and as a share of labels.
func TestLosses(t *testing.T) {
	for _, unclipped := range []bool{false, true} {
		r := begun(t, waves(300, 0.1), Settings{Unclipped: unclipped})
		y := []float64{slices.Max(r.rows.Y.Data)}
		if loss, _, _ := r.loss([]float64{y[0] + 100}, y); (loss > 0) != unclipped {
			t.Errorf("unclipped %v: beyond the range the loss is %v", unclipped, loss)
		}
	}
	told := &tried{Result: &trial.Result{Told: 0.25}}
	if r := settled(t, Settings{}); r.told(told) != 0.5 {
		t.Errorf("a mean squared error of 0.25 is told as %v", r.told(told))
	}
	if r := settled(t, Settings{Classes: []string{"a", "b"}}); r.told(told) != 0.25 {
		t.Errorf("a quarter of the labels is told as %v", r.told(told))
	}
	if r := begun(t, waves(300, 0.1), Settings{Precision: stream.Float32}); r.grid[0] != trial.Lambdas(stream.Float32)[0] {
		t.Errorf("λ of float32 begin at %v", r.grid[0])
	}
}

// A step takes its work off the budget, and what the fit of all rows needs is not for steps.
func TestBudget(t *testing.T) {
	r := settled(t, Settings{})
	before, j, z := r.left, job{grid: []float64{1e-3}}, r.full(32)
	if _, err := r.step(context.Background(), "search", []job{j}, z); err != nil || math.Abs(before-r.left-r.workOf(j, z)) > 1e-6*before {
		t.Errorf("%v; %v of %v are left after a work of %v", err, r.left, before, r.workOf(j, z))
	}
	r.left = 2 * r.finalWork(r.final())
	p := proposal{name: "landmarks", gain: 1, work: (r.available() + r.left) / 2}
	r.proposers = []proposer{func(*Race) []proposal { return nil }, func(*Race) []proposal { return []proposal{p} }}
	if next := r.next(); next != nil || r.skipped["landmarks"] == "" {
		t.Errorf("a step takes what the fit needs: %+v", next)
	}
}

// A step starts if it and the fit would end before the deadline, at the speed of the steps so far: here
// they took twice their estimate.
func TestDeadline(t *testing.T) {
	r := settled(t, Settings{Deadline: time.Minute})
	r.report.Steps = []Step{{Estimated: time.Second, Elapsed: 3 * time.Second}, {Estimated: time.Second, Elapsed: time.Second}}
	fit := r.fitWork(r.best, r.final())
	r.Begin = time.Now().Add(-20 * time.Second)
	if work := 19*rate - fit; r.over(work) { // another second is for the test
		t.Errorf("a step of 19 s that takes 38 does not start: %s", r.report.Stopped)
	}
	if work := 20.1*rate - fit; !r.over(work) || !r.report.Late || !strings.Contains(r.report.Stopped, "deadline") {
		t.Errorf("a step that takes 40.2 s starts with 40 s left: %+v", r.report)
	}
}

// A step that takes more than its share of what is left waits for those that fit, and then comes before what
// is only for the end; one that needs more than there is never comes.
func TestMoreThanItsShare(t *testing.T) {
	r := settled(t, Settings{Budget: time.Hour})
	all := r.available()
	large := proposal{name: "refined", gain: 0.9, work: all / 2, room: 2 * all}
	small := proposal{name: "features", gain: 0.01, work: all / 2}
	last := proposal{name: "rule", gain: 0.9, work: all / 4}
	beyond := proposal{name: "metric", gain: 0.9, work: 2 * all}
	var out []proposal
	r.proposers = []proposer{func(*Race) []proposal { return nil }, func(*Race) []proposal { return out }}
	for _, c := range []struct {
		of   []proposal
		want string
	}{{[]proposal{last, large, small}, "features"}, {[]proposal{last, large}, "refined"}, {[]proposal{large, last}, "refined"}, {[]proposal{last, beyond}, "rule"}} {
		out = c.of
		if p := r.next(); p == nil || p.name != c.want {
			t.Errorf("%+v comes, want %s", p, c.want)
		}
	}
	proposed := learners(r)
	r.Check = func(int, int64) error { return errNothing } // there is no exact regression
	proposed = append(proposed, sections(r)...)
	if len(proposed) < 2 {
		t.Fatalf("%+v", proposed)
	}
	for _, p := range proposed {
		if p.need != 0 || p.room < p.work+p.more {
			t.Errorf("%s with a work of %g needs %g, and %g to come first", p.name, p.work, p.need, p.room)
		}
	}
	large.room = all / 2
	if out = []proposal{small, large}; r.next().name != "refined" {
		t.Error("a step within its share waits for others")
	}
}

// Twice the features come next, or 1.4 times where twice do not fit; not what was tried
// before, and none where their number was given.
func TestMoreFeatures(t *testing.T) {
	r := settled(t, Settings{})
	f := r.best.features
	twice, less := r.larger(r.best, 2*f)[0], r.larger(r.best, int(1.42*float64(f))/2*2)[0]
	if out := moreFeatures(r); out[0].work != twice.work {
		t.Errorf("%v multiply-adds, twice the features have %v", out[0].work, twice.work)
	}
	r.left = r.finalWork(r.final()) + (twice.work+twice.more+less.work+less.more)/2
	if out := moreFeatures(r); out[0].work != less.work {
		t.Errorf("%v multiply-adds, 1.4 times the features have %v", out[0].work, less.work)
	}
	r.seen[job{candidate: r.best.candidate}.key(r.full(2*f))] = true
	if out := r.larger(r.best, 2*f); out != nil {
		t.Errorf("tried again: %+v", out)
	}
	if r := settled(t, Settings{Features: 64}); moreFeatures(r) != nil {
		t.Error("a given number of features grows")
	}
}

// Three rules are tried with two λ, of a classification alone; a choice has the rule that
// was found. The last that was kept is the first choice.
func TestRules(t *testing.T) {
	ctx := context.Background()
	if out := rules(settled(t, Settings{})); out != nil {
		t.Errorf("of a regression %+v", out)
	}
	r := settled(t, Settings{Classes: []string{"a", "b"}})
	p := rules(r)
	best, right := *r.best, *r.best.Result
	right.Loss = make([]float64, len(right.Loss))
	best.Result = &right
	r.best = &best
	if q := rules(r); len(p) != 1 || len(q) != 1 || !(q[0].work < p[0].work) {
		t.Errorf("without hard rows a rule has a work of %+v, with some %+v", q, p)
	}
	r.best = r.kept[len(r.kept)-1]
	if len(p) != 1 || p[0].run(ctx) != nil || r.last().Candidates != 6 {
		t.Fatalf("%+v, %+v", p, r.last())
	}
	last := scripted([]float64{1}, r.best.size)
	last.Lambda, last.Rule = 1e-3, reweight.Hard(4)
	r.take(last)
	c := r.Choices()[0]
	if c.of != last || c.Make(ctx) != nil || c.Rule != "hard:4" || c.Lambda != 1e-3 {
		t.Errorf("λ %v, rule %v of the best %v", c.Lambda, c.Rule, c.of == last)
	}
}

// A race tells the error of its best, tries landmarks once, and does not begin on few rows.
func TestRunTells(t *testing.T) {
	ctx := context.Background()
	r := begun(t, waves(200, 0.1), Settings{Budget: time.Second / 10})
	report, err := r.Run(ctx, func(float64) {})
	if err != nil || report.Error != r.told(r.best) || !(report.Error > 0.01 && report.Error < 0.5) {
		t.Errorf("error %v, the best has %v; %v", report.Error, r.told(r.best), err)
	}
	for name, features := range map[string]int{"exact": 0, "landmarks": 64} {
		s := settled(t, Settings{Budget: time.Minute, Features: features})
		if p := sections(s); len(p) != 1 || p[0].name != name || p[0].run(ctx) != nil || len(sections(s)) > 0 {
			t.Errorf("%s: %+v, and may be tried again", name, p)
		}
	}
	few, err := New(waves(leastRows-1, 0.1), leastRows-1, Settings{Kernels: []rff.Stationary{rff.NewGaussian()}, Budget: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := few.Run(ctx, func(float64) {}); err != nil || !strings.Contains(report.Stopped, "too few") || len(report.Steps) != 0 {
		t.Errorf("%v, %+v", err, report)
	}
}

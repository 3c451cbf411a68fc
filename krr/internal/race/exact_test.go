package race

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/sampling"
)

// Steps in every input, which the Laplacian kernel suits and few features do not resolve,
// are fitted by sections on all rows: chosen on held-out rows, made as measured, and at the
// λ that was measured. Landmarks are not tried beside them.
func TestExact(t *testing.T) {
	rows := waves(300, 0.05)
	for i := range rows.X.Rows {
		y := 0.0
		for _, v := range rows.X.Row(i) {
			y += math.Floor(3 * v)
		}
		rows.Y.Row(i)[0] = y
	}
	r := begun(t, rows, Settings{Kernels: []rff.Stationary{rff.NewGaussian(), rff.NewLaplacian()}, Budget: time.Second, Steps: 8})
	r.proposers = []proposer{firstSearch, sections}
	report, err := r.Run(context.Background(), func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	best := r.Choices()[0]
	if !r.best.isExact() || best.Make(context.Background()) != nil || !best.Exact || best.Lambda != r.best.Lambda {
		t.Fatalf("the best is %s, λ %v, after %+v", r.describe(r.best), best.Lambda, report.Steps)
	}
	if _, features := best.Map.Dims(); features != 300 {
		t.Errorf("%d features of 300 rows", features)
	}
	if p := sections(r); len(p) > 0 {
		t.Errorf("%s is to be tried as well", p[0].name)
	}
	held := 0
	for i := range r.splits {
		v := r.splits[i].Valid
		v.Copies = slices.Repeat([]int64{3}, v.X.Rows)
	}
	if err := best.Held(context.Background(), func(h Held) { held += int(h.Copies) }); err != nil || held != 3*300 {
		t.Errorf("%d copies of held-out rows, %v", held, err)
	}
}

// Each kernel of the exact regression has a try with bandwidths per input beside one for all. It
// goes on to all rows with the better, or with both.
func TestExactHasOwnScales(t *testing.T) {
	rows := waves(300, 0.05)
	for i := range rows.X.Rows {
		rows.Y.Row(i)[0] = math.Sin(4 * rows.X.Row(i)[0]) // whatever the other input is
	}
	first := begun(t, rows, Settings{Kernels: []rff.Stationary{rff.NewMatern(1.5), rff.NewLaplacian()}, Budget: 200 * time.Millisecond})
	first.proposers = []proposer{firstSearch}
	if _, err := first.Run(context.Background(), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	for _, both := range []bool{false, true} {
		r := fork(t, first)
		r.report.Stopped, r.left = "", 4*rate // a dearer first search would tell nothing more
		ways := 4
		if p, left := exact(r)[0], r.left; both { // the budget pays for both
			if err := p.run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if spent := left - r.left; spent > p.work {
				t.Errorf("it takes %g, and says %g", spent, p.work)
			}
		} else {
			ways = 2
			var jobs []job
			for k := range r.Kernels {
				jobs = append(jobs, job{candidate: candidate{kernel: k, exponent: 4, sampler: uniformRows, kind: sectioned}, grid: r.grid})
			}
			small := r.full(200)
			small.rows, small.splits = 200, 1
			if err := r.raceExact(context.Background(), jobs, true, false, small, r.full(300)); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range r.report.Steps {
			if s.Name == "exact" && (s.Kept && s.Rows == 200 || s.Kept != (s.Why == "")) {
				t.Errorf("a step on a part of the rows is none that was kept: %+v", s)
			}
		}
		done := map[exactWay]bool{}
		for _, e := range r.all {
			if !e.isExact() {
				continue
			}
			way := exactWay{e.kernel, e.axes != nil}
			if done[way] {
				t.Errorf("both %v: %+v had all rows twice", both, way)
			}
			if done[way] = true; way.own {
				if own := inside.FamilyOf(e.axes.kernels[0], 2).Bandwidths; len(own) != 2 || !(own[1] > 2*own[0]) {
					t.Errorf("bandwidths %v of an input that matters and one that does not", own)
				}
			}
		}
		if len(done) != ways || !done[exactWay{0, true}] || !done[exactWay{1, true}] {
			t.Errorf("both %v: %+v had all rows, after %+v", both, done, r.report.Steps)
		}
	}
}

// Kernels go on in both ways where those without bandwidths per input take less than exactShare of
// what is left.
func TestBothWays(t *testing.T) {
	r := begun(t, waves(4000, 0.05), Settings{})
	r.proposers = []proposer{firstSearch}
	if _, err := r.Run(context.Background(), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	z := r.full(4000)
	z.splits = 1
	j := job{candidate: candidate{sampler: uniformRows, kind: sectioned}, grid: r.around(r.best.Lambda, aroundOne)}
	plain := float64(exactFinals * r.workOf(j, z))
	beside := r.left - r.available()
	work := func(available float64) float64 {
		r.left = available + beside
		return exact(r)[0].work
	}
	if got := work(1.01*plain/exactShare) - work(0.99*plain/exactShare); math.Abs(got-plain) > 1e-9*plain {
		t.Errorf("%g is added, want %g", got, plain)
	}
}

// A bandwidth per input that is learned for sections on all rows takes the work of learning
// beside that of the fits, once for each split that has none yet; the fit of all rows learns
// none.
func TestWorkOfExact(t *testing.T) {
	r := begun(t, waves(300, 0.05), Settings{})
	z := size{rows: 240, valid: 60, features: 240, splits: 5}
	j := job{candidate: candidate{sampler: sampling.Nystrom{Pick: "uniform"}, kind: sectioned}, grid: r.grid}
	learned := j
	learned.axes = &axes{sampler: uniformRows}
	own := r.samplerWork(sampling.Nystrom{Metric: true}, 240, 240)
	if got, want := r.workOf(learned, z)-r.workOf(j, z), 5*own; math.Abs(got-want) > 1e-9*want || want < 1e6 {
		t.Errorf("learning counts for %g in trials, want %g", got, want)
	}
	learned.axes.kernels = make([]rff.Stationary, 2)
	if got, want := r.workOf(learned, z)-r.workOf(j, z), 3*own; math.Abs(got-want) > 1e-9*want {
		t.Errorf("learning for three splits of five counts for %g, want %g", got, want)
	}
	fit := func(j job) float64 { return r.fitWork(&tried{job: j, size: z}, 300) }
	if fit(learned) != fit(j) {
		t.Errorf("learning counts for %g in the fit", fit(learned)-fit(j))
	}
}

// Sections on all rows are proposed up to 10,000 different ones, of eight times as many rows,
// and landmarks once, whatever is the best after it.
func TestBoundsOfSections(t *testing.T) {
	begin := func(rows int, n int64) *Race {
		r := begun(t, waves(rows, 0.1), Settings{Budget: 1e6 * time.Hour})
		r.n = n
		r.best = scripted([]float64{1}, r.full(r.target()))
		r.best.job = job{grid: r.grid}
		r.best.Lambda = r.grid[0]
		return r
	}
	for _, c := range []struct {
		rows int
		n    int64
		want bool
	}{{mostExact, mostExact, true}, {mostExact + 1, mostExact + 1, false}, {1000, 1000 * mostAlike, true}, {1000, 1000*mostAlike + 1, false}} {
		if got := exact(begin(c.rows, c.n)) != nil; got != c.want {
			t.Errorf("%d different rows of %d: proposed %v", c.rows, c.n, got)
		}
	}
	r := begin(300, 300*mostAlike+1)
	r.Budget, r.Steps = time.Second, 1 // the race is over after the first trials
	plain := r.best
	out := sections(r)
	if len(out) != 1 || out[0].name != "landmarks" {
		t.Fatalf("%+v", out)
	}
	if err := out[0].run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r.best = plain; len(sections(r)) != 0 {
		t.Error("landmarks are tried again")
	}
}

// λ about one are its neighbours on the grid, on either side, as far as there are some; the
// fit of all rows counts a factor of features, or of fewer rows, for each of five folds; a choice with a rule is
// estimated with the work of its further solutions.
func TestAroundAndWork(t *testing.T) {
	r := begun(t, waves(100, 0.1), Settings{})
	for _, c := range []struct {
		at, steps int
		want      []float64
	}{{4, 1, r.grid[3:6]}, {0, 2, r.grid[:3]}, {len(r.grid) - 1, 1, r.grid[len(r.grid)-2:]}} {
		if got := r.around(r.grid[c.at], c.steps); !slices.Equal(got, c.want) {
			t.Errorf("%v about %v, want %v", got, r.grid[c.at], c.want)
		}
	}
	few, n := r.finalWork(4096), r.n
	r.n = 4096
	if f := 4096.; r.finalWork(4096) < 5*f*f*f/4 || few > 100*f*1000 {
		t.Errorf("a fit with 4096 features is %g multiply-adds, of few rows %g", r.finalWork(4096), few)
	}
	r.n = n
	estimate := func(rule reweight.Rule) time.Duration {
		r.best = scripted([]float64{1}, r.full(r.target()))
		r.best.job, r.best.Rule = job{grid: r.grid}, rule
		c := &Choice{race: r, of: r.best}
		if err := c.Make(context.Background()); err != nil {
			t.Fatal(err)
		}
		return c.Estimated
	}
	hard := reweight.Hard(4)
	if with, without := estimate(hard), estimate(nil); math.Abs(float64(with-without-duration(r.ruleWork()))) > 2 || with == without { // nanoseconds
		t.Errorf("a fit is estimated at %v, with a rule at %v", without, with)
	}
}

// A trial of all rows has the sections on all of them, also on rows without weight, which a sampler
// would leave out.
func TestSectionsOnAll(t *testing.T) {
	rows := waves(60, 0.1)
	rows.Weight = slices.Repeat([]float64{1}, 60)
	rows.Weight[3] = 0
	r := begun(t, rows, Settings{Budget: time.Minute})
	z := r.full(len(rows.Weight))
	one := r.try(context.Background(), r.engine, job{candidate: candidate{sampler: uniformRows, kind: sectioned}, grid: r.grid[3:]}, z, nil)
	if one.err != nil || one.splits != z.splits {
		t.Fatal(one.err)
	}
	m, _, err := r.sampled(context.Background(), r.engine, one.candidate, len(rows.Weight), 0, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := inside.Split(m)
	if got := inside.Spec(at).W; got.Rows != len(rows.Weight) {
		t.Errorf("%d sections on %d rows", got.Rows, len(rows.Weight))
	}
}

// A sampler that was given and learns bandwidths per input learns them on all rows, too.
func TestGivenSamplerLearnsOnAll(t *testing.T) {
	rows := waves(400, 0.05)
	for i := range rows.X.Rows {
		rows.Y.Row(i)[0] = math.Sin(3 * rows.X.Row(i)[0]) // whatever the other input is
	}
	given := sampling.Nystrom{Pick: "uniform", Metric: true}
	r := begun(t, rows, Settings{Budget: time.Minute, Sampler: given})
	m, _, err := r.sampled(context.Background(), r.engine, candidate{sampler: given, kind: sectioned}, 400, 0, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b := inside.FamilyOf(m.Kernel(), 2).Bandwidths; len(b) != 2 || !(b[1] > 2*b[0]) {
		t.Errorf("bandwidths %v of an input that matters and one that does not", b)
	}
}

// Where nothing was measured, as on a few rows with a sampler of sections, no row has held-out
// scores.
func TestNothingHeld(t *testing.T) {
	r, err := New(waves(6, 0.1), 6, Settings{Budget: time.Second, Kernels: []rff.Stationary{rff.NewGaussian()}, Sampler: uniformRows, Check: func(int, int64) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(context.Background(), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	c := r.Choices()[0]
	if err := c.Make(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Held(context.Background(), func(h Held) { t.Errorf("scores %v", h.Scores) }); err != nil {
		t.Error(err)
	}
}

// The best of each key are trials that could be fitted.
func TestBestOf(t *testing.T) {
	of := func(scaling, kernel int, err error) *tried {
		return &tried{job: job{candidate: candidate{scaling: scaling, kernel: kernel}}, err: err}
	}
	trials := []*tried{of(0, 1, nil), of(1, 1, nil), of(0, 1, nil), of(0, 2, errNothing)}
	if got := bestOf(trials, kernelAlone); !slices.Equal(got, trials[:1]) {
		t.Errorf("%d of each kernel", len(got))
	}
	if got := bestOf(trials, scaledKernel); !slices.Equal(got, trials[:2]) {
		t.Errorf("%d of each scaling and kernel", len(got))
	}
}

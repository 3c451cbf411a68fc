package race

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// members returns members whose errors on n rows have those standard deviations, and half of the
// variance of the smallest in common.
func members(n int, spread ...float64) *scored {
	rng := rand.New(rand.NewPCG(3, 3))
	s := &scored{unit: []float64{1}}
	for range spread {
		s.of = append(s.of, blas.NewGeneral[float64](n, 1))
	}
	common := slices.Min(spread) * math.Sqrt(0.5)
	for i := range n {
		shared := common * rng.NormFloat64()
		s.y, s.weight = append(s.y, []float64{float64(i % 7)}), append(s.weight, float64(1+i%2))
		for m, sd := range spread {
			s.of[m].Row(i)[0] = s.y[i][0] + shared + math.Sqrt(float64(sd*sd-common*common))*rng.NormFloat64()
		}
	}
	return s
}

// squares returns the weighted mean of the squared errors of a mean.
func (s *scored) squares(weight []float64) float64 {
	mean := s.sum(weight)
	var sum, all float64
	for i, y := range s.y {
		d := mean.Row(i)[0] - y[0]
		sum += s.weight[i] * d * d
		all += s.weight[i]
	}
	return sum / all
}

// With two members the least squares of a mean are known in closed form: errors e and f have the
// weight (f² − ef)/(e² + f² − 2ef) on the first. Twenty steps come within one of it.
func TestBlendOfTwo(t *testing.T) {
	for _, sd := range []float64{1, 1.1, 1.5} {
		s := members(4000, 1, sd)
		p := s.products()
		want := (p[1][1] - p[0][1]) / (p[0][0] + p[1][1] - 2*p[0][1])
		got := s.blend()
		if math.Abs(got[0]-want) > 1.0/meanRounds || math.Abs(got[0]+got[1]-1) > 1e-15 {
			t.Errorf("a second member of %v: the weights %v, want %v for the first", sd, got, want)
		}
		if a, b := s.squares(got), s.squares([]float64{want, 1 - want}); a > 1.01*b || a < b {
			t.Errorf("a second member of %v: squares of %v, the least are %v", sd, a, b)
		}
	}
}

// The weights are those that steps lead to which measure the mean of every choice anew.
func TestBlendBySteps(t *testing.T) {
	s := members(300, 1, 1.3, 1.1, 1.6, 1.2, 1.05)
	count, best := make([]float64, 6), make([]float64, 6)
	least := math.Inf(1)
	for round := 1.0; round <= meanRounds; round++ {
		next, at := math.Inf(1), -1
		for i := range count {
			n := 0
			for m, c := range count {
				if c > 0 || m == i {
					n++
				}
			}
			weight := slices.Clone(count)
			weight[i]++
			for m := range weight {
				weight[m] /= round
			}
			if v := s.squares(weight); v < next && n <= mostMean {
				next, at = v, i
			}
		}
		count[at]++
		if next < least {
			least = next
			for m, c := range count {
				best[m] = c / round
			}
		}
	}
	if got := s.blend(); !slices.Equal(got, best) {
		t.Errorf("the weights are %v, want %v", got, best)
	}
}

// A mean has at most mostMean members, of which none is worth leaving out, and is better than each
// of them. A member that only adds noise stays out.
func TestBlendOfMany(t *testing.T) {
	s := members(1000, 1, 1, 1.02, 1.05, 1.05, 1.1, 9)
	got := s.blend()
	var sum float64
	n := 0
	for m, w := range got {
		alone := make([]float64, len(got))
		alone[m] = 1
		if sum += w; w > 0 {
			n++
		}
		if s.squares(got) >= s.squares(alone) {
			t.Errorf("the mean has squares of %v, member %d alone %v", s.squares(got), m, s.squares(alone))
		}
	}
	if n != mostMean || math.Abs(sum-1) > 1e-12 || got[6] != 0 {
		t.Errorf("the weights are %v", got)
	}
}

// averaged returns a race that ended in a mean. All tests share one search for it.
func averaged(t *testing.T) *Race {
	t.Helper()
	if averagedRace == nil {
		r := begun(t, waves(400, 0.1), Settings{Means: true, Budget: 400 * time.Millisecond})
		if _, err := r.Run(context.Background(), func(float64) {}); err != nil {
			t.Fatal(err)
		}
		if r.mean == nil {
			t.Fatal("these rows have no mean that is better")
		}
		averagedRace = r
	}
	return fork(t, averagedRace)
}

var averagedRace *Race

// The members of a mean are the best trial of each kind, the best first, and only as many as the
// budget pays for. There is no mean where the settings exclude one.
func TestMembers(t *testing.T) {
	r := averaged(t)
	step := slices.IndexFunc(r.report.Steps, func(s Step) bool { return s.Name == "mean" })
	if step < 0 || len(means(r)) > 0 {
		t.Fatalf("steps %+v, and then %v", r.report.Steps, means(r))
	}
	from, work, more := r.members()
	seen := map[string]bool{}
	for i, t1 := range from {
		kind := strings.Join([]string{r.scalings[t1.scaling].name, samplerText(t1.sampler), r.describe(t1)}, " ")
		if seen[kind] || i == 0 && t1 != r.best || !r.measured(t1) {
			t.Errorf("member %d is %s", i, kind)
		}
		seen[kind] = true
		for _, other := range r.all {
			same := other.scaling == t1.scaling && other.kernel == t1.kernel && other.kind == t1.kind && other.draws == t1.draws && other.axes == t1.axes
			if i > 0 && same && other.features == t1.features && other.Mean < t1.Mean {
				t.Errorf("member %d has a loss of %v, and another of its kind %v", i, t1.Mean, other.Mean)
			}
		}
	}
	if len(from) < 2 || work <= 0 || more <= 0 || work+more > r.available()+r.reserve {
		t.Errorf("%d members with work of %v and %v, of %v", len(from), work, more, r.available()+r.reserve)
	}
	r.left = r.fitWork(r.best, r.final()) + work/2
	if fewer, w, m := r.members(); len(fewer) >= len(from) || w+m > r.available()+r.reserve {
		t.Errorf("half of the budget pays for %d of %d members", len(fewer), len(from))
	}
	for name, c := range map[string]struct {
		change func(s *Settings)
		want   int
	}{
		"what is not asked for otherwise": {func(*Settings) {}, 1},
		"one model":                       {func(s *Settings) { s.Means = false }, 0},
		"a number of features":            {func(s *Settings) { s.Features = 64 }, 0},
	} {
		r := averaged(t)
		r.mean = nil
		if c.change(&r.Settings); len(means(r)) != c.want {
			t.Errorf("%s: %d means are proposed", name, len(means(r)))
		}
	}
	quick := begun(t, waves(400, 0.1), Settings{Means: true, Budget: 400 * time.Millisecond, First: true})
	if _, err := quick.Run(context.Background(), func(float64) {}); err != nil || quick.mean != nil {
		t.Errorf("a quick search, and there is a mean: %v", err)
	}
}

// What is kept for a mean is there when no other step fits the budget, and nothing is kept where no
// mean may follow, or where the fits of one cost more.
func TestReserve(t *testing.T) {
	rows := waves(400, 0.1)
	for _, c := range []struct {
		budget time.Duration
		change func(s *Settings)
		kept   bool
	}{
		{400 * time.Millisecond, func(s *Settings) { s.Means = true }, true},
		{400 * time.Millisecond, func(s *Settings) {}, false},
		{400 * time.Millisecond, func(s *Settings) { s.Means, s.Features = true, 64 }, false},
		{400 * time.Millisecond, func(s *Settings) { s.Means, s.First = true, true }, false},
		{time.Millisecond, func(s *Settings) { s.Means = true }, false},
	} {
		s := Settings{Budget: c.budget}
		c.change(&s)
		r := begun(t, rows, s)
		before := r.reserve
		if (before > 0) != c.kept {
			t.Errorf("%+v: %v is kept", s, before)
		}
		if !c.kept {
			continue
		}
		r = averaged(t) // of the same budget
		left := r.whole
		for _, step := range r.report.Steps {
			if step.Name == "mean" {
				break
			}
			left -= step.Estimated.Seconds() * rate
		}
		if left < r.reserve || r.reserve != meanShare*r.whole {
			t.Errorf("%v of %v left for a mean", left, r.whole)
		}
		// What is kept pays for a mean, and for nothing else.
		r.mean, r.left = nil, r.fitWork(r.best, r.final())+r.reserve
		delete(r.fruitless, "mean")
		if left := r.available(); math.Abs(left) > 1e-9*r.whole {
			t.Errorf("%v of what is kept is available", left)
		}
		if p := r.next(); p == nil || p.name != "mean" {
			t.Errorf("with nothing but what is kept, the next step is %+v", p)
		}
	}
}

// learnsNothing is a sampler that finds nothing to learn.
type learnsNothing struct{}

func (learnsNothing) Sample(context.Context, rff.Request) (*rff.Map, error) {
	return nil, errors.New("nothing to learn")
}

// A member that cannot be fitted on a split is left out of the mean, and the search goes on.
func TestMeanLeavesOut(t *testing.T) {
	r := averaged(t)
	unsettled := 0
	for _, t := range r.all {
		if t != r.best && len(t.grid) > 1 {
			unsettled++
		}
	}
	if unsettled > 2 { // those of the last step
		t.Errorf("%d trials hold the scores of every λ", unsettled)
	}
	from, work, _ := r.members()
	z := from[1].size
	z.splits = 1
	bad := *r.try(context.Background(), r.engine, from[1].again(), z, nil)
	bad.kind, bad.sampler, bad.maps, bad.axes = drawn, learnsNothing{}, nil, nil
	s, able, err := r.score(context.Background(), []*tried{from[0], &bad, from[1]})
	if err != nil || len(s.of) != 2 || len(able) != 2 || able[0] != r.best || r.describe(able[1]) != r.describe(from[1]) {
		t.Errorf("%d of the members are scored: %v", len(able), err)
	}
	r.mean = nil
	if err := r.average(context.Background(), []*tried{from[0], &bad}, work); err != nil || r.mean != nil || r.last().Kept || r.last().Why == "" {
		t.Errorf("a mean of one: %+v, %v", r.last(), err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := r.average(stopped, from, work); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// What a trial had predicted is not fitted again for a mean. A member that was tried on fewer splits than the best goes on
// from there, at the cost of the others, and keeps what it learned on them.
func TestMembersGoOn(t *testing.T) {
	r := refined(t, Settings{Means: true}, 5)
	z := r.best.size
	z.splits = 2
	few := r.try(t.Context(), r.engine, r.best.job, z, nil)
	few.settle()
	asked := r.workOf(few.job, z)
	s, able, err := r.score(t.Context(), []*tried{r.best, few})
	if err != nil || len(able) != 2 || able[0] != r.best || able[1] == few || able[1].splits != r.best.splits || len(able[1].maps) != r.best.splits {
		t.Fatalf("%+v: %v", able, err)
	}
	for i, m := range few.maps {
		if able[1].maps[i] != m {
			t.Error("what was learned on a split is learned again")
		}
	}
	if z.splits = r.best.splits; !(r.furtherWork(few.job, z, few.splits) > asked) || r.furtherWork(r.best.job, z, z.splits) != 0 {
		t.Error("other splits are not paid for, or those at hand are")
	}
	// Of a trial that was measured on a part of what is held out, or fitted to a part of the rows, there are all scores as well.
	for name, of := range map[string]size{"held out": {z.rows, z.valid / 2, z.features, 2}, "fitted": {z.rows / 2, z.valid, z.features, 2}} {
		if all := r.on(t.Context(), r.engine, r.try(t.Context(), r.engine, r.best.job, of, nil), 2); all.err != nil || all.Scores(1).Rows != r.splits[0].Valid.X.Rows+r.splits[1].Valid.X.Rows {
			t.Errorf("a part %s: %d rows have scores, %v", name, all.Scores(1).Rows, all.err)
		}
	}
	for i, want := range scoresOf(t, r, r.best, r.best.splits) {
		for m := range s.of {
			if got := s.of[m].Row(i)[0]; math.Abs(got-want[0]) > oneOfGrid {
				t.Fatalf("row %d has the score %v, want %v", i, got, want[0])
			}
		}
	}
}

// oneOfGrid bounds how far the scores of a λ that is solved alone are from those of a grid: both are within κ·eps, and
// κ is up to 1e6 here.
const oneOfGrid = 1e-9

// scoresOf fits a trial again by its best way to solve, and returns the scores of what its first splits hold out.
func scoresOf(t *testing.T, r *Race, of *tried, splits int) (out [][]float64) {
	t.Helper()
	z := of.size
	z.splits = splits
	again := of.again()
	for s := range min(splits, len(of.maps)) {
		again.maps = append(again.maps, of.maps[s])
	}
	fresh := r.try(t.Context(), r.engine, again, z, &tried{job: again})
	if fresh.err != nil {
		t.Fatal(fresh.err)
	}
	scores := fresh.Scores(r.targets)
	for i := range scores.Rows {
		out = append(out, scores.Row(i))
	}
	return out
}

// The choice of a mean has its members, and the scores of its held-out rows are the weighted sums
// of theirs. The best alone takes its place if one of them cannot be fitted.
func TestChoiceOfMean(t *testing.T) {
	r := averaged(t)
	rows := r.rows
	all := r.Choices()
	c := all[0]
	if err := c.Make(context.Background()); err != nil || len(c.Beside) != len(r.mean.of)-1 || c.Weight != r.mean.weight[0] {
		t.Fatalf("%+v: %v", c, err)
	}
	if all[1].of != r.best || all[1].Beside != nil {
		t.Error("the best alone does not come next")
	}
	want := make([]float64, r.mean.scores.Rows)
	for i, m := range r.mean.of {
		for n, score := range scoresOf(t, r, m, r.heldSplits(r.best)) {
			want[n] += r.mean.weight[i] * score[0]
		}
	}
	n := 0
	var loss, all1 float64
	of := map[float64]uint64{}
	for i, y := range rows.Y.Data {
		of[y] = rows.Unit(i)
	}
	err := c.Held(context.Background(), func(h Held) {
		if h.Unit != of[h.Y[0]] {
			t.Errorf("row %d of unit %d is said to be of unit %d", n, of[h.Y[0]], h.Unit)
		}
		if math.Abs(h.Scores[0]-want[n]) > oneOfGrid {
			t.Errorf("row %d has the score %v, want %v", n, h.Scores[0], want[n])
		}
		_, _, told := r.loss([]float64{want[n]}, h.Y)
		loss, all1 = loss+h.Weight*told, all1+h.Weight
		n++
	})
	if err != nil || n != len(want) || math.Abs(math.Sqrt(loss/all1)-r.report.Error) > oneOfGrid {
		t.Errorf("%d rows, error %v, told %v: %v", n, math.Sqrt(loss/all1), r.report.Error, err)
	}
}

// Of two targets neither decides over the other in a mean because of its unit: a member that is
// good for the first and one that is good for the second have equal weights.
func TestUnitsOfTargets(t *testing.T) {
	for _, unit := range []float64{1, 1e6} {
		rows := waves(200, 0.1)
		wave := rows.Y
		rows.Y = blas.NewGeneral[float64](200, 2)
		s := &scored{of: []blas.General[float64]{blas.NewGeneral[float64](200, 2), blas.NewGeneral[float64](200, 2)}}
		for i := range 200 {
			y := []float64{wave.Row(i)[0], -unit * wave.Row(i)[0]}
			copy(rows.Y.Row(i), y)
			s.y, s.weight = append(s.y, y), append(s.weight, 1)
			off := 0.3 * math.Cos(float64(i))
			s.of[0].Row(i)[0], s.of[0].Row(i)[1] = y[0], y[1]+unit*off
			s.of[1].Row(i)[0], s.of[1].Row(i)[1] = y[0]+off, y[1]
		}
		s.unit = begun(t, rows, Settings{}).squareUnits()
		if got := s.blend(); !slices.Equal(got, []float64{0.5, 0.5}) {
			t.Errorf("with a unit of 1/%v the weights are %v", unit, got)
		}
	}
}

// Members that were tried on as many splits as the best cost nothing. Held-out rows of a mean are those of the best, also
// where its first member was tried on more splits. A trial that a decision takes to further splits is a member as such.
func TestSplitsOfMembers(t *testing.T) {
	r := refined(t, Settings{Means: true}, 5)
	z := r.best.size
	z.splits = 2
	whole, two := r.best, r.try(t.Context(), r.engine, r.best.job, z, nil)
	two.draws = 7 // another kind
	r.all, r.best = []*tried{whole, two}, two
	if from, work, _ := r.members(); len(from) != 2 || work != 0 {
		t.Errorf("%d members cost %g", len(from), work)
	}
	r.mean = &mean{of: []*tried{whole, two}, weight: []float64{0.5, 0.5}, scores: two.Scores(1)}
	n := 0
	if err := r.Choices()[0].Held(t.Context(), func(Held) { n++ }); err != nil || n != r.mean.scores.Rows {
		t.Errorf("%d rows of %d: %v", n, r.mean.scores.Rows, err)
	}
	z.splits = 1
	one := r.try(t.Context(), r.engine, whole.job, z, nil)
	r.all = []*tried{one}
	_, on, _ := r.decide(t.Context(), scripted(slices.Repeat([]float64{10}, 600), whole.size), one, 1)
	if on.splits < 2 || r.all[0] != on {
		t.Errorf("of %d splits, and a member of %d", on.splits, r.all[0].splits)
	}
}

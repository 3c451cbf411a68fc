package race

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// steps returns rows of three inputs, and products of steps of two of them with noise.
func steps(n int) *trial.Rows {
	rng := rand.New(rand.NewPCG(2, 1))
	r := &trial.Rows{X: blas.NewGeneral[float64](n, 3), Y: blas.NewGeneral[float64](n, 1), Low: []float64{-5, -5, -5}, High: []float64{5, 5, 5}}
	for i := range n {
		x := r.X.Row(i)
		x[0], x[1], x[2] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		r.Y.Row(i)[0] = math.Copysign(1, x[0]-0.3)*math.Copysign(1, x[1]+0.2) + 0.1*rng.NormFloat64()
		r.Index = append(r.Index, int64(i))
	}
	return r
}

// plainly returns a race whose best trial has plain features on all splits.
func plainly(t *testing.T, rows *trial.Rows, s Settings) *Race {
	t.Helper()
	r := begun(t, rows, s)
	takePlain(t, r)
	return r
}

// takePlain makes a trial of plain features on all splits the best.
func takePlain(t *testing.T, r *Race) {
	t.Helper()
	best := r.try(context.Background(), r.engine, job{grid: r.grid}, r.full(r.target()), nil)
	if best.err != nil {
		t.Fatal(best.err)
	}
	r.report.Steps = append(r.report.Steps, Step{})
	r.take(best)
}

// grow runs proposals of trees until there are none, and returns the work that they proposed.
func grow(t *testing.T, r *Race) (work []float64) {
	t.Helper()
	for p := trees(r); p != nil; p = trees(r) {
		if len(p) != 1 || p[0].name != "trees" || len(work) > 4 {
			t.Fatalf("%+v after %+v", p, r.report.Steps)
		}
		before := r.left
		if err := p[0].run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if spent := before - r.left; !(spent > 0 && spent < 1.0001*p[0].work) { // there may be fewer trees
			t.Errorf("a work of %g was proposed, and %g taken", p[0].work, spent)
		}
		if work = append(work, p[0].work); !r.last().Kept {
			r.fruitless["trees"]++
		}
	}
	return work
}

// Steps are what trees are for: they become the best, or a member of the mean, and the fit has them.
func TestTreesOfSteps(t *testing.T) {
	ctx := context.Background()
	var want *Report
	for _, workers := range []int{1, 2} {
		s := Settings{Trees: true, Budget: 400 * time.Millisecond, Kernels: []rff.Stationary{rff.NewGaussian()}, Means: true, Engine: rff.Engine{Workers: workers}, Check: func(int, int64) error { return nil }}
		r, err := New(steps(1000), 1000, s)
		if err != nil {
			t.Fatal(err)
		}
		report, err := r.Run(ctx, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Choices()[0]
		if err := c.Make(ctx); err != nil {
			t.Fatal(err)
		}
		all := append([]*Choice{c}, c.Beside...)
		at := slices.IndexFunc(all, func(c *Choice) bool { return c.Sampler == "trees" })
		if at < 0 || report.Error > 0.6*r.told(r.plain) || all[at].of.maps[0].Map.Fingerprint() != all[at].Map.Fingerprint() || len(all[at].Importance) != 3 || all[at].Importance[2] > 0.1 {
			t.Fatalf("an error of %v, without trees %v: %+v", report.Error, r.told(r.plain), report.Steps)
		}
		for i := range report.Steps {
			report.Steps[i].Elapsed = 0
		}
		if report.Elapsed = 0; want == nil {
			want = report
		}
		if !reflect.DeepEqual(report, want) {
			t.Errorf("%d workers report\n%+v, one\n%+v", workers, report, want)
		}
	}
}

// Trees have the bits of every instruction set and number of workers, and go from a part of one split to all
// splits with the number of trees that was of use there.
func TestTreesGoOnToAllSplits(t *testing.T) {
	var want string
	var loss []float64
	for _, k := range asm.All[float64]() {
		for _, workers := range []int{1, 3} {
			r := plainly(t, steps(600), Settings{Trees: true, Engine: rff.Engine{Backend: "native:" + k.ISA}})
			r.engine.Workers = workers
			measured := len(r.all)
			if grow(t, r); len(r.report.Steps) != 4 || !r.best.isBoosted() {
				t.Fatalf("%+v", r.report.Steps)
			}
			part, first, last := r.report.Steps[1], r.report.Steps[2], r.last()
			if part.Candidates != 2 || part.Features != 125 || part.Kept || !strings.Contains(part.Why, "all rows") {
				t.Errorf("%+v", part)
			}
			if first.Candidates != 1 || first.Kept || !strings.Contains(first.Why, "goes on") || last.Candidates != 1 || !last.Kept || r.best.splits != r.folds || r.folds < 2 {
				t.Errorf("%+v", r.report.Steps)
			}
			if len(r.all) != measured+1 || r.all[measured] != r.best {
				t.Errorf("%d trials were measured on all splits, want one", len(r.all)-measured)
			}
			prints := ""
			for _, l := range r.best.maps {
				if inside.Trees(l.Map) != r.best.sampler.(boost.Sampler).Trees || strings.Contains(prints, l.Map.Fingerprint()) {
					t.Error("a split has another number of trees, or the trees of another")
				}
				prints += l.Map.Fingerprint()
			}
			if want == "" {
				want, loss = prints, r.best.Loss
			}
			if prints != want || !slices.Equal(r.best.Loss, loss) {
				t.Errorf("%s, %d workers: other trees or losses", k.ISA, workers)
			}
		}
	}
}

// Trees far behind the best go no further: more than few of them, if these have farFew times its loss, and
// those of all splits with farBehind times. The limits hold for the best of now.
func TestTreesFarBehind(t *testing.T) {
	rows := waves(600, 0.05)
	steps := func(before, after float64) *Race {
		r := begun(t, rows, Settings{Trees: true})
		r.report.Steps = append(r.report.Steps, Step{})
		r.take(scripted(slices.Repeat([]float64{before}, 600), r.full(r.target())))
		if err := trees(r)[0].run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.fruitless["trees"]++
		r.take(scripted(slices.Repeat([]float64{after}, 600), r.full(r.target())))
		r.last().Kept = false
		grow(t, r)
		return r
	}
	all := steps(1, 1).report.Steps[1:]
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	for i, far := range []float64{farFew, farBehind} {
		loss := all[i].Error * all[i].Error / far
		if r := steps(1, 1.01*loss); len(r.report.Steps) <= i+2 {
			t.Errorf("%v times the loss of the best end step %d: %+v", far/1.01, i, r.report.Steps)
		}
		for _, before := range []float64{1, 0.99 * loss} {
			r := steps(before, 0.99*loss)
			why := r.skipped["trees"]
			if len(r.report.Steps) != i+2 || !strings.Contains(why, "far behind") || r.best.isBoosted() || len(r.all) > 0 || trees(r) != nil {
				t.Errorf("%v times the loss of the best: %q, %+v", far/0.99, why, r.report.Steps)
			}
		}
	}
}

// board returns rows of two inputs, and a function without noise of which every further tree learns more.
func board(n int) *trial.Rows {
	r := steps(n)
	for i := range n {
		x := r.X.Row(i)
		r.Y.Row(i)[0] = math.Sin(4*x[0]) * math.Sin(4*x[1])
	}
	return r
}

// Where all trees are of use deeper ones with larger steps come next, as long as they do better, are not far
// behind the best, and the budget pays for them. The best depth goes on to all splits.
func TestDeeperTrees(t *testing.T) {
	most := mostTrees
	mostTrees = 500
	t.Cleanup(func() { mostTrees = most })
	run := func(r *Race, most int) (depths []int) {
		for p := trees(r); p != nil && len(r.report.Steps) <= most; p = trees(r) {
			if err := p[0].run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.fruitless["trees"]++; r.oneSplit != nil {
				s := r.oneSplit.sampler.(boost.Sampler)
				depths = append(depths, s.Depth)
				if want := map[bool]int{true: r.oneSplit.features / 2}[s.Depth > 6]; s.Steps != want || s.Own != (s.Depth > 6) || !s.Part || s.Trees != 0 {
					t.Fatalf("%+v", s)
				}
			}
		}
		return depths
	}
	flat := begun(t, board(1500), Settings{Trees: true, Budget: time.Hour})
	flat.folds = 2 // each of more would grow as many trees again
	takePlain(t, flat)
	first := run(flat, 2) // all cases have these steps
	r := fork(t, flat)
	if depths := append(first, run(r, 9)...); !slices.Equal(depths, []int{6, 8}) || len(r.report.Steps) != 5 {
		t.Fatalf("depths %v: %+v", depths, r.report.Steps)
	}
	if s := r.report.Steps; !(s[3].Error < 0.9*s[2].Error) {
		t.Errorf("the test needs deeper trees to be better: %+v", s)
	}
	if s := r.best.sampler.(boost.Sampler); s.Depth != 8 || s.Part || s.Steps != 250 || s.Trees < 100 || r.best.splits != r.folds {
		t.Errorf("%+v of %d splits is the best", s, r.best.splits)
	}
	for name, c := range map[string]struct {
		change      func(r *Race)
		steps, want int // how many steps there are, and the depth of the last
	}{
		"worse": {func(r *Race) {
			r.oneSplit.Proper = 1e-12
		}, 5, 6},
		"no budget": {func(r *Race) {
			r.left -= r.available() - 0.99*r.workOf(r.treesOf(boost.Sampler{Depth: 8, Part: true}), size{r.full(0).rows, r.full(0).valid, 60, 1})/treeShare
		}, 4, 6},
		"far behind": {func(r *Race) {
			r.best = scripted(slices.Repeat([]float64{r.oneSplit.Mean / 1.01 / farShallow}, 1500), r.full(r.target()))
		}, 3, 6},
		"little behind": {func(r *Race) {
			r.best = scripted(slices.Repeat([]float64{r.oneSplit.Mean / 0.99 / farShallow}, 1500), r.full(r.target()))
		}, 5, 8},
	} {
		r := fork(t, flat)
		c.change(r)
		depths := run(r, 9)
		if all := r.report.Steps; len(all) != c.steps || !strings.Contains(r.last().Best, fmt.Sprintf("depth %d,", c.want)) {
			t.Errorf("%s: depths %v: %+v", name, depths, all)
		}
	}
}

// The trees that follow from others: of four times the rows two depths more have as many rows in a leaf, deeper ones have
// thresholds of their own and larger steps, and the deepest come twice as often. Tables of 1,000 of the deepest would be
// too large.
func TestNextTrees(t *testing.T) {
	r := plainly(t, steps(4000), Settings{Trees: true, Budget: time.Hour})
	full := r.full(0).rows
	of := func(s boost.Sampler, rows, features int) *tried {
		s.Part = true
		return &tried{job: r.treesOf(s), size: size{rows: rows, features: features}}
	}
	for name, c := range map[string]struct {
		few   *tried
		first bool
		want  boost.Sampler
		trees int // 0: none
	}{
		"shared thresholds":      {of(boost.Sampler{Depth: 8}, full/4, 125), true, boost.Sampler{Depth: 8}, 1000},
		"own thresholds":         {of(boost.Sampler{Depth: 6, Own: true}, full/4, 125), true, boost.Sampler{Depth: 8, Own: true}, 1000},
		"of half of the rows":    {of(boost.Sampler{Depth: 8, Own: true}, full/2, 125), true, boost.Sampler{Depth: 9, Own: true}, 1000},
		"no deeper than that":    {of(boost.Sampler{Depth: 8, Own: true}, full/16, 125), true, boost.Sampler{Depth: 10, Own: true}, 682},
		"deeper":                 {of(boost.Sampler{Depth: 8}, full, 1000), false, boost.Sampler{Depth: 10, Own: true, Steps: 341}, 682},
		"twice as many":          {of(boost.Sampler{Depth: 10, Own: true, Steps: 60}, full, 125), false, boost.Sampler{Depth: 10, Own: true}, 250},
		"more than there may be": {of(boost.Sampler{Depth: 9, Own: true}, full, 600), false, boost.Sampler{}, 0},
		"as many as there are":   {of(boost.Sampler{Depth: 9, Own: true}, full, 1000), false, boost.Sampler{}, 0},
	} {
		r.few, r.oneSplit = c.few, nil
		if !c.first {
			r.oneSplit = c.few
		}
		s, z, ok := r.nextTrees()
		if c.want.Part = true; ok != (c.trees > 0) || ok && (s != c.want || z.features != c.trees || z.splits != 1 || z.rows != full) {
			t.Errorf("%s: %+v of %+v, %v", name, s, z, ok)
		}
	}
	r.few = of(boost.Sampler{Depth: 10, Own: true}, full, 125)
	r.few.Result = r.best.Result
	if text := r.describe(r.few); !strings.HasPrefix(text, "trees of depth 10, thresholds of each node, λ ") {
		t.Error(text)
	}
	r.oneSplit, r.left = r.few, r.left-r.available()
	if _, _, ok := r.nextTrees(); ok {
		t.Error("the budget pays for no more trees")
	}
}

// Depths are compared by scores, since labels say less of few rows.
func TestTreesByScores(t *testing.T) {
	differ := 0
	for seed := uint64(8); seed < 16; seed++ { // of these some differ
		rows := steps(800)
		rng := rand.New(rand.NewPCG(seed, 1))
		for i, y := range rows.Y.Data {
			rows.Y.Data[i] = math.Copysign(1, y+rng.NormFloat64())
		}
		r := plainly(t, rows, Settings{Trees: true, Classes: []string{"a", "b"}})
		jobs, z := []job{r.treesOf(boost.Sampler{Depth: 2, Part: true}), r.treesOf(boost.Sampler{Depth: 6, Part: true})}, size{640, 160, 60, 1}
		best, err := r.glance(t.Context(), jobs, z, "")
		if err != nil || best == nil {
			t.Fatal(best, err)
		}
		for _, j := range jobs {
			other := r.try(t.Context(), r.engine, j, z, nil)
			if best.proper() > other.proper() || r.last().Best != r.describe(best) {
				t.Errorf("%+v", r.last())
			}
			if best.mean() > other.mean() {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("the test is blind: labels choose the same depths")
	}
}

// Tables of many targets have fewer trees, and none that are deeper.
func TestTablesAreBounded(t *testing.T) {
	r := settled(t, Settings{Trees: true, Budget: time.Hour})
	if err := trees(r)[0].run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.fruitless["trees"]++
	r.targets = 1000
	s := r.few.sampler.(boost.Sampler)
	one := r.full(tableBytes / (8 * 1000 << 3))
	if one.splits = 1; s.Depth != 3 || trees(r)[0].work != r.workOf(r.treesOf(s), one) {
		t.Errorf("trees of depth %d have a work of %g, want that of %d, %g", s.Depth, trees(r)[0].work, one.features, r.workOf(r.treesOf(s), one))
	}
	r.targets = 1
	if err := trees(r)[0].run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.few, r.targets = r.oneSplit, 100000
	if trees(r); r.few != nil {
		t.Error("deeper trees are proposed, though 60 of them are too large")
	}
}

// More trees are expected to gain more where few of them are level with the best, and more than these where they are
// ahead, so that no other step takes what they need: the more, the fewer rows these had.
func TestTreesThatAreLevel(t *testing.T) {
	r := plainly(t, steps(600), Settings{Trees: true})
	if gain := trees(r)[0].gain; gain != priors["trees"].gain {
		t.Errorf("few trees are expected to gain %v", gain)
	}
	if err := trees(r)[0].run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.fruitless["trees"]++
	few := r.last().Error * r.last().Error
	for level, want := range map[float64]float64{0.2: 1 - 0.2*moreTrees, 0.95: levelGain, levelFew / 1.01: levelGain, levelFew * 1.01: doubt * priors["trees"].gain} {
		r.best = scripted(slices.Repeat([]float64{few / level}, 600), r.full(r.target()))
		if got := trees(r)[0].gain; math.Abs(got-want) > 1e-12 {
			t.Errorf("few trees have %v times the loss of the best: more are expected to gain %v, want %v", level, got, want)
		}
	}
	r.best = scripted(slices.Repeat([]float64{5 * few}, 600), r.full(r.target()))
	all := r.full(0).rows
	for rows, want := range map[int]float64{all/2 + 1: moreTrees, all / 2: moreTrees * moreRows, all / 4: moreTrees * moreRows * moreRows} {
		r.few.rows = rows
		if got := trees(r)[0].gain; math.Abs(got-1+0.2*want) > 1e-12 {
			t.Errorf("few trees of %d rows of %d have a fifth of the loss of the best: more are expected to gain %v, want %v", rows, all, got, 1-0.2*want)
		}
	}
}

// Where the budget does not pay for trees of all splits, those of one may end the race.
func TestTreesOfOneSplit(t *testing.T) {
	r := plainly(t, steps(3000), Settings{Trees: true})
	for len(r.report.Steps) < 3 {
		if err := trees(r)[0].run(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.fruitless["trees"]++
	}
	all := trees(r)[0].work
	r.left -= r.available() - all*(1-1e-9)
	p := trees(r)[0]
	if !(p.work < all/3) {
		t.Fatalf("a work of %g is proposed, where %g is too much", p.work, all)
	}
	if err := p.run(t.Context()); err != nil || !r.best.isBoosted() || r.best.splits != 1 || !r.last().Kept {
		t.Errorf("%+v, %v", r.last(), err)
	}
}

// Who asks for a sampler or a number of features gets no trees.
func TestTreesAreProposed(t *testing.T) {
	for name, c := range map[string]struct {
		set  Settings
		want int
	}{"nothing": {Settings{Trees: true}, 1}, "a kernel": {Settings{Trees: true, Kernels: []rff.Stationary{rff.NewLaplacian()}}, 1}, "features": {Settings{Trees: true, Features: 64}, 0}, "a sampler": {Settings{Trees: true, Sampler: sampling.MonteCarlo{}}, 0}} {
		if got := trees(settled(t, c.set)); len(got) != c.want {
			t.Errorf("%s asked for: %+v", name, got)
		}
	}
	r := settled(t, Settings{Trees: true})
	if r.best.err = errNothing; trees(r) != nil {
		t.Error("trees, though nothing was measured")
	}
}

// There are as many trees as take treeShare of what is left, and few trees as take fewShare, or leastFew,
// which the report names if they take more than treeShare.
func TestTreesWithinBudget(t *testing.T) {
	r := settled(t, Settings{Trees: true, Budget: time.Hour})
	of := func(s boost.Sampler) job { return job{candidate: candidate{sampler: s, kind: learned}, grid: r.grid} }
	few := func(count int) (work float64) {
		z := r.part(r.full(0))
		z.features = count
		return r.workOf(of(boost.Sampler{Depth: 3, Part: true}), z) + r.workOf(of(boost.Sampler{Depth: 6, Part: true}), z)
	}
	many := func(count int) float64 {
		one := r.full(count)
		one.splits = 1
		depth := r.few.sampler.(boost.Sampler).Depth
		return r.workOf(of(boost.Sampler{Depth: depth, Part: true}), one)
	}
	check := func(share float64, workOf func(int) float64, pays, want int) {
		t.Helper()
		r.left += 1.0001*workOf(pays)/share - r.available()
		if got, want := trees(r)[0].work, workOf(want); math.Abs(got-want) > 1e-9*want {
			t.Errorf("where %d trees are paid for the work is %g, want %g", pays, got, want)
		}
	}
	for _, c := range []struct{ pays, want int }{{900, 125}, {124, 124}, {61, 61}, {29, 30}, {10, 30}} {
		check(fewShare, few, c.pays, c.want)
	}
	if err := trees(r)[0].run(t.Context()); err != nil || r.last().Candidates != 2 || r.last().Features != 30 {
		t.Fatalf("%+v, %v", r.report.Steps[1:], err)
	}
	r.fruitless["trees"]++
	for _, c := range []struct{ pays, want int }{{1900, 1000}, {999, 999}, {126, 126}, {61, 61}, {1, 30}, {59, 60}, {20, 60}} {
		check(treeShare, many, c.pays, c.want)
	}
	if err := trees(r)[0].run(t.Context()); err != nil || r.report.Steps[2].Candidates != 1 || r.report.Steps[2].Features != 60 {
		t.Errorf("%+v, %v", r.report.Steps[1:], err)
	}
	r.fruitless = map[string]int{}
	r.left += few(30)/treeShare - 1 - r.available()
	r.proposers = []proposer{nil, trees}
	r.proposers[0] = func(*Race) []proposal { return nil }
	if r.next() != nil || r.skipped["trees"] == "" || !slices.Contains(stepKinds, "trees") {
		t.Errorf("trees that are not paid for are not named: %v", r.skipped)
	}
}

// A part of many rows chooses a depth. Where rows have one division, trees that choose their number on a part of its
// rows are measured as all others are, and so may end the race. The fit has as many, grown on all rows, and each
// further training has others.
func TestTreesOfManyRows(t *testing.T) {
	r := begun(t, steps(6000), Settings{Trees: true, Means: true, Budget: time.Hour, Check: func(int, int64) error { return nil }})
	r.folds = 1
	best := r.try(context.Background(), r.engine, job{grid: r.grid}, r.full(r.target()), nil)
	r.report.Steps = append(r.report.Steps, Step{})
	r.take(best)
	if grow(t, r); len(r.report.Steps) != 3 || len(r.all) != 1 || len(r.kept) < 2 || r.best != r.all[0] || r.best.splits != 1 {
		t.Fatalf("%+v", r.report.Steps)
	}
	few, part := r.report.Steps[1], r.report.Steps[2]
	if few.Candidates != len(treeShapes) || few.Rows != sectionRows || few.Kept || few.Why == "" {
		t.Errorf("%+v", few)
	}
	if part.Candidates != 1 || part.Rows != r.full(0).rows || !part.Kept || part.Why != "" {
		t.Errorf("%+v", part)
	}
	s, trees := r.best.sampler.(boost.Sampler), inside.Trees(r.best.maps[0].Map)
	if !s.Part || s.Trees != 0 || trees < 10 {
		t.Fatalf("%+v, %d trees", s, trees)
	}
	if more := r.fitWork(r.best, 1) - r.finalWork(1); math.Abs(more/(boost.Sampler{Depth: s.Depth, Own: s.Own, Trees: trees}.Work(6000, trees, r.shape))-1) > 1e-9 {
		t.Errorf("growing trees on all rows takes %g", more)
	}
	// Where the budget does not pay for that, the fit has the trees of the division.
	left := r.left
	r.left = r.fitWork(r.best, 1) * (1 - 1e-9)
	if c := (&Choice{race: r, of: r.best}); r.fitWork(r.best, 1) != r.finalWork(1) || c.Make(t.Context()) != nil || c.Map.Fingerprint() != r.best.maps[0].Map.Fingerprint() {
		t.Error("trees are grown for the fit beyond the budget")
	}
	r.left = left
	p := trainings(r)
	if len(p) != 1 || p[0].work != 0 || math.Abs(p[0].more/(float64(mostModels-1)*r.fitWork(r.best, 1))-1) > 1e-9 {
		t.Fatalf("%+v", p)
	}
	if err := p[0].run(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := r.Choices()[0]
	if err := c.Make(t.Context()); err != nil || len(c.Beside) != mostModels-1 {
		t.Fatal(err, len(c.Beside))
	}
	prints := map[string]bool{}
	for _, c := range append([]*Choice{c}, c.Beside...) {
		prints[c.Map.Fingerprint()] = true
		if inside.Trees(c.Map) != trees || c.Importance == nil {
			t.Errorf("%d trees in the fit, want %d", inside.Trees(c.Map), trees)
		}
	}
	s.Trees, s.Part, s.Steps = trees, false, cmp.Or(s.Steps, r.best.features)
	want, err := s.Sample(t.Context(), rff.Request{Dim: r.in, Features: r.best.features, Data: r.rows.Scaled(r.scalings[r.best.scaling].Scaling), Rand: r.source(0), Engine: rff.Engine{Workers: 1}})
	if err != nil || c.Map.Fingerprint() != want.Fingerprint() || len(prints) != mostModels {
		t.Errorf("the first trees of the fit are others than those of all rows, or of %d fits %d differ; %v", mostModels, len(prints), err)
	}
}

// Where trees learn nothing the report says so, and where the search ends so do they.
func TestTreesFail(t *testing.T) {
	rows := steps(400)
	for i := range 400 {
		rows.Group = append(rows.Group, uint64(i%2)) // a split has one group left, none of which can be held out
	}
	r := plainly(t, rows, Settings{Trees: true})
	if grow(t, r); len(r.report.Steps) != 2 || r.best.isBoosted() || !strings.Contains(r.last().Best, "nothing to learn") {
		t.Errorf("%+v", r.report.Steps)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := trees(plainly(t, steps(400), Settings{Trees: true}))[0].run(stopped); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The number of trees is none of features: by it alone neither trees nor features are kept.
func TestTreesAreNoFeatures(t *testing.T) {
	for _, boosted := range []bool{false, true} {
		r := begun(t, waves(100, 0.1), Settings{Trees: true})
		r.n, r.folds = enoughRows*1000, math.MaxInt // no repeats
		r.report.Steps = append(r.report.Steps, Step{}, Step{})
		best, other := scripted(slices.Repeat([]float64{1}, 400), size{80, 20, 250, 1}), scripted(slices.Repeat([]float64{1.004}, 400), size{80, 20, 1000, 1})
		for i := range other.Loss {
			other.Loss[i] += 0.2 * float64(1-2*(i%2)) // a standard error of 0.01
		}
		of := best
		if boosted {
			of = other
		}
		of.kind, of.sampler = learned, boost.Sampler{Depth: 6}
		r.take(best)
		r.last().Kept = false
		if r.judge(t.Context(), "features", other); r.best != best {
			t.Errorf("trees %v: more of them are kept, or more features in the place of trees", boosted)
		}
	}
}

// Beside trees, the other steps go on from the best without. A mean has both, and trees have no rules of
// weights.
func TestStepsBesideTrees(t *testing.T) {
	for _, classes := range [][]string{nil, {"a", "b"}} {
		r := settled(t, Settings{Trees: true, Budget: time.Hour, Classes: classes})
		plain, features := r.best, r.best.features
		if rule := rules(r) != nil; rule != (classes != nil) {
			t.Fatalf("the test needs rules for classes: %v", rule)
		}
		best, metric := scripted(slices.Repeat([]float64{0.5}, 60), r.full(features+44)), scripted(slices.Repeat([]float64{0.9}, 60), r.full(features+44))
		best.kind, best.sampler, metric.kind, metric.sampler = learned, boost.Sampler{Depth: 6}, learned, sampling.Metric{}
		r.all = []*tried{plain, metric, best}
		r.take(best)
		if r.smooth() != plain || r.drawn() != plain || r.final() != features || rules(r) != nil || len(moreFeatures(r)) != 1 {
			t.Errorf("features follow from trees: %d proposals of more", len(moreFeatures(r)))
		}
		if from, _, _ := r.members(); len(from) != 3 {
			t.Errorf("a mean has %d members", len(from))
		}
		own := *best
		own.sampler = boost.Sampler{Depth: 6, Own: true}
		if few := *best; r.bytesOf(best) != 8*best.features*64 || r.bytesOf(&own) != 3*8*best.features*64 {
			t.Errorf("%d trees have tables of %d bytes, and of %d with comparisons of each node", best.features, r.bytesOf(best), r.bytesOf(&own))
		} else if few.features = 1; !r.measured(&few) {
			t.Error("few trees are not measured")
		}
		if a, b := r.fitWork(best, best.features), r.finalWork(1); a != b {
			t.Errorf("a fit of one column has a work of %g, want %g", a, b)
		}
	}
}

// A trial of trees costs what growing them does and a fit with a column per target.
func TestWorkOfTrees(t *testing.T) {
	r := settled(t, Settings{Trees: true})
	z := r.full(500)
	grown := job{candidate: candidate{kind: learned, sampler: boost.Sampler{Depth: 6}}, grid: r.grid[:1]}
	one := z
	one.features = 1
	want := r.workOf(job{grid: r.grid[:1]}, one) + float64(z.splits)*boost.Sampler{Depth: 6}.Work(z.rows, 500, r.shape)
	if got := r.workOf(grown, z); math.Abs(got-want) > 1e-9*want {
		t.Errorf("trees count for %g, want %g", got, want)
	}
}

// Of many rows trees gain more, in proportion, so that they come before features that are trained at length. Where the
// budget pays for few trees of some shapes alone these are tried, and of half of the trees, more are grown.
func TestTreesOfSmallBudgets(t *testing.T) {
	r := plainly(t, steps(6000), Settings{Trees: true, Budget: time.Hour})
	if got := r.gainOf("trees"); got != priors["trees"].gain {
		t.Errorf("a gain of %g", got)
	}
	few := func(shapes ...boost.Sampler) (work float64) {
		z := r.part(r.full(leastFew))
		z.features = leastFew
		for _, s := range shapes {
			work += r.workOf(r.treesOf(s), z)
		}
		return work
	}
	all, some := few(treeShapes...), few(boost.Sampler{Depth: 6, Part: true}, boost.Sampler{Depth: 8, Own: true, Part: true})
	for share, want := range map[float64]float64{1.001: all, 0.999: some} {
		r.left += share*all/treeShare - r.available()
		if p := trees(r)[0]; math.Abs(p.work-want) > 1e-9*want {
			t.Errorf("where %g of all shapes is paid for the work is %g, want %g", share, p.work, want)
		}
	}
	for rows, want := range map[int]float64{9000: 1, 25000: 2.5} {
		r.splits[0].Train = &trial.Rows{X: blas.General[float64]{Rows: rows}}
		if got := r.gainOf("trees") / priors["trees"].gain; math.Abs(got-want) > 1e-12 {
			t.Errorf("%d rows multiply the gain by %g, want %g", rows, got, want)
		}
	}
}

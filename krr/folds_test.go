package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/krr"
)

// refits returns the cross-validated errors of a fit by refitting without each fold,
// for folds that the test gives.
func refits(t *testing.T, m *rff.Map, r *rows, fold []int, folds int, lambda float64) []float64 {
	t.Helper()
	want := make([]float64, r.y.Cols)
	var sum float64
	for f := range folds {
		if !slices.Contains(fold, f) {
			continue
		}
		train := subset(r, func(i int) bool { return fold[i] != f })
		test := subset(r, func(i int) bool { return fold[i] == f })
		coef, b := reference(features(t, m, train.x), train.y, train.w, lambda)
		z := features(t, m, test.x)
		for i := range test.x.Rows {
			w := 1.0
			if test.w != nil {
				w = test.w[i]
			}
			sum += w
			for k := range want {
				e := test.y.Row(i)[k] - b[k]
				for j := range z.RawRowView(i) {
					e -= z.At(i, j) * coef.At(j, k)
				}
				want[k] += w * e * e
			}
		}
	}
	for k := range want {
		want[k] /= sum
	}
	return want
}

// Rows of a group and runs of rows share a fold, whatever the solver: the
// errors are those of refits without whole groups. Groups have more say than runs.
func TestFoldsByGroup(t *testing.T) {
	const n, folds, seed = 260, 3, 5
	m := gaussianMap(t, 1, 3, 40, 1.5)
	base := synthetic(2, n, 3, 2, 0.3)
	for i := range n {
		base.w = append(base.w, float64(1+i%3))
	}
	group := make([]uint64, n)
	for i := range group {
		group[i] = uint64(i*i%17) << 40 // neighbours differ
	}
	for _, c := range []struct {
		name     string
		group    []uint64
		foldRows int
		unit     func(i int) int64
	}{
		{"contents", nil, 0, func(i int) int64 { return fold.Content(base.x.Row(i)) }},
		{"one row", nil, 1, func(i int) int64 { return int64(i) }},
		{"runs", nil, 7, func(i int) int64 { return int64(i / 7) }},
		{"groups", group, 0, func(i int) int64 { return int64(group[i]) }},
		{"groups and runs", group, 7, func(i int) int64 { return int64(group[i]) }},
	} {
		r := *base
		r.group, r.batch, r.runs = c.group, 61, c.foldRows // runs cross batches
		of := make([]int, n)
		for i := range of {
			of[i] = fold.Of(seed, c.unit(i), folds)
		}
		s := krr.Settings{Seed: seed, Folds: folds, Lambdas: []float64{1e-4, 1e-2}}
		grid := s.Lambdas
		want := [][]float64{refits(t, m, &r, of, folds, grid[0]), refits(t, m, &r, of, folds, grid[1])}
		few := *subset(&r, func(i int) bool { return i < 30 }) // fewer than features
		few.batch, few.runs = 11, c.foldRows
		if c.group != nil {
			few.group = c.group[:30]
		}
		wantFew := refits(t, m, &few, of[:30], folds, grid[1])
		for l := range grid {
			_, report, err := krr.Fit(context.Background(), m, &r, s)
			if err != nil {
				t.Fatal(err)
			}
			for k := range 2 {
				if relative(report.Path[l].Error[k], want[l][k]) > 1e-8 {
					t.Errorf("%s: error %g, refits give %g", c.name, report.Path[l].Error[k], want[l][k])
				}
			}
		}
		_, report, err := krr.Fit(context.Background(), m, &few, s)
		if err != nil {
			t.Fatal(err)
		}
		if !krr.InfoOf(report).Solved.Dual() || relative(report.Path[1].Error[0], wantFew[0]) > 1e-8 {
			t.Errorf("%s, dual: error %v, refits give %v", c.name, report.Path[1].Error, wantFew)
		}
		// Conjugate gradients leave fold 0 out.
		s.Passes = &krr.Passes{Tolerance: 1e-9}
		for _, src := range []rff.Source{&r, forgetful{&r}} {
			_, report, err = krr.Fit(context.Background(), m, src, s)
			if err != nil {
				t.Fatal(err)
			}
			one := slices.Clone(of)
			train := subset(&r, func(i int) bool { return one[i] != 0 })
			coef, b := reference(features(t, m, train.x), train.y, train.w, grid[1])
			test := subset(&r, func(i int) bool { return one[i] == 0 })
			z := features(t, m, test.x)
			var sum, w float64
			for i := range test.x.Rows {
				e := test.y.Row(i)[0] - b[0]
				for j := range z.RawRowView(i) {
					e -= z.At(i, j) * coef.At(j, 0)
				}
				sum += test.w[i] * e * e
				w += test.w[i]
			}
			sum /= w
			// The tolerance bounds predictions of the training rows.
			if got := report.Path[len(report.Path)-1]; got.Lambda != grid[1] || relative(got.Error[0], sum) > 1e-5 {
				t.Errorf("%s, cg: error %v, refit gives %g", c.name, got, sum)
			}
		}
	}
}

// Runs of any number of rows, and equal inputs, make different folds, and a checkpoint
// keeps to its own.
func TestFoldRowsBits(t *testing.T) {
	m := gaussianMap(t, 1, 3, 30, 1.5)
	r := classes(1, 900, 3, "a", "b")
	path := func(rows int) string {
		_, report, err := krr.Fit(context.Background(), m, r.inRuns(rows), krr.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(report.Path)
	}
	if path(0) == path(1) || path(1) == path(10) {
		t.Error("other folds have the same errors")
	}
	var setting *rff.ParameterError
	if _, _, err := krr.Fit(context.Background(), m, r.inRuns(-1), krr.Settings{}); !errors.As(err, &setting) || setting.Name != "fold rows" {
		t.Errorf("−1: %v", err)
	}
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: t.TempDir() + "/check", Every: 1}}
	broken := errors.New("broken")
	if _, _, err := krr.Fit(context.Background(), m, failing{r.inRuns(10), 700, broken}, s); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	var fe *krr.FileError
	for _, other := range []struct {
		runs int
		seed uint64
	}{{9, 0}, {0, 0}, {10, 3}} {
		s.Seed = other.seed
		if _, _, err := krr.Fit(context.Background(), m, r.inRuns(other.runs), s); !errors.As(err, &fe) {
			t.Errorf("resumed with other folds: %v", err)
		}
	}
	r.group = make([]uint64, 900)
	var empty *rff.DegenerateDataError
	if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{}); !errors.As(err, &empty) {
		t.Errorf("one group: %v", err)
	}
	r.group = r.group[:10]
	var mismatch *rff.ParameterError
	g := krr.NewGram(m, 1, krr.GramSettings{})
	if err := g.Add(context.Background(), rff.Batch{X: r.x, Y: r.y, Group: r.group}); !errors.As(err, &mismatch) {
		t.Errorf("10 groups for 900 rows: %v", err)
	}
}

// Folds that have all the weight, of which the others' is lost in rounding, leave nothing
// to train on: no λ is chosen on numbers that are not finite.
func TestFoldWithAllTheWeight(t *testing.T) {
	for _, features := range []int{20, 200} { // from sums, and of few rows
		m := gaussianMap(t, 1, 3, features, 1.5)
		r := synthetic(2, 100, 3, 1, 0.1)
		r.w, r.group = make([]float64, 100), make([]uint64, 100)
		folds := map[int]bool{}
		for i := range r.w {
			r.w[i], r.group[i] = 1, uint64(i/50)
			if i >= 50 {
				r.w[i] = 1e-30
			}
			folds[fold.Of(3, int64(r.group[i]), 2)] = true
		}
		if len(folds) != 2 {
			t.Fatal("the groups share a fold")
		}
		_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Seed: 3, Folds: 2, Lambdas: []float64{1e-4, 1e-2}})
		var none *rff.DegenerateDataError
		if features == 20 && !errors.As(err, &none) {
			t.Errorf("%v, path %v", err, report)
		}
		if features == 200 && (err != nil || !(krr.TotalOf(report.Path[0]) < 1e3)) {
			t.Errorf("few rows: %v, path %v", err, report.Path)
		}
	}
}

// A checkpoint is resumed with the folds of the groups, and probabilities are
// calibrated on whole groups left out.
func TestGroupsEverywhere(t *testing.T) {
	m := gaussianMap(t, 1, 3, 30, 1.5)
	r := classes(1, 2500, 3, "a", "b", "c")
	r.group, r.batch = make([]uint64, 2500), 130
	for i := range r.group {
		r.group[i] = uint64(i % 31)
	}
	want, _, err := krr.Fit(context.Background(), m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: t.TempDir() + "/check", Every: 1}}
	broken := errors.New("broken")
	for _, at := range []int{1300, 2000} {
		if _, _, err := krr.Fit(context.Background(), m, failing{r, at, broken}, s); !errors.Is(err, broken) {
			t.Fatal(err)
		}
	}
	r.batch = 777
	got, report, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	if report.Resumed == 0 || !models(t, got, want) {
		t.Errorf("resumed at %d: another model", report.Resumed)
	}
	// Twenty copies of every row with labels of no meaning: a row whose copies are
	// in other folds is remembered, one that goes with them is not.
	const n, copies = 60, 20
	noise := &rows{x: blas.NewGeneral[float64](n*copies, 2), batch: 100, classes: []string{"a", "b"}}
	for i := range n * copies {
		k := i % n
		noise.x.Row(i)[0], noise.x.Row(i)[1] = math.Sin(float64(37*k)), math.Cos(float64(91*k))
		noise.class = append(noise.class, int(fold.Of(9, int64(k), 2)))
		noise.group = append(noise.group, uint64(k))
	}
	noise.y = krr.ClassTargets(noise.class, 2)
	accuracy := func(foldRows int) float64 {
		_, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 2, 200, 0.05), noise.inRuns(foldRows), krr.Settings{Probabilities: true, Lambdas: []float64{1e-6}})
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(n * (copies - 1)); report.Repeats != want && report.Repeats != 0 || (report.Repeats == want) != (foldRows == 0 && noise.group == nil) {
			t.Errorf("%d rows repeat, want %d where folds are by content", report.Repeats, want)
		}
		return report.HeldOut.Accuracy
	}
	grouped := accuracy(0)
	noise.group = nil
	// A coin for each of 60 groups: ½ ± 0.065, five of these.
	if alike, single := accuracy(0), accuracy(1); grouped > 0.83 || alike > 0.83 || single < 0.99 {
		t.Errorf("held-out accuracy %g by groups, %g by equal inputs, %g by rows", grouped, alike, single)
	}
}

// Folds by content do not depend on the order of rows, nor on copies of all of them, and
// rows of which none could be held out by their inputs are held out one by one.
func TestFoldsByContent(t *testing.T) {
	m := gaussianMap(t, 1, 3, 24, 1.5)
	r := synthetic(4, 300, 3, 1, 0.3)
	path := func(r *rows) (*krr.Report, []krr.PathPoint) {
		_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Lambdas: []float64{1e-4, 1e-2, 1}})
		if err != nil {
			t.Fatal(err)
		}
		return report, report.Path
	}
	report, want := path(r)
	if report.Repeats != 0 {
		t.Errorf("%d rows repeat", report.Repeats)
	}
	order := make([]int, 0, 600)
	for i := range 300 {
		order = append(order, 299-i)
	}
	for copies := range 2 {
		if copies == 1 {
			order = append(order, order...)
		}
		other := &rows{x: blas.NewGeneral[float64](len(order), 3), y: blas.NewGeneral[float64](len(order), 1), batch: 37}
		for to, i := range order {
			copy(other.x.Row(to), r.x.Row(i))
			copy(other.y.Row(to), r.y.Row(i))
		}
		report, got := path(other)
		if report.Repeats != int64(300*copies) {
			t.Errorf("%d rows repeat", report.Repeats)
		}
		for l := range want { // sums in another order
			if relative(krr.TotalOf(got[l]), krr.TotalOf(want[l])) > 1e-9 {
				t.Errorf("%d more copies: error %g, want %g", copies, krr.TotalOf(got[l]), krr.TotalOf(want[l]))
			}
		}
	}
	for i := range 300 {
		copy(r.x.Row(i), r.x.Row(0))
	}
	for _, passes := range []*krr.Passes{nil, {}} {
		_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Passes: passes, Folds: 2, Lambdas: []float64{1e-2, 1}})
		if err != nil || len(report.Path) == 0 {
			t.Errorf("passes %v on equal rows: %v", passes, err)
		}
	}
}

// Samples and heads keep the groups, and the runs that rows come from.
func TestSampleGroups(t *testing.T) {
	r := synthetic(1, 500, 2, 1, 0)
	for i := range r.y.Data {
		r.y.Data[i] = float64(i)
	}
	r.w = make([]float64, 500)
	for i := range r.w {
		r.w[i] = float64(i % 3) // every third is no row
	}
	for _, c := range []struct {
		groups   bool
		foldRows int
	}{{false, 0}, {false, 1}, {false, 25}, {true, 0}, {true, 25}} {
		r.group = nil
		if c.groups {
			r.group = make([]uint64, 500)
			for i := range r.group {
				r.group[i] = uint64(i % 7)
			}
		}
		w, y, group, index, err := krr.Drawn(context.Background(), r.inRuns(c.foldRows), 200, &krr.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if (group != nil) != (c.groups || c.foldRows > 1) || y.Rows != 200 {
			t.Fatalf("%+v: groups %v, %d rows", c, group, y.Rows)
		}
		for k := range y.Rows {
			i := int(y.Row(k)[0])
			if index[k] != int64(i) || w[k] != float64(i%3) || i%3 == 0 {
				t.Fatalf("%+v: row %d of index %d", c, i, index[k])
			}
			want := uint64(i % 7)
			if !c.groups {
				want = uint64(i / 25)
			}
			if group != nil && group[k] != want {
				t.Errorf("%+v: row %d has group %d", c, i, group[k])
			}
		}
	}
}

// Rows of one group are all in the fold that is left out, or none is. The error says that
// groups are wanting, and neither rows nor weights.
func TestOneGroup(t *testing.T) {
	r := synthetic(2, 90, 3, 1, 0.3)
	r.group = slices.Repeat([]uint64{7}, 90)
	for seed := range uint64(20) {
		for _, passes := range []*krr.Passes{nil, {}} {
			_, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 3, 8, 1.5), r, krr.Settings{Seed: seed, Passes: passes})
			var bad *rff.DegenerateDataError
			if !errors.As(err, &bad) || !strings.Contains(bad.Why, "give more rows, groups or runs, or set lambda") {
				t.Errorf("seed %d, passes %v: %v", seed, passes != nil, err)
			}
		}
	}
}

// With intervals all rows of one group may be in the fold that is kept apart, or none.
func TestOneGroupWithIntervals(t *testing.T) {
	r := synthetic(2, 90, 3, 1, 0.3)
	r.group = slices.Repeat([]uint64{7}, 90)
	for seed := range uint64(40) {
		for _, loss := range []string{"huber:1.5", "quantile:0.1,0.9"} {
			_, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 3, 8, 1.5), r, krr.Settings{Seed: seed, Loss: loss, Lambdas: []float64{1}, Uncertainty: "intervals"})
			var bad *rff.DegenerateDataError
			if err != nil && (!errors.As(err, &bad) || !strings.Contains(bad.Why, "give more rows, groups or runs")) {
				t.Errorf("seed %d, loss %q: %v", seed, loss, err)
			}
		}
	}
}

// Whatever the seed, the folds of few groups or runs divide them: the fit is that of the seed that
// it names. Groups of rows of weight 0 are none.
func TestFewGroupsAreDivided(t *testing.T) {
	t.Parallel()
	m := gaussianMap(t, 1, 2, 16, 4)
	numbers, classes := synthetic(5, 90, 2, 1, 0.1), classes(6, 90, 2, "a", "b")
	for name, c := range map[string]struct {
		of     *rows
		groups uint64
		set    krr.Settings
		empty  int // the last rows, of weight 0, with a group each
	}{
		"squares":       {numbers, 2, krr.Settings{}, 0},
		"float32":       {numbers, 2, krr.Settings{Precision: krr.Float32}, 0},
		"passes":        {numbers, 2, krr.Settings{Passes: new(krr.Passes)}, 0},
		"huber":         {numbers, 2, krr.Settings{Loss: "huber:1"}, 0},
		"two folds":     {numbers, 2, krr.Settings{Folds: 2}, 0},
		"intervals":     {numbers, 3, krr.Settings{Uncertainty: "intervals"}, 0},
		"probabilities": {classes, 2, krr.Settings{Probabilities: true}, 0},
		"one of a part": {classes, 3, krr.Settings{Loss: "logistic", Probabilities: true}, 0},
		"hard rows":     {classes, 2, krr.Settings{Loss: "hard:4"}, 0},
		"empty groups":  {numbers, 2, krr.Settings{Loss: "huber:1"}, 40},
		"none apart":    {numbers, 3, krr.Settings{Uncertainty: "intervals"}, 40},
		"hard, apart":   {classes, 3, krr.Settings{Loss: "hard:4", Uncertainty: "intervals"}, 40},
	} {
		named := 0
		for seed := uint64(8); seed < 60; seed++ {
			r := *c.of
			r.group, r.w = nil, nil
			for i := range r.x.Rows {
				group, weight := uint64(i)%c.groups, 1.0
				if i >= r.x.Rows-c.empty {
					group, weight = uint64(i), 0
				}
				r.group, r.w = append(r.group, group), append(r.w, weight)
			}
			set := c.set
			set.Seed, set.Lambdas = seed, []float64{1e-3, 1e-1}
			model, _ := mustFit(t, m, &r, set)
			text := model.Info().Provenance["lambda"]
			var own uint64
			if _, err := fmt.Sscanf(text[strings.LastIndex(text, "seed"):], "seed %d", &own); err != nil || own < seed {
				t.Fatalf("%s: %q, %v", name, text, err)
			}
			if own > seed {
				named++
			}
			set.Seed = own
			same, _ := mustFit(t, m, &r, set)
			if !mat.Equal(predicted(t, same, &r), predicted(t, model, &r)) {
				t.Errorf("%s, seed %d: not the fit of seed %d, which it names", name, seed, own)
			}
		}
		if named == 0 {
			t.Errorf("%s: no seed divides the groups badly", name)
		}
	}
}

package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/krr"
)

func mustFit(t *testing.T, m *rff.Map, r rff.Source, s krr.Settings) (*krr.Model, *krr.Report) {
	t.Helper()
	model, report, err := krr.Fit(context.Background(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	return model, report
}

// The standard error of a λ is that of the folds' mean errors, each summed over the
// targets, for folds of different weights.
func TestPathStandardError(t *testing.T) {
	const n, folds = 200, 4
	r := synthetic(2, n, 3, 2, 0.3)
	for i := range n {
		r.w = append(r.w, float64(1+i%5))
	}
	m := gaussianMap(t, 1, 3, 30, 1.5)
	_, report := mustFit(t, m, r, krr.Settings{Seed: 3, Folds: folds, Lambdas: []float64{1e-3, 1e-1}})
	for _, p := range report.Path {
		fold := make([]int, n)
		for i := range fold {
			fold[i] = r.fold(3, i, folds)
		}
		var errs [folds]float64
		var mean, ss float64
		for f := range folds {
			train, test := subset(r, func(i int) bool { return fold[i] != f }), subset(r, func(i int) bool { return fold[i] == f })
			coef, b := reference(features(t, m, train.x), train.y, train.w, p.Lambda)
			z := features(t, m, test.x)
			var sum, w float64
			for i := range test.x.Rows {
				w += test.w[i]
				for k := range 2 {
					e := test.y.Row(i)[k] - b[k]
					for j, v := range z.RawRowView(i) {
						e -= v * coef.At(j, k)
					}
					sum += test.w[i] * e * e
				}
			}
			errs[f] = sum / w
			mean += errs[f] / folds
		}
		for _, e := range errs {
			ss += (e - mean) * (e - mean)
		}
		if want := math.Sqrt(ss / (folds * (folds - 1))); relative(p.StdErr, want) > 1e-7 {
			t.Errorf("λ=%g: standard error %g, refits give %g", p.Lambda, p.StdErr, want)
		}
	}
}

// λ is where the path is least, for all targets or each; the report says if that is
// an end of the grid, and how the worst of the systems was solved.
func TestChoiceOfLambda(t *testing.T) {
	r := synthetic(5, 700, 3, 2, 0)
	rng := synthetic(9, 700, 1, 1, 1)
	for i := range r.x.Rows {
		r.y.Row(i)[1] += 20 * rng.x.Row(i)[0] // nearly all noise
	}
	m := gaussianMap(t, 1, 3, 60, 1.5)
	grid := []float64{1e-2, 1e-8, 1e-5, 1e-2, 1e1}
	sorted := []float64{1e-8, 1e-5, 1e-2, 1e1}
	least := func(path []krr.PathPoint, value func(p *krr.PathPoint) float64) (at int) {
		for i := range path {
			if value(&path[i]) < value(&path[at]) {
				at = i
			}
		}
		return at
	}
	for _, s := range []krr.Settings{{Lambdas: grid}, {Lambdas: grid, Criterion: krr.GCV}, {Lambdas: grid, Criterion: krr.LeaveOneOut}, {Lambdas: grid, Passes: &krr.Passes{Tolerance: 1e-6}}} {
		_, report := mustFit(t, m, r, s)
		var lambdas []float64
		for _, p := range report.Path {
			lambdas = append(lambdas, p.Lambda)
		}
		if s.Passes == nil && !slices.Equal(lambdas, sorted) {
			t.Errorf("%v: path over %v", s.Criterion, lambdas)
		}
		at := least(report.Path, func(p *krr.PathPoint) float64 { return krr.TotalOf(*p) })
		for k := range 2 {
			if krr.InfoOf(report).Lambda[k] != report.Path[at].Lambda {
				t.Errorf("%v, %v: λ %v, the path is least at %v", s.Criterion, s.Passes, krr.InfoOf(report).Lambda, report.Path[at])
			}
		}
		if edge := krr.InfoOf(report).Lambda[0] == sorted[0] || krr.InfoOf(report).Lambda[0] == sorted[3]; report.AtEdge != edge {
			t.Errorf("%v, %v: λ %v, at the edge: %v", s.Criterion, s.Passes, krr.InfoOf(report).Lambda, report.AtEdge)
		}
	}
	model, report := mustFit(t, m, r, krr.Settings{Lambdas: grid, PerTarget: true})
	for k := range 2 {
		at := least(report.Path, func(p *krr.PathPoint) float64 { return p.Error[k] })
		if krr.InfoOf(report).Lambda[k] != sorted[at] || model.Info().Lambda[k] != sorted[at] {
			t.Errorf("target %d: λ %v, the path is least at %g", k, krr.InfoOf(report).Lambda, sorted[at])
		}
	}
	if krr.InfoOf(report).Lambda[0] >= krr.InfoOf(report).Lambda[1] {
		t.Errorf("λ %v for a noiseless and a noisy target", krr.InfoOf(report).Lambda)
	}
	g := gram(t, m, r, krr.Float64)
	worst, err := g.Solve(context.Background(), krr.InfoOf(report).Lambda[0])
	if err != nil {
		t.Fatal(err)
	}
	if relative(krr.InfoOf(report).Solved.Condition, worst.Info().Solved.Condition) > 1e-6 {
		t.Errorf("condition %g, that of the smaller λ is %g", krr.InfoOf(report).Solved.Condition, worst.Info().Solved.Condition)
	}
	each, err := krr.SolveEach(g, context.Background(), []float64{1e-1, 1e-4}, true)
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range []float64{1e-1, 1e-4} {
		all, err := g.Analyze(context.Background(), []float64{l})
		if err != nil {
			t.Fatal(err)
		}
		if relative(each.Info().Noise[k], all[0].Noise[k]) > 1e-8 {
			t.Errorf("target %d: noise %g, analysed %g", k, each.Info().Noise[k], all[0].Noise[k])
		}
	}
	// Both ends of the grid are edges, the middle is not.
	seen := map[string][]int{} // places in the grid, from its end
	for _, grid := range [][]float64{{1e-6, 1e-5, 1e-4, 1e9}, {1e-5, 1e-2, 1e-1}, {1e8, 1e9, 1e10}} {
		one := *r
		one.y = blas.NewGeneral[float64](700, 1)
		for solver, passes := range map[string]*krr.Passes{"sums": nil, "passes": {}} {
			for k := range 2 { // noiseless: the least; noisy: the largest
				for i := range one.y.Data {
					one.y.Data[i] = r.y.Row(i)[k]
				}
				_, got := mustFit(t, m, &one, krr.Settings{Lambdas: grid, Passes: passes})
				edge := krr.InfoOf(got).Lambda[0] == grid[0] || krr.InfoOf(got).Lambda[0] == grid[len(grid)-1]
				if got.AtEdge != edge {
					t.Errorf("%v, target %d: λ %v of %v, at the edge: %v", solver, k, krr.InfoOf(got).Lambda, grid, got.AtEdge)
				}
				seen[solver] = append(seen[solver], slices.Index(grid, krr.InfoOf(got).Lambda[0])-len(grid)+1)
			}
		}
	}
	for solver, at := range seen {
		if !slices.Contains(at, 0) || slices.Max(at) != 0 || slices.Min(at) > -2 {
			t.Errorf("%v: places %v: not both ends", solver, at)
		}
	}
	constant := *r
	constant.y = blas.NewGeneral[float64](700, 1)
	if _, got := mustFit(t, m, &constant, krr.Settings{}); !got.AtEdge || krr.InfoOf(got).Lambda[0] != 1e-1 {
		t.Errorf("constant target: λ %v, at the edge %v", krr.InfoOf(got).Lambda, got.AtEdge)
	}
}

// The errors of generalised cross-validation are those of the analysis.
func TestGCVIsAnalysis(t *testing.T) {
	r := synthetic(5, 300, 3, 2, 0.2)
	for i := range r.x.Rows {
		r.w = append(r.w, float64(1+i%3)/4)
	}
	m := gaussianMap(t, 1, 3, 40, 1.5)
	_, report := mustFit(t, m, r, krr.Settings{Criterion: krr.GCV})
	g := gram(t, m, r, krr.Float64)
	all, err := g.Analyze(context.Background(), krr.DefaultLambdas())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, w := range r.w {
		sum += w
	}
	rss := krr.RSSOf(g, krr.DefaultLambdas()...)
	for i, p := range report.Path {
		if !slices.Equal(p.Error, all[i].Error) || p.Freedom != all[i].Freedom {
			t.Errorf("%+v, analysed %+v", p, all[i])
		}
		// (RSS/Σw)/(1 − (1+d)/n)², n rows whatever they weigh.
		left := 1 - (1+all[i].Freedom)/300
		if want := rss[i][1] / sum / (left * left); relative(p.Error[1], want) > 1e-12 {
			t.Errorf("GCV %g, want %g", p.Error[1], want)
		}
	}
}

// A λ that one of the folds does not resolve leaves the grid, whichever fold it is: here
// one fold leaves fewer rows than features.
func TestPathSaysTheWorst(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 0.7)
	seen := map[bool]bool{}
	for seed := range uint64(40) {
		few, many := fold.Of(seed, 0, 2), fold.Of(seed, 1, 2)
		if few == many || seen[few == 0] {
			continue
		}
		seen[few == 0] = true
		r := synthetic(3, 110, 3, 1, 0.1)
		r.group = make([]uint64, 110)
		for i := 10; i < 110; i++ {
			r.group[i] = 1
		}
		_, report := mustFit(t, m, r, krr.Settings{Seed: seed, Folds: 2, Lambdas: []float64{1e-30, 1e-3}})
		if !slices.Equal(krr.Unresolved(report), []float64{1e-30}) || len(report.Path) != 1 || report.Path[0].Solved.Iterations > 0 {
			t.Errorf("seed %d: λ %v left out of %v", seed, krr.Unresolved(report), report.Path)
		}
	}
	if len(seen) != 2 {
		t.Error("no seed has the folds in one of the orders")
	}
}

// Predictions are confined to the range of the training targets, by every solver, and
// only if asked.
func TestRange(t *testing.T) {
	for _, n := range []int{40, 300} {
		r := synthetic(3, n, 3, 2, 0.5)
		var lo, hi []float64
		for k := range 2 {
			lo, hi = append(lo, math.Inf(1)), append(hi, math.Inf(-1))
			for i := range n {
				lo[k], hi[k] = min(lo[k], r.y.Row(i)[k]), max(hi[k], r.y.Row(i)[k])
			}
		}
		for _, s := range []krr.Settings{{}, {Lambdas: []float64{1e-3}}, {Passes: &krr.Passes{}, Lambdas: []float64{1e-3}}, {Uncertainty: "variance"}} {
			if model, _ := mustFit(t, gaussianMap(t, 1, 3, 60, 1.5), r, s); fmt.Sprint(model.Range()) != "[] []" {
				t.Errorf("passes %v: %v", s.Passes, fmt.Sprint(model.Range()))
			}
			s.ClipPredictions = true
			model, _ := mustFit(t, gaussianMap(t, 1, 3, 60, 1.5), r, s)
			a, b := model.Range()
			if !slices.Equal(a, lo) || !slices.Equal(b, hi) {
				t.Errorf("%d rows, %v: range %v to %v, want %v to %v", n, s.Passes, a, b, lo, hi)
			}
		}
	}
}

// Fewer rows than features are solved by way of the dual, and the primal takes over
// at their number, or for one λ somewhat before, wherever batches end.
func TestDualBoundary(t *testing.T) {
	m := gaussianMap(t, 1, 3, 64, 1.5)
	for n, dual := range map[int]bool{1: true, 55: true, 56: false, 63: false, 64: false, 127: false} {
		r := synthetic(3, n, 3, 1, 0.1)
		for _, batch := range []int{1, 50, 200} {
			r.batch = batch
			for _, src := range []rff.Source{r, forgetful{r}} {
				if _, report := mustFit(t, m, src, krr.Settings{Lambdas: []float64{1e-3}}); krr.InfoOf(report).Solved.Dual() != dual || report.Train.Rows != int64(n) {
					t.Errorf("%d rows in batches of %d: %+v", n, batch, krr.InfoOf(report).Solved)
				}
			}
		}
	}
	// Many λ take the dual as long as it is smaller.
	for n, dual := range map[int]bool{63: true, 64: false} {
		if _, report := mustFit(t, m, synthetic(3, n, 3, 1, 0.1), krr.Settings{}); krr.InfoOf(report).Solved.Dual() != dual {
			t.Errorf("%d rows and many λ: %+v", n, krr.InfoOf(report).Solved)
		}
	}
	// The rows that waited go to their own folds: the primal's path does not depend on
	// whether rows waited at all.
	r := synthetic(3, 150, 3, 1, 0.1)
	for i := range r.x.Rows {
		r.w = append(r.w, float64(i%4))
		r.group = append(r.group, uint64(i*i%19))
	}
	path := func(s krr.Settings) string {
		r.batch = 40
		_, report := mustFit(t, m, r, s)
		return fmt.Sprint(report.Path)
	}
	if a, b := path(krr.Settings{}), path(krr.Settings{Uncertainty: "variance"}); a != b {
		t.Errorf("waiting changes the path:\n%s\n%s", a, b)
	}
}

// Of two equal rows with different targets the singular system predicts the mean: the
// jitter that makes it regular counts in the residuals.
func TestDualJitter(t *testing.T) {
	r := synthetic(3, 12, 2, 1, 0.1)
	copy(r.x.Row(7), r.x.Row(2))
	r.y.Row(2)[0], r.y.Row(7)[0] = 1, 5
	_, report := mustFit(t, gaussianMap(t, 1, 2, 200, 0.3), r, krr.Settings{Lambdas: []float64{1e-30}})
	// Two residuals of 2 among 12 rows; the rounding errors of the system, of the order
	// of the jitter, move them by a few percent.
	if !krr.InfoOf(report).Solved.Dual() || krr.InfoOf(report).Solved.Jitter == 0 || relative(report.Train.RMSE[0], math.Sqrt(8.0/12)) > 0.2 {
		t.Errorf("%v: RMSE %v, want %g", krr.InfoOf(report).Solved, report.Train.RMSE, math.Sqrt(8.0/12))
	}
}

// Grams of different maps, scalings, targets, precisions or classes do not add up.
func TestGramsThatDiffer(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	shifts, scales := []float64{1, 2, 3}, []float64{1, 2, 4}
	classed := func(labels ...string) *krr.Gram {
		g := krr.NewGram(m, 1, krr.GramSettings{})
		if err := g.SetClasses(labels); err != nil {
			t.Fatal(err)
		}
		return g
	}
	plain := func() *krr.Gram { return krr.NewGram(m, 1, krr.GramSettings{}) }
	for what, h := range map[string]*krr.Gram{
		"map":           krr.NewGram(gaussianMap(t, 2, 3, 20, 1.5), 1, krr.GramSettings{}),
		"targets":       krr.NewGram(m, 2, krr.GramSettings{}),
		"precision":     krr.NewGram(m, 1, krr.GramSettings{Precision: krr.Float32}),
		"classes":       classed("a", "b"),
		"input scaling": krr.NewGram(m, 1, krr.GramSettings{Scaling: rff.Scaling{Shift: shifts}}),
	} {
		for _, f := range []func(*krr.Gram) error{plain().Merge, plain().Subtract} {
			var mismatch *rff.ParameterError
			if err := f(h); !errors.As(err, &mismatch) || mismatch.Name != what {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	var mismatch *rff.ParameterError
	if err := plain().Merge(krr.NewGram(m, 1, krr.GramSettings{Scaling: rff.Scaling{Scale: scales}})); !errors.As(err, &mismatch) {
		t.Errorf("scales: %v", err)
	}
	if err := classed("a", "b").Merge(classed("b", "a")); !errors.As(err, &mismatch) {
		t.Errorf("classes: %v", err)
	}
}

// What belongs to a checkpoint is asked before it is resumed, and resuming restores
// counts; a shorter file is other data.
func TestCheckpointIdentity(t *testing.T) {
	m := gaussianMap(t, 1, 3, 30, 1.5)
	r := classes(1, 2500, 3, "a", "b", "c")
	for i := range r.x.Rows {
		r.w = append(r.w, float64(1+i%11)/2)
	}
	want, a := mustFit(t, m, r, krr.Settings{})
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: 1}}
	broken := errors.New("broken")
	r.batch = 130
	stop := func() {
		t.Helper()
		if _, _, err := krr.Fit(context.Background(), m, failing{r, 1700, broken}, s); !errors.Is(err, broken) {
			t.Fatal(err)
		}
	}
	stop()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fe *krr.FileError
	for name, change := range map[string]func(*krr.Settings){
		"seed":      func(s *krr.Settings) { s.Seed = 1 },
		"folds":     func(s *krr.Settings) { s.Folds = 4 },
		"precision": func(s *krr.Settings) { s.Precision = krr.Float32 },
		"shift":     func(s *krr.Settings) { s.Scaling.Shift = []float64{1, 1, 1} },
		"scale":     func(s *krr.Settings) { s.Scaling.Scale = []float64{1, 1, 2} },
	} {
		other := s
		change(&other)
		if _, _, err := krr.Fit(context.Background(), m, r, other); !errors.As(err, &fe) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	if _, _, err := krr.Fit(context.Background(), m, r.inRuns(2), s); !errors.As(err, &fe) {
		t.Errorf("other runs: %v", err)
	}
	renamed := *r
	renamed.classes = []string{"a", "b", "d"}
	if _, _, err := krr.Fit(context.Background(), m, &renamed, s); !errors.As(err, &fe) {
		t.Errorf("other classes: %v", err)
	}
	if _, _, err := krr.Fit(context.Background(), gaussianMap(t, 2, 3, 30, 1.5), r, s); !errors.As(err, &fe) || !strings.Contains(err.Error(), "the data it was made with") {
		t.Errorf("another map: %v", err)
	}
	short := *r
	short.x, short.y, short.w = r.x.RowRange(0, 1000), r.y.RowRange(0, 1000), r.w[:1000]
	if _, _, err := krr.Fit(context.Background(), m, &short, s); !errors.As(err, &fe) {
		t.Errorf("1000 rows of 2500: %v", err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	r.batch = 777
	got, b := mustFit(t, m, r, s)
	if b.Resumed == 0 || !models(t, got, want) || !slices.Equal(a.Counts, b.Counts) || krr.WeightOf(a) != krr.WeightOf(b) {
		t.Errorf("resumed at %d: counts %v, %v, weights %g, %g", b.Resumed, a.Counts, b.Counts, krr.WeightOf(a), krr.WeightOf(b))
	}
	counts := make([]int64, 3)
	for _, c := range r.class {
		counts[c]++
	}
	if !slices.Equal(a.Counts, counts) {
		t.Errorf("counts %v, want %v", a.Counts, counts)
	}
}

// Weights, groups and row numbers go with their rows where batches are cut.
func TestLargeBatches(t *testing.T) {
	const n = 9000
	r := synthetic(3, n, 3, 1, 0.1)
	r.group = make([]uint64, n)
	for i := range n {
		r.w = append(r.w, float64(1+i%11))
		r.group[i] = uint64(i * i % 101)
	}
	m := gaussianMap(t, 1, 3, 16, 1.5)
	for _, group := range [][]uint64{r.group, nil} {
		r.group, r.batch = group, 100
		want, a := mustFit(t, m, r, krr.Settings{})
		r.batch = n
		got, b := mustFit(t, m, r, krr.Settings{})
		if !models(t, got, want) || fmt.Sprint(a.Path) != fmt.Sprint(b.Path) {
			t.Errorf("one batch gives another fit (groups: %v)", group != nil)
		}
	}
}

// A Gram of weighted rows resumes from anywhere.
func TestGramResumeWeights(t *testing.T) {
	r := synthetic(1, 1300, 3, 2, 0.1)
	for i := range r.x.Rows {
		r.w = append(r.w, float64(i%4)/2)
	}
	m := gaussianMap(t, 1, 3, 16, 1)
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		whole := gram(t, m, r, p)
		for _, cut := range []int{1, 777, 1300} {
			add := func(g *krr.Gram, from, to int) {
				if err := g.Add(context.Background(), rff.Batch{First: int64(from), X: r.x.RowRange(from, to), Y: r.y.RowRange(from, to), Weight: r.w[from:to]}); err != nil {
					t.Fatal(err)
				}
			}
			g := krr.NewGram(m, 2, krr.GramSettings{Precision: p})
			add(g, 0, cut)
			file, _ := g.MarshalBinary()
			var h krr.Gram
			if err := h.UnmarshalBinary(file); err != nil {
				t.Fatal(err)
			}
			add(&h, cut, 1300)
			if h.Rows() != 975 || !equalSums(h.Sums(), whole.Sums()) {
				t.Errorf("%v: resuming after %d rows changes the sums", p, cut)
			}
		}
	}
}

// Folds of a checkpoint agree in their reference.
func TestCheckpointReference(t *testing.T) {
	m := gaussianMap(t, 1, 3, 16, 1)
	r := synthetic(1, 600, 3, 1, 0.1)
	path := filepath.Join(t.TempDir(), "check")
	s := krr.Settings{Checkpoint: krr.Checkpoint{Path: path, Every: 1}}
	broken := errors.New("broken")
	if _, _, err := krr.Fit(context.Background(), m, failing{r, 500, broken}, s); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fe *krr.FileError
	for i, v := range []float64{1, math.NaN()} {
		bad, err := krr.CheckpointWith(file, "fold.3.reference", []float64{v})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := krr.Fit(context.Background(), m, r, s); !errors.As(err, &fe) {
			t.Errorf("%d: folds with references of their own: %v", i, err)
		}
	}
	// Coded classes have the reference 0, in all folds.
	c := classes(1, 600, 3, "a", "b")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := krr.Fit(context.Background(), m, failing{c, 500, broken}, s); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	for fold := range 5 {
		if file, err = krr.CheckpointWith(file, fmt.Sprintf("fold.%d.reference", fold), []float64{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := krr.Fit(context.Background(), m, c, s); !errors.As(err, &fe) {
		t.Errorf("classes less 1: %v", err)
	}
}

// Weights of very different sizes are in the sample of the preconditioner as in the
// system, with rows of weight 0 among them.
func TestConjugateGradientsWeights(t *testing.T) {
	r := synthetic(5, 6000, 3, 1, 0.1)
	for i := range r.x.Rows {
		w := math.Ldexp(1, i%17-8)
		if i%5 == 0 {
			w = 0
		}
		r.w = append(r.w, w)
	}
	_, report := mustFit(t, gaussianMap(t, 1, 3, 512, 1), r,
		krr.Settings{Passes: &krr.Passes{}, Lambdas: []float64{1e-5, 1e-4}, Precision: krr.Float32})
	// As in TestConjugateGradientsRareRows.
	if s := krr.InfoOf(report).Solved; s.Condition > 30 || s.Iterations > 30 {
		t.Errorf("%v", s)
	}
}

// Small things that are said or decided.
func TestSmallChoices(t *testing.T) {
	r := synthetic(1, 200, 3, 1, 0.1)
	fm := gaussianMap(t, 1, 3, 16, 1)
	pair, _ := mustFit(t, fm, classes(1, 60, 3, "a", "b"), krr.Settings{})
	triple, _ := mustFit(t, fm, classes(1, 60, 3, "a", "b", "c"), krr.Settings{})
	if pair.ClassOf([]float64{0}) != 1 || pair.ClassOf([]float64{-1e-300}) != 0 || triple.ClassOf([]float64{1, 2, 2}) != 1 || triple.ClassOf([]float64{3, 2, 2}) != 0 {
		t.Error("classes of scores")
	}
	chosen, _ := mustFit(t, fm, r.inRuns(3), krr.Settings{Seed: 4})
	given, _ := mustFit(t, fm, r, krr.Settings{Lambdas: []float64{1e-3}})
	if a, b := chosen.Info().Provenance["lambda"], given.Info().Provenance["lambda"]; a != "cross-validation, 9 values from 1e-09 to 0.1, 5 folds, seed 4, runs of 3 rows" || b != "" {
		t.Errorf("provenance %q, %q", a, b)
	}
	// One row of two: each in half of the samples, 100 ± 7, five of these.
	two, first := synthetic(1, 2, 1, 1, 0), 0
	for seed := range uint64(200) {
		_, y, _, index, err := krr.Drawn(context.Background(), two, 1, &krr.Settings{Seed: seed})
		if err != nil || y.Rows != 1 {
			t.Fatal(err)
		}
		if index[0] == 0 {
			first++
		}
	}
	if first < 65 || first > 135 {
		t.Errorf("the first of two rows is drawn %d times of 200", first)
	}
}

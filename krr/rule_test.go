package krr_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// hardRule is the rule of hard rows that count so often.
func hardRule(weight float64) string { return fmt.Sprintf("hard:%g", weight) }

// byHand returns the weights of the rows of a second solution, and how many are hard:
// margins by their definition, from scores of a solution by QR.
func byHand(z *mat.Dense, r *rows, lambda, weight float64) (w []float64, hard int64) {
	coef, intercept := reference(z, r.y, r.w, lambda)
	var f mat.Dense
	f.Mul(z, coef)
	for i := range r.x.Rows {
		y, wi := r.y.Row(i), 1.0
		if r.w != nil {
			wi = r.w[i]
		}
		score := func(t int) float64 { return f.At(i, t) + intercept[t] }
		margin := y[0] * score(0)
		if len(y) > 1 {
			own := slices.Index(y, 1)
			others := -1e300
			for t := range y {
				if t != own {
					others = max(others, score(t))
				}
			}
			margin = (score(own) - others) / 2
		}
		if margin < 0.5 && wi > 0 {
			wi *= weight
			hard++
		}
		w = append(w, wi)
	}
	return w, hard
}

// A second solution is the ridge regression whose hard rows have that weight: here
// both solutions by QR, of two classes and of three, with weights and without, of many
// rows and of fewer than features.
func TestRuleAgainstQR(t *testing.T) {
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		for _, n := range []int{40, 500} {
			for _, weighted := range []bool{false, true} {
				const lambda, weight = 0.1, 7
				r := classes(4, n, 3, labels...)
				for i := 0; i < n; i += 5 { // which no smooth function has right
					r.class[i] = (r.class[i] + 1) % len(labels)
				}
				r.y = krr.ClassTargets(r.class, len(labels))
				if weighted {
					for i := range n {
						r.w = append(r.w, float64(i%4)/2)
					}
				}
				m := gaussianMap(t, 1, 3, 64, 2)
				z := features(t, m, r.x)
				w, hard := byHand(z, r, lambda, weight)
				if hard == 0 || hard == int64(n) {
					t.Fatalf("%d hard rows of %d tell nothing", hard, n)
				}
				want, intercept := reference(z, r.y, w, lambda)
				for _, c := range []struct {
					precision krr.Precision
					tolerance float64
				}{{krr.Float64, 1e-9}, {krr.Float32, 1e-4}} { // conditions are below 10³: 10⁻¹⁶, or 2·10⁻⁷ of float32, times that
					model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Lambdas: []float64{lambda}, Loss: hardRule(weight), Precision: c.precision})
					if err != nil {
						t.Fatal(err)
					}
					coef, b := model.Coefficients()
					if d := maxDiff(coef, want); d > c.tolerance*mat.Max(absolute{want}) {
						t.Errorf("%v, %d rows, weights %v, %v: coefficients differ by %g", labels, n, weighted, c.precision, d)
					}
					for k := range b {
						if d := b[k] - intercept[k]; d > c.tolerance || d < -c.tolerance {
							t.Errorf("%v, %d rows, %v: intercept %v, want %v", labels, n, c.precision, b, intercept)
						}
					}
					if krr.HardOf(report) != hard {
						t.Errorf("%v, %d rows: %d hard rows, want %d", labels, n, krr.HardOf(report), hard)
					}
				}
			}
		}
	}
}

// λ is that of the first solution, and so are what is said about it and the weight of
// the rows; held-out measures count every row once.
func TestRuleReport(t *testing.T) {
	ctx := context.Background()
	m, r := gaussianMap(t, 1, 3, 32, 2), classes(5, 600, 3, "a", "b", "c")
	once, first, err := krr.Fit(ctx, m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	twice, second, err := krr.Fit(ctx, m, r, krr.Settings{Loss: "hard:5", Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(krr.InfoOf(first).Lambda, krr.InfoOf(second).Lambda) || len(second.Path) != len(first.Path) || krr.WeightOf(second) != 600 || second.HeldOut.Rows != 600 || krr.HardOf(first) != 0 || krr.HardOf(second) == 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	p := twice.Info().Provenance
	if p["loss"] != "hard:5" || p["lambda"] != once.Info().Provenance["lambda"] {
		t.Errorf("provenance %v", p)
	}
	// The accuracy held out is that of labels of unweighted rows.
	labels, err := twice.Labels(dense(r.x))
	if err != nil {
		t.Fatal(err)
	}
	right := 0.0
	for i, l := range labels {
		if l == r.classes[r.class[i]] {
			right++
		}
	}
	// Three standard deviations of a share of 600 rows, and what fitting them gains.
	if d := second.HeldOut.Accuracy - right/600; d > 0.06 || d < -0.1 {
		t.Errorf("accuracy %.3f held out, %.3f on the rows", second.HeldOut.Accuracy, right/600)
	}
}

// The bits depend neither on workers nor on batches; squares, and rows none of which
// is hard, leave those of one solution.
func TestRuleBits(t *testing.T) {
	ctx := context.Background()
	m, r := gaussianMap(t, 1, 3, 64, 2), classes(6, 1300, 3, "a", "b", "c", "d")
	fit := func(r *rows, s krr.Settings) *mat.Dense {
		t.Helper()
		model, _, err := krr.Fit(ctx, m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		coef, _ := model.Coefficients()
		return coef
	}
	for _, lambdas := range [][]float64{nil, {1e-3}} { // chosen, and given
		one := native()
		one.Workers = 2
		want := fit(r, krr.Settings{Loss: "hard:4", Lambdas: lambdas, Engine: one})
		for _, workers := range []int{1, 3} {
			other := *r
			other.batch = 77 * workers
			e := native()
			e.Workers = workers
			if !mat.Equal(fit(&other, krr.Settings{Loss: "hard:4", Lambdas: lambdas, Engine: e}), want) {
				t.Errorf("λ %v, %d workers: other bits", lambdas, workers)
			}
		}
		if mat.Equal(want, fit(r, krr.Settings{Lambdas: lambdas, Engine: one})) {
			t.Error("hard rows change nothing")
		}
	}
	once := fit(r, krr.Settings{})
	if !mat.Equal(fit(r, krr.Settings{Loss: "squares"}), once) {
		t.Error("squares change bits")
	}
	apart := classes(7, 300, 3, "a", "b")
	for i, c := range apart.class {
		apart.x.Row(i)[0] = float64(20 * c)
	}
	if !mat.Equal(fit(apart, krr.Settings{Lambdas: []float64{1e-6}, Loss: "hard:100"}), fit(apart, krr.Settings{Lambdas: []float64{1e-6}})) {
		t.Error("no row is hard, and bits change")
	}
}

func TestRuleRefused(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 16, 2), classes(1, 100, 3, "a", "b")
	plain := synthetic(1, 100, 3, 1, 0.1)
	for i, c := range []struct {
		data rff.Source
		s    krr.Settings
	}{
		{r, krr.Settings{Loss: "hard:-1"}},
		{r, krr.Settings{Loss: "hard:0.5"}},
		{r, krr.Settings{Loss: "hard:1e5"}},
		{plain, krr.Settings{Loss: "hard:3"}},
	} {
		_, _, err := krr.Fit(context.Background(), m, c.data, c.s)
		var p *rff.ParameterError
		if !errors.As(err, &p) || p.Name != "loss" {
			t.Errorf("case %d: %v", i, err)
		}
	}
	// A stop in the second pass ends the fit.
	for _, lambdas := range [][]float64{nil, {1e-3}} { // chosen, and given
		ctx, stop := context.WithCancel(context.Background())
		passes := 0
		_, _, err := krr.Fit(ctx, m, r, krr.Settings{Lambdas: lambdas, Loss: "hard:3", Progress: func(p krr.Progress) {
			if p.Stage == "rows" && p.Rows == 100 {
				if passes++; passes == 2 {
					stop()
				}
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("λ %v, stopped in the second pass: %v", lambdas, err)
		}
		stop()
	}
}

// With λ given, the sums of the first solution are kept, and the second pass adds what is
// hard: the model, and what folds measure, are those of two fits from the beginning, which
// is what is done where λ is chosen, here between one and a hopeless one.
func TestRuleKeepsSums(t *testing.T) {
	ctx := context.Background()
	r := classes(8, 1300, 3, "a", "b", "c")
	for i := range r.x.Rows {
		r.w = append(r.w, float64(i%5)/2)
	}
	landmarks, err := sampling.Nystrom{}.Sample(ctx, rff.Request{Kernel: rff.NewGaussian(), Dim: 3, Features: 64, Data: r, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	const lambda = 1e-4
	for name, m := range map[string]*rff.Map{"pairs": gaussianMap(t, 1, 3, 64, 2), "landmarks": landmarks} {
		for _, s := range []krr.Settings{{}, {Probabilities: true}, {HeldOut: true}} {
			r.runs = 0
			if s.HeldOut {
				r.runs = 7
			}
			s.Loss = "hard:6"
			chosen := s
			s.Lambdas, chosen.Lambdas = []float64{lambda}, []float64{lambda, 1e6}
			kept, report, err := krr.Fit(ctx, m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			again, want, err := krr.Fit(ctx, m, r, chosen)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := kept.Coefficients()
			b, _ := again.Coefficients()
			// 10⁻¹⁶ times the condition, below 1/λ = 10⁴ of features whose squares sum to 1;
			// landmarks have one of their kernel's beside it.
			if d := maxDiff(a, b); d > 1e-9*mat.Max(absolute{b}) {
				t.Errorf("%s: coefficients differ by %g of %g", name, d, mat.Max(absolute{b}))
			}
			if krr.HardOf(report) != krr.HardOf(want) || krr.HardOf(report) == 0 || report.Train.Rows != want.Train.Rows || krr.WeightOf(report) != krr.WeightOf(want) || krr.InfoOf(report).Lambda[0] != krr.InfoOf(want).Lambda[0] {
				t.Errorf("%s: %+v\n%+v", name, report, want)
			}
			if (report.HeldOut != nil) != (s.Probabilities || s.HeldOut) {
				t.Fatalf("%s: held out %+v", name, report.HeldOut)
			}
			if h, o := report.HeldOut, want.HeldOut; h != nil && (h.Rows != o.Rows || math.Abs(h.Accuracy-o.Accuracy) > 1e-12 || math.Abs(logLossOf(h)-logLossOf(o)) > 1e-9) {
				t.Errorf("%s: held out %+v, %+v", name, h, o)
			}
			if p := kept.Info().Provenance; p["loss"] != "hard:6" {
				t.Errorf("%s: provenance %v", name, p)
			}
		}
	}
}

// The sums that are kept are memory that is asked for.
func TestRuleMemory(t *testing.T) {
	const inputs, features = 3, 512
	m, r := gaussianMap(t, 1, inputs, features, 2), classes(5, 2000, inputs, "a", "b")
	s := krr.Settings{Lambdas: []float64{1e-3}}
	frequencies := int64(8 * features * inputs) // which are there
	need := int64(krr.Need(inputs, features, 1, r.Schema().Rows, false, s)) - frequencies
	for rule, enough := range map[string]bool{"squares": true, "hard:3": false} {
		s.Loss = rule
		restore := krr.SetAvailable(need + 8*features*features/2)
		_, _, err := krr.Fit(context.Background(), m, r, s)
		restore()
		var p *rff.ParameterError
		if enough && err != nil || !enough && !(errors.As(err, &p) && p.Name == "features") {
			t.Errorf("rule %s: %v", rule, err)
		}
	}
}

// Data that have fewer rows when they are read again are refused.
func TestRuleOtherRows(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 32, 2), classes(5, 600, 3, "a", "b", "c")
	_, _, err := krr.Fit(context.Background(), m, &shrinking{rows: r}, krr.Settings{Lambdas: []float64{1e-3}, Loss: "hard:3"})
	var d *rff.DegenerateDataError
	if !errors.As(err, &d) || !strings.Contains(err.Error(), "600") {
		t.Errorf("%v", err)
	}
}

// shrinking has 100 rows less each time it is read.
type shrinking struct {
	*rows
	less int
}

func (s *shrinking) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	r := *s.rows
	r.x, r.y = r.x.RowRange(0, r.x.Rows-s.less), r.y.RowRange(0, r.x.Rows-s.less)
	s.less += 100
	return r.Batches(ctx)
}

// rare returns rows of two classes: one of them nearly all, the other in small spots.
func rare(seed uint64, n int) *rows {
	rng := rand.New(rand.NewPCG(seed, 4))
	r := &rows{x: blas.NewGeneral[float64](n, 2), batch: 200, classes: []string{"plain", "rare"}, class: make([]int, n)}
	for i := range n {
		x := r.x.Row(i)
		x[0], x[1] = 4*rng.Float64(), 4*rng.Float64()
		if rng.IntN(50) == 0 {
			r.class[i] = 1
			x[0], x[1] = float64(rng.IntN(3))+0.9+0.2*rng.Float64(), float64(rng.IntN(3))+0.9+0.2*rng.Float64()
		}
	}
	for i := range n { // the spots are free of others
		x := r.x.Row(i)
		for r.class[i] == 0 && spot(x[0]) && spot(x[1]) {
			x[0], x[1] = 4*rng.Float64(), 4*rng.Float64()
		}
	}
	r.y = krr.ClassTargets(r.class, 2)
	return r
}

func spot(v float64) bool {
	for _, c := range []float64{1, 2, 3} {
		if v > c-0.15 && v < c+0.15 {
			return true
		}
	}
	return false
}

// With few features a rare class among many rows is outvoted, unless its rows count
// more; Auto finds that out, and that labels of noise are better left alone.
func TestAutoHardRows(t *testing.T) {
	t.Parallel()
	train, test := rare(1, 6000), rare(2, 6000)
	wrong := func(m *krr.Model) (n float64) {
		labels, err := m.Labels(dense(test.x))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range labels {
			if l != test.classes[test.class[i]] {
				n++
			}
		}
		return n / float64(len(labels))
	}
	set := krr.AutoSettings{Budget: time.Second, Steps: anyNumber, Features: 64, Kernels: []rff.Stationary{rff.NewGaussian()}}
	model, r := auto(t, train, set)
	set.Fit.Loss = "squares"
	single, r1 := auto(t, train, set)
	last := krr.StepsOf(r)[len(krr.StepsOf(r))-1]
	if last.Name != "rule" || last.Candidates != 6 || !last.Kept || !strings.HasPrefix(krr.InfoOf(r).Provenance["loss"], "hard:") || krr.HardOf(r) == 0 || model.Info().Provenance["loss"] == "" {
		t.Errorf("%+v, rule %v", last, krr.InfoOf(r).Provenance["loss"])
	}
	if krr.InfoOf(r).Lambda[0] != krr.InfoOf(r1).Lambda[0] && krr.InfoOf(r).Lambda[0] != 10*krr.InfoOf(r1).Lambda[0] {
		t.Errorf("λ %v, of one solution %v", krr.InfoOf(r).Lambda, krr.InfoOf(r1).Lambda)
	}
	for _, s := range krr.StepsOf(r1) {
		if s.Name == "rule" {
			t.Errorf("squares were given, and %+v", s)
		}
	}
	a, b := wrong(model), wrong(single)
	t.Logf("wrong %.4f, of one solution %.4f; %v", a, b, last)
	// 6000 rows differ by some 15 of 31 labels, whose difference has a deviation of 4.
	if a > 0.75*b {
		t.Errorf("wrong %.4f, of one solution %.4f", a, b)
	}
	if krr.SearchOf(r).Estimated <= krr.SearchOf(r1).Estimated {
		t.Errorf("estimated %v, of one solution %v", krr.SearchOf(r).Estimated, krr.SearchOf(r1).Estimated)
	}
	set.Fit.Loss = ""
	_, r = auto(t, noisy(3, 2000, 3, 1), set)
	if krr.InfoOf(r).Provenance["loss"] != "" || krr.HardOf(r) != 0 {
		t.Errorf("noise: %v", krr.StepsOf(r))
	}
}

// A checkpoint keeps the sums of the first solution: a fit that was stopped in its second
// pass goes on from there to the bits of one that was not, of a given and of a chosen λ.
func TestRuleCheckpoint(t *testing.T) {
	t.Parallel()
	m, r := gaussianMap(t, 1, 3, 32, 2), classes(4, 900, 3, "a", "b", "c")
	for i := 0; i < 900; i += 5 {
		r.class[i] = (r.class[i] + 1) % 3
	}
	r.y = krr.ClassTargets(r.class, 3)
	r.batch = 100
	for _, lambdas := range [][]float64{nil, {1e-3}} {
		s := krr.Settings{Loss: "hard:4", Lambdas: lambdas}
		s.Checkpoint.Path = filepath.Join(t.TempDir(), "whole")
		want, whole, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Checkpoint.Path = filepath.Join(t.TempDir(), "stopped")
		ctx, stop := context.WithCancel(t.Context())
		passes := 0
		s.Progress = func(p krr.Progress) {
			if p.Stage == "rows" && p.Rows == p.Total {
				if passes++; passes == 2 {
					stop()
				}
			}
		}
		if _, _, err = krr.Fit(ctx, m, r, s); !errors.Is(err, context.Canceled) {
			t.Fatalf("λ %v: %v after %d passes", lambdas, err, passes)
		}
		s.Progress = nil
		got, report, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		if report.Resumed != 900 || krr.HardOf(report) == 0 || krr.HardOf(report) != krr.HardOf(whole) || !models(t, got, want) {
			t.Errorf("λ %v: resumed at %d, %d rows count more, %d of the whole fit, or other bits", lambdas, report.Resumed, krr.HardOf(report), krr.HardOf(whole))
		}
		// Without a checkpoint the sums may be of another order.
		s.Checkpoint = krr.Checkpoint{}
		plain, _ := mustFit(t, m, r, s)
		a, _ := want.Coefficients()
		b, _ := plain.Coefficients()
		if d := maxDiff(a, b); d > 900*0x1p-52/1e-9*mat.Max(absolute{a}) || plain.Info().Lambda[0] != want.Info().Lambda[0] {
			t.Errorf("λ %v: coefficients differ by %g of those without a checkpoint", lambdas, d)
		}
	}
}

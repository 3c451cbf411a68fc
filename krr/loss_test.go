package krr_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/loss"
	"github.com/rffgo/rff/krr"
)

// lossCase is a fit whose solution testdata/losses.py has found.
type lossCase struct {
	Loss      string      `json:"loss"`
	Lambda    float64     `json:"lambda"`
	Y         [][]float64 `json:"y"`
	Coef      [][]float64 `json:"coef"`
	Intercept []float64   `json:"intercept"`
	Least     float64     `json:"least"`
}

type lossCases struct {
	Z     [][]float64 `json:"z"`
	W     []float64   `json:"w"`
	Cases []lossCase  `json:"cases"`
}

const lossRows = 80

// lossData returns the rows of the cases of a kind of targets: two classes, three, two
// targets of numbers with outliers, or counts. Their inputs and weights are the same.
func lossData(kind string) *rows {
	r := synthetic(11, lossRows, 2, 2, 0.3)
	rng := rand.New(rand.NewPCG(3, 3))
	labels := map[string][]string{"two": {"n", "y"}, "three": {"a", "b", "c"}}[kind]
	counts := blas.NewGeneral[float64](lossRows, 1)
	for i := range lossRows {
		y := r.y.Row(i)
		counts.Row(i)[0] = math.Floor(math.Exp(y[0]/2) * rng.Float64())
		if i%10 == 0 {
			y[0] += 20
		}
		if labels != nil {
			class := int(math.Abs(y[1])) % len(labels)
			if i%7 == 0 {
				class = rng.IntN(len(labels))
			}
			r.class = append(r.class, class)
		}
		r.w = append(r.w, float64(i%4)/2)
	}
	switch {
	case labels != nil:
		r.classes, r.y = labels, krr.ClassTargets(r.class, len(labels))
	case kind == "counts":
		r.y = counts
	}
	return r
}

// lossKinds are the targets of the cases of each loss.
var lossKinds = []struct{ loss, kind string }{
	{"logistic", "two"}, {"logistic", "three"}, {"squared-hinge", "two"}, {"squared-hinge", "three"}, {"smoothed-hinge", "two"},
	{"huber:0.5", "numbers"}, {"expectile:0.9", "numbers"}, {"poisson", "counts"}, {"quantile:0.05,0.5,0.95", "numbers"},
}

func lossMap(t *testing.T) *rff.Map { return gaussianMap(t, 1, 2, 10, 2) }

// objective returns (1/Σw)Σwℓ(y, b + zβ) + λ‖β‖².
func objective(t *testing.T, name string, z *mat.Dense, r *rows, coef *mat.Dense, b []float64, lambda float64) float64 {
	t.Helper()
	l, _, err := loss.Parse(name, r.y.Cols)
	if err != nil {
		t.Fatal(err)
	}
	var f mat.Dense
	f.Mul(z, coef)
	n, k := f.Dims()
	var sum, weight float64
	score, value, slope, y := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	for i := range n {
		w := 1.0
		if r.w != nil {
			w = r.w[i]
		}
		for j := range score {
			score[j] = f.At(i, j) + b[j]
		}
		own := r.y.Row(i)
		for j := range y { // quantiles of a target follow each other
			y[j] = own[j*len(own)/k]
		}
		l.Row(score, y, value, slope)
		weight += w
		for _, v := range value {
			sum += w * v
		}
	}
	norm := mat.Norm(coef, 2)
	return sum/weight + lambda*norm*norm
}

// Solutions are those of scikit-learn and SciPy on the same features, weights and λ, in
// float64 and float32.
func TestLossReference(t *testing.T) {
	path := filepath.Join("testdata", "losses.json")
	if flag.Lookup("update").Value.String() == "true" {
		writeLossCases(t, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all lossCases
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for i, c := range all.Cases {
		kind := lossKinds[i/2].kind
		r, m := lossData(kind), lossMap(t)
		for precision, tolerance := range map[krr.Precision]float64{krr.Float64: 1e-8, krr.Float32: 1e-5} {
			quantiles := strings.HasPrefix(c.Loss, "quantile")
			if quantiles {
				tolerance *= 100 // the square of this is of the loss, and not half of that
			}
			model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Loss: c.Loss, Lambdas: []float64{c.Lambda}, Precision: precision, Passes: &krr.Passes{Tolerance: tolerance}})
			if err != nil {
				t.Fatalf("%s, λ %g: %v", c.Loss, c.Lambda, err)
			}
			coef, b := model.Coefficients()
			value := objective(t, c.Loss, features(t, m, r.x), r, coef, b, c.Lambda)
			// Half the square of the tolerance, of a loss of a constant of at most 100.
			if d := value - c.Least; d > 1e-9*max(1, c.Least) && precision == krr.Float64 || d > 1e-6*max(1, c.Least) || d < -1e-9*max(1, c.Least) {
				t.Errorf("%s (%s), λ %g, %s: least value %.12g, want %.12g", c.Loss, kind, c.Lambda, precision, value, c.Least)
			}
			for j, row := range c.Coef {
				for k, v := range row {
					if d := math.Abs(coef.At(j, k) - v); d > 1e-4 && precision == krr.Float64 {
						t.Errorf("%s (%s), λ %g: coefficient %d, %d differs by %g", c.Loss, kind, c.Lambda, j, k, d)
					}
				}
			}
			for k, v := range c.Intercept {
				if d := math.Abs(b[k] - v); d > 1e-4 && precision == krr.Float64 {
					t.Errorf("%s (%s), λ %g: intercept %v, want %v", c.Loss, kind, c.Lambda, b, c.Intercept)
				}
			}
			if s := krr.InfoOf(report).Solved; s.Solver != "cg" || s.Iterations < 1 || s.Residual > tolerance {
				t.Errorf("%+v", krr.InfoOf(report).Solved)
			}
		}
	}
}

// writeLossCases writes the cases without their solutions.
func writeLossCases(t *testing.T, path string) {
	list := func(m *mat.Dense) (out [][]float64) {
		for i := range m.RawMatrix().Rows {
			out = append(out, m.RawRowView(i))
		}
		return out
	}
	all := lossCases{Z: list(features(t, lossMap(t), lossData("two").x)), W: lossData("two").w}
	for _, c := range lossKinds {
		for _, lambda := range []float64{1e-2, 1e-4} {
			all.Cases = append(all.Cases, lossCase{Loss: c.loss, Lambda: lambda, Y: list(dense(lossData(c.kind).y))})
		}
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is hard to fit has a finite answer or a typed error: classes that a hyperplane
// divides, a class of three rows, outliers of 10⁶ deviations, counts that are all 0, negative
// counts, rows of weight 0.
func TestLossHard(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 64, 2)
	apart := classes(7, 300, 3, "a", "b")
	for i, c := range apart.class {
		apart.x.Row(i)[0] = float64(20 * c)
	}
	rare := classes(5, 400, 3, "a", "b", "c")
	for i := range rare.class {
		if rare.class[i] %= 2; i%150 == 0 {
			rare.class[i] = 2
		}
	}
	rare.y = krr.ClassTargets(rare.class, 3)
	far := synthetic(3, 400, 3, 1, 0.1)
	for i := 0; i < 400; i += 9 {
		far.y.Row(i)[0] += 1e6
	}
	counts := synthetic(3, 200, 3, 1, 0)
	for i := range counts.y.Data {
		counts.y.Data[i] = math.Floor(math.Abs(counts.y.Data[i]))
	}
	weighted := *counts
	weighted.w = make([]float64, 200)
	for i := range 150 {
		weighted.w[i] = 1
	}
	for name, c := range map[string]struct {
		r    *rows
		loss string
	}{
		"divided": {apart, "logistic"}, "divided, hinge": {apart, "squared-hinge"}, "three rows": {rare, "logistic"}, "three rows, hinge": {rare, "smoothed-hinge"},
		"far": {far, "huber:0.5"}, "far, expectile": {far, "expectile:0.01"}, "far, edge": {far, "expectile:0.001"}, "counts": {counts, "poisson"}, "weights": {&weighted, "poisson"},
	} {
		for _, s := range []krr.Settings{{Lambdas: []float64{1e-6}}, {HeldOut: true}, {Lambdas: []float64{1e-5}, Precision: krr.Float32}} {
			s.Loss = c.loss
			model, report, err := krr.Fit(ctx, m, c.r, s)
			if err != nil {
				t.Errorf("%s, %+v: %v", name, s, err)
				continue
			}
			var y mat.Dense
			if err := model.Predict(&y, dense(c.r.x)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if s.HeldOut && (report.HeldOut == nil || report.HeldOut.Rows == 0 || len(report.Path) < 2) {
				t.Errorf("%s: %+v", name, report)
			}
			for _, v := range y.RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s, %+v: predicts %g", name, s, v)
				}
			}
			if name == "far" {
				near := 0
				for i := range y.RawMatrix().Rows {
					if i%9 != 0 && math.Abs(y.At(i, 0)-c.r.y.Row(i)[0]) < 1.5 {
						near++
					}
				}
				if near < 340 {
					t.Errorf("%+v: %d of 355 rows are near", s, near)
				}
			}
		}
	}
}

// Targets and weights that no fit has an answer for are typed errors, of every loss.
func TestLossDegenerate(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 3, 64, 2)
	counts := synthetic(3, 200, 3, 1, 0)
	for i := range counts.y.Data {
		counts.y.Data[i] = math.Floor(math.Abs(counts.y.Data[i]))
	}
	rare := classes(5, 400, 3, "a", "b", "c")
	for _, c := range []struct {
		r    *rows
		loss string
	}{
		{classes(7, 200, 3, "a", "b"), "logistic"}, {rare, "logistic"}, {rare, "squared-hinge"}, {rare, "smoothed-hinge"},
		{synthetic(1, 200, 3, 1, 0.1), "huber:1"}, {synthetic(1, 200, 3, 1, 0.1), "expectile:0.001"}, {counts, "poisson"},
	} {
		missing, weightless := *c.r, *c.r
		missing.y = blas.General[float64]{Rows: c.r.y.Rows, Cols: c.r.y.Cols, Stride: c.r.y.Stride, Data: append([]float64(nil), c.r.y.Data...)}
		weightless.w = make([]float64, c.r.y.Rows)
		var value *rff.ValueError
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			missing.y.Row(11)[0] = v
			if _, _, err := krr.Fit(ctx, m, &missing, krr.Settings{Loss: c.loss, Lambdas: []float64{1e-3}}); !errors.As(err, &value) || value.Row != 11 {
				t.Errorf("%s, a target of %g: %v", c.loss, v, err)
			}
		}
		var degenerate *rff.DegenerateDataError
		if _, _, err := krr.Fit(ctx, m, &weightless, krr.Settings{Loss: c.loss, Lambdas: []float64{1e-3}}); !errors.As(err, &degenerate) {
			t.Errorf("%s, no weight: %v", c.loss, err)
		}
	}
	none, negative := *counts, *counts
	none.y, negative.y = blas.NewGeneral[float64](200, 1), blas.NewGeneral[float64](200, 1)
	negative.y.Row(7)[0] = -1
	var degenerate *rff.DegenerateDataError
	if _, _, err := krr.Fit(ctx, m, &none, krr.Settings{Loss: "poisson"}); !errors.As(err, &degenerate) {
		t.Errorf("counts of 0: %v", err)
	}
	var value *rff.ValueError
	if _, _, err := krr.Fit(ctx, m, &negative, krr.Settings{Loss: "poisson"}); !errors.As(err, &value) || value.Row != 7 {
		t.Errorf("a negative count: %v", err)
	}
	var slow *krr.SolveError
	if _, _, err := krr.Fit(ctx, gaussianMap(t, 1, 3, 16, 2), classes(5, 100, 3, "a", "b"), krr.Settings{Loss: "squared-hinge", Lambdas: []float64{1e-13}, Passes: &krr.Passes{Tolerance: 1e-13}}); !errors.As(err, &slow) || !krr.SolvedOf(slow).Unconverged() || !strings.Contains(slow.Why, "gradient") {
		t.Errorf("a tolerance beyond rounding: %v", err)
	}
}

// Many classes have losses of their own classes: predictions of the rows are those classes, and
// not the first, whose code is that of another reference.
func TestLossOfManyClassesKnowsThem(t *testing.T) {
	const labels = 70
	r := synthetic(2, 20*labels, 2, 1, 0)
	for k := range labels {
		r.classes = append(r.classes, fmt.Sprint("c", k))
	}
	for i := range 20 * labels {
		k := i % labels
		r.class = append(r.class, k)
		copy(r.x.Row(i), []float64{float64(k%10) + r.x.Row(i)[0]/20, float64(k/10) + r.x.Row(i)[1]/20})
	}
	r.y = krr.ClassTargets(r.class, labels)
	m := gaussianMap(t, 2, 2, 200, 1)
	for _, loss := range []string{"squares", "logistic", "squared-hinge", "smoothed-hinge", "hard:4", "hard:4 by passes"} {
		s := krr.Settings{HeldOut: true, Lambdas: []float64{1e-4}}
		var passes bool
		if s.Loss, _, passes = strings.Cut(loss, " "); passes {
			s.Passes = &krr.Passes{}
		}
		_, report, err := krr.Fit(context.Background(), m, r, s)
		if err != nil {
			t.Fatal(loss, err)
		}
		if report.HeldOut.Accuracy < 0.95 {
			t.Errorf("%s: accuracy %.3f of classes far apart", loss, report.HeldOut.Accuracy)
		}
	}
}

// A softmax of 1,000 classes, some of them of one row or none, has probabilities.
func TestLossManyClasses(t *testing.T) {
	const n, labels = 500, 1000
	r := synthetic(2, n, 3, 1, 0)
	for k := range labels {
		r.classes = append(r.classes, fmt.Sprint("c", k))
	}
	for i := range n {
		r.class = append(r.class, i*i%labels)
	}
	r.y = krr.ClassTargets(r.class, labels)
	m := gaussianMap(t, 1, 3, 16, 2)
	for name, s := range map[string]krr.Settings{"logistic": {}, "logistic, chosen": {HeldOut: true, Lambdas: []float64{1e-3, 1e-2}}, "squared-hinge": {}} {
		if s.Loss = strings.Split(name, ",")[0]; s.Lambdas == nil {
			s.Lambdas = []float64{1e-3}
		}
		model, _, err := krr.Fit(context.Background(), m, r, s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var p mat.Dense
		if s.Loss == "logistic" {
			err = model.Probabilities(&p, dense(r.x))
		} else {
			err = model.Predict(&p, dense(r.x))
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if sum := mat.Sum(p.RowView(i)); math.IsNaN(sum) || math.IsInf(sum, 0) || s.Loss == "logistic" && math.Abs(sum-1) > 1e-12 {
				t.Fatalf("%s: row %d sums to %g", name, i, sum)
			}
		}
	}
}

// Counts in another unit have the same fit: of the same λ beside them, and the intercept
// moves by the logarithm.
func TestCountsUnit(t *testing.T) {
	m := gaussianMap(t, 1, 3, 32, 2)
	fit := func(unit float64) (*mat.Dense, float64, *krr.Report) {
		r := synthetic(4, 600, 3, 1, 0.3)
		for i, v := range r.y.Data {
			r.y.Data[i] = unit * math.Floor(math.Exp(v/2))
		}
		model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Loss: "poisson", Passes: &krr.Passes{Tolerance: 1e-8}})
		if err != nil {
			t.Fatal(err)
		}
		coef, b := model.Coefficients()
		return coef, b[0], report
	}
	want, b, report := fit(1)
	for _, unit := range []float64{1e-6, 1e5} {
		coef, at, r := fit(unit)
		var d mat.Dense
		d.Sub(coef, want)
		if most := mat.Norm(&d, math.Inf(1)); !(most < 1e-4) || math.Abs(at-b-math.Log(unit)) > 1e-4 {
			t.Errorf("unit %g: coefficients differ by %g, intercepts %g and %g", unit, most, at, b)
		}
		if math.Abs(krr.InfoOf(r).Lambda[0]/(unit*krr.InfoOf(report).Lambda[0])-1) > 1e-12 || len(r.Path) != len(report.Path) || r.AtEdge != report.AtEdge {
			t.Errorf("unit %g: λ %g, with counts %g; %d and %d of the grid", unit, krr.InfoOf(r).Lambda[0], krr.InfoOf(report).Lambda[0], len(r.Path), len(report.Path))
		}
	}
}

// A descent takes few passes, since its preconditioner, which takes none of its own, is near
// the second derivatives.
func TestLossPasses(t *testing.T) {
	for _, c := range []struct {
		loss, kind string
		most       int
	}{
		{"logistic", "two", 7}, {"logistic", "three", 10}, {"squared-hinge", "two", 8}, {"squared-hinge", "three", 13},
		{"smoothed-hinge", "two", 15}, {"huber:0.5", "numbers", 10}, {"expectile:0.9", "numbers", 14}, {"poisson", "counts", 8},
	} {
		_, report, err := krr.Fit(context.Background(), lossMap(t), lossData(c.kind), krr.Settings{Loss: c.loss, Lambdas: []float64{1e-4}})
		if err != nil {
			t.Fatal(err)
		}
		if got := krr.InfoOf(report).Solved.Iterations; got > c.most {
			t.Errorf("%s (%s): %d passes, want at most %d", c.loss, c.kind, got, c.most)
		}
	}
}

// The bits depend neither on workers nor on batches, nor on whether the rows stay in
// memory; a stop ends the fit.
func TestLossBits(t *testing.T) {
	m, r := gaussianMap(t, 1, 3, 64, 2), classes(6, 1300, 3, "a", "b", "c")
	var want *mat.Dense
	for _, workers := range []int{1, 3} {
		for _, memory := range []int64{0, 60 << 20} {
			other := *r
			other.batch = 77 * workers
			e := native()
			e.Workers = workers
			model, _, err := krr.Fit(context.Background(), m, &other, krr.Settings{Loss: "logistic", Lambdas: []float64{1e-4}, Engine: e, Passes: &krr.Passes{Memory: memory}})
			if err != nil {
				t.Fatal(err)
			}
			coef, _ := model.Coefficients()
			if want == nil {
				want = coef
			}
			if !mat.Equal(coef, want) {
				t.Errorf("%d workers, memory %d: other bits", workers, memory)
			}
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	_, _, err := krr.Fit(ctx, m, r, krr.Settings{Loss: "logistic", Lambdas: []float64{1e-6}, Progress: func(p krr.Progress) {
		if p.Stage == "iterations" {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped in the second pass: %v", err)
	}
}

// Logistic models have probabilities that sum to the shares of the classes, and Poisson
// models predict means that sum to the counts, as their intercepts demand; both survive a
// file.
func TestLossPredictions(t *testing.T) {
	for _, kind := range []string{"two", "three", "counts"} {
		r, m, name := lossData(kind), lossMap(t), "logistic"
		if kind == "counts" {
			name = "poisson"
		}
		fitted, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Loss: name, Lambdas: []float64{1e-3}, Passes: &krr.Passes{Tolerance: 1e-8}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "m")
		if err := fitted.Save(path); err != nil {
			t.Fatal(err)
		}
		model, err := krr.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		var y mat.Dense
		of := func(i, k int) float64 { return r.y.Row(i)[k] }
		if kind == "counts" {
			err = model.Predict(&y, dense(r.x))
		} else {
			err = model.Probabilities(&y, dense(r.x))
			of = func(i, k int) float64 {
				if r.class[i] == k {
					return 1
				}
				return 0
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		_, columns := y.Dims()
		for k := range columns {
			var d, sum float64
			for i := range lossRows {
				d += r.w[i] * (y.At(i, k) - of(i, k))
				sum += r.w[i] * of(i, k)
			}
			if math.Abs(d) > 1e-6*sum {
				t.Errorf("%s: column %d sums to %g more than %g", kind, k, d, sum)
			}
		}
		if p := model.Info().Provenance["loss"]; p != name || model.Info().Probabilities != (kind != "counts") {
			t.Errorf("%+v", model.Info())
		}
	}
}

func TestLossRefused(t *testing.T) {
	two, three, numbers := classes(1, 100, 3, "a", "b"), classes(1, 100, 3, "a", "b", "c"), synthetic(1, 100, 3, 1, 0.1)
	m := gaussianMap(t, 1, 3, 16, 2)
	for i, c := range []struct {
		data rff.Source
		s    krr.Settings
	}{
		{numbers, krr.Settings{Loss: "logistic"}},
		{two, krr.Settings{Loss: "huber:1"}},
		{two, krr.Settings{Loss: "poisson"}},
		{two, krr.Settings{Loss: "hinge"}},
		{two, krr.Settings{Loss: "logistic:2"}},
		{numbers, krr.Settings{Loss: "huber"}},
		{numbers, krr.Settings{Loss: "huber:0"}},
		{numbers, krr.Settings{Loss: "expectile:1"}},
		{two, krr.Settings{Loss: "logistic", Uncertainty: "variance"}},
		{two, krr.Settings{Loss: "logistic", Criterion: krr.GCV}},
		{two, krr.Settings{Loss: "logistic", Checkpoint: krr.Checkpoint{Path: t.TempDir() + "/c"}}},
	} {
		_, _, err := krr.Fit(context.Background(), m, c.data, c.s)
		var p *rff.ParameterError
		if !errors.As(err, &p) || p.Name != "loss" {
			t.Errorf("case %d: %v", i, err)
		}
	}
	// The scores of softmax are one target, with one λ.
	all, _ := mustFit(t, m, three, krr.Settings{Loss: "logistic"})
	each, _ := mustFit(t, m, three, krr.Settings{Loss: "logistic", PerTarget: true})
	if !models(t, all, each) {
		t.Error("PerTarget changes the fit of softmax")
	}
}

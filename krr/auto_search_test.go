package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
)

// planted returns n rows of d standard normal inputs and a function of them.
func planted(seed uint64, n, d int, noise float64, f func(x []float64) float64) *rows {
	rng := rand.New(rand.NewPCG(seed, 9))
	r := &rows{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, 1), batch: 100}
	for i := range n {
		x := r.x.Row(i)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		r.y.Row(i)[0] = f(x) + noise*rng.NormFloat64()
	}
	return r
}

// seeds are so many, and one in a short test.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return 1
	}
	return n
}

// anyNumber of steps is more than any search takes.
const anyNumber = 1000

func auto(t *testing.T, data rff.Source, s krr.AutoSettings) (*krr.Model, *krr.Report) {
	t.Helper()
	m, r, err := krr.Auto(context.Background(), data, s)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// relativeRMSE returns the RMSE over the standard deviation of the targets.
func relativeRMSE(t *testing.T, m *krr.Model, test *rows) float64 {
	t.Helper()
	var p mat.Dense
	if err := m.Predict(&p, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	var se, sy, mean float64
	for _, y := range test.y.Data {
		mean += y / float64(len(test.y.Data))
	}
	for i, y := range test.y.Data {
		se += (p.At(i, 0) - y) * (p.At(i, 0) - y)
		sy += (y - mean) * (y - mean)
	}
	return math.Sqrt(se / sy)
}

// Inputs with heavy tails, e^{3z}, of which a smooth function of z is to be learnt: a
// scaling of units alone squeezes most rows into a point; ranks and logarithms undo the
// exponential.
func TestAutoHeavyTails(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(2*x[0]) + x[1]*x[2] }
	train, test := planted(1, 3000, 3, 0.05, f), planted(2, 1000, 3, 0, f)
	for _, r := range []*rows{train, test} {
		for i, v := range r.x.Data {
			r.x.Data[i] = math.Exp(3 * v)
		}
	}
	m, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber})
	if krr.SearchOf(r).Scaling != "ranks" && krr.SearchOf(r).Scaling != "logs" {
		t.Errorf("scaling %s", krr.SearchOf(r).Scaling)
	}
	units := rff.Scaling{Shift: make([]float64, 3), Scale: []float64{10, 10, 10}}
	scaled, _ := auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Fit: krr.Settings{Scaling: units}})
	if a, b := relativeRMSE(t, m, test), relativeRMSE(t, scaled, test); !(a < 0.2 && a < b/2) {
		t.Errorf("relative error %.3f, with a scaling of units %.3f", a, b)
	}
}

// A sum of Laplacian kernels has kinks, which Gaussian features fit badly.
func TestAutoLaplacianTarget(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	const d = 2
	var centres [][]float64
	var at []float64
	for range 60 {
		centres = append(centres, []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()})
		at = append(at, rng.NormFloat64())
	}
	f := func(x []float64) (y float64) {
		for i, c := range centres {
			y += at[i] * math.Exp(-math.Abs(x[0]-c[0])-math.Abs(x[1]-c[1]))
		}
		return y
	}
	m, _ := auto(t, planted(1, 4000, d, 0.01, f), krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber})
	if name := fmt.Sprint(m.Map().Kernel()); !strings.HasPrefix(name, "laplacian") && !strings.HasPrefix(name, "matern") {
		t.Errorf("kernel %v", m.Map().Kernel())
	}
}

// Small, and steps and arithmetic do not depend on the number of workers.
func TestAutoWorkers(t *testing.T) {
	t.Parallel()
	r := classes(3, 1500, 3, "a", "b", "c")
	var first *krr.Model
	var steps []hook.Step
	for _, workers := range []int{1, 3} {
		e := native()
		e.Workers = workers
		m, report := auto(t, r, krr.AutoSettings{Budget: time.Second / 5, Steps: anyNumber, Fit: krr.Settings{Engine: e, Seed: 4}})
		for i := range krr.StepsOf(report) {
			krr.StepsOf(report)[i].Elapsed = 0
		}
		if first == nil {
			first, steps = m, krr.StepsOf(report)
			continue
		}
		if !models(t, m, first) {
			t.Error("another model")
		}
		if !slices.Equal(steps, krr.StepsOf(report)) {
			t.Errorf("other steps:\n%v\n%v", steps, krr.StepsOf(report))
		}
	}
}

// The report says what was done, within the budget.
func TestAutoReport(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(2*x[0]) * math.Cos(x[1]) }
	train, test := planted(1, 3000, 3, 0.1, f), planted(2, 1000, 3, 0.1, f)
	for _, budget := range []time.Duration{time.Second / 10, time.Second / 4} {
		m, r := auto(t, train, krr.AutoSettings{Budget: budget, Steps: anyNumber})
		var sum time.Duration
		var last float64
		for i, s := range krr.StepsOf(r) {
			sum += s.Estimated
			measured := !strings.HasPrefix(s.Best, "not measured")
			switch {
			case s.Candidates == 0 && s.Why == "", s.Candidates > 0 && (s.Rows == 0 || measured == (s.HeldOut == 0) || s.Features == 0 || s.Estimated == 0 && s.Name != "mean" && s.Name != "trainings" || s.Best == ""):
				t.Errorf("step %d: %+v", i, s)
			case s.Kept != (r.Steps[i].Why == ""):
				t.Errorf("step %d was kept, or does not say why it was not: %+v", i, s)
			case s.Kept:
				last = r.Steps[i].Error
			}
		}
		if krr.SearchOf(r).Estimated > budget || sum > krr.SearchOf(r).Estimated || sum < krr.SearchOf(r).Estimated/4 {
			t.Errorf("budget %v, estimated %v, of which steps %v", budget, krr.SearchOf(r).Estimated, sum)
		}
		if r.Stopped == "" || krr.SearchOf(r).Late || krr.LeastLambda(r) != 1e-12 || r.Train.Rows != 3000 || krr.SearchOf(r).Searched != 3000 || krr.SearchOf(r).Error != last {
			t.Errorf("report %+v", r)
		}
		if _, s := m.Map().Dims(); s != krr.FeaturesOf(r) || m.Info().Provenance["auto"] == "" {
			t.Errorf("%d features, report %d; provenance %q", s, krr.FeaturesOf(r), m.Info().Provenance["auto"])
		}
		// Held-out errors of some 3000 rows have a standard error of 2 %; several were
		// compared, which lowers the least by a few of these.
		if got := relativeRMSE(t, m, test); math.Abs(got/krr.SearchOf(r).Error-1) > 0.15 {
			t.Errorf("test error %.4f, held-out error %.4f", got, krr.SearchOf(r).Error)
		}
	}
	_, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 10, Fit: krr.Settings{Precision: krr.Float32}})
	if krr.LeastLambda(r) != 1e-8 {
		t.Errorf("in float32 λ goes down to %g", krr.LeastLambda(r))
	}
}

// A budget too small for anything still gives a model, and a search that the deadline
// ends gives its result again by its number of steps.
func TestAutoTinyBudget(t *testing.T) {
	t.Parallel()
	r := classes(3, 1500, 3, "a", "b")
	m, report := auto(t, r, krr.AutoSettings{Budget: time.Microsecond})
	if krr.FeaturesOf(report) == 0 || report.HeldOut.Accuracy < 0.7 {
		t.Errorf("%+v, held out %+v", report, report.HeldOut)
	}
	again, _ := auto(t, r, krr.AutoSettings{Budget: time.Microsecond})
	if !models(t, m, again) {
		t.Error("another model")
	}
	slow := krr.AutoSettings{Budget: 20 * time.Millisecond, Deadline: time.Millisecond, Fit: krr.Settings{Progress: func(krr.Progress) { time.Sleep(5 * time.Millisecond) }}}
	m, report = auto(t, r, slow)
	if !krr.SearchOf(report).Late || !strings.Contains(report.Stopped, "deadline") || len(krr.StepsOf(report)) == 0 {
		t.Fatalf("late %v, %d steps: %s", krr.SearchOf(report).Late, len(krr.StepsOf(report)), report.Stopped)
	}
	replays(t, r, slow.Budget, m, report)
	for _, deadline := range []time.Duration{100, 200, 400} {
		m, report = auto(t, r, krr.AutoSettings{Budget: time.Second, Deadline: deadline * time.Millisecond})
		replays(t, r, time.Second, m, report)
	}
	// Without a budget, the first step is no longer than the deadline either.
	m, report = auto(t, r, krr.AutoSettings{Deadline: time.Millisecond})
	replays(t, r, time.Millisecond, m, report)
}

// replays reports an error if the number of steps in a report does not give its model again.
func replays(t *testing.T, r rff.Source, budget time.Duration, m *krr.Model, of *krr.Report) {
	t.Helper()
	again, replayed := auto(t, r, krr.AutoSettings{Budget: budget, Steps: len(krr.StepsOf(of))})
	if !models(t, m, again) || krr.SearchOf(replayed).Late || len(krr.StepsOf(replayed)) != len(krr.StepsOf(of)) {
		t.Errorf("%d steps of %d (%s) give another model", len(krr.StepsOf(replayed)), len(krr.StepsOf(of)), of.Stopped)
	}
}

// Cancelled anywhere in the search, Auto returns the context's error.
func TestAutoCancelled(t *testing.T) {
	t.Parallel()
	r := classes(3, 3000, 3, "a", "b")
	for name, at := range map[string]func(p krr.Progress) bool{
		"at once":         func(krr.Progress) bool { return true },
		"in the search":   func(p krr.Progress) bool { return p.Rows >= 30 || p.Stage != "search" },
		"in the last fit": func(p krr.Progress) bool { return p.Stage != "search" },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		_, _, err := krr.Auto(ctx, r, krr.AutoSettings{Budget: time.Second / 8, Fit: krr.Settings{Progress: func(p krr.Progress) {
			if at(p) {
				cancel()
			}
		}}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// What a search meets in real tables: constant and duplicated columns, inputs of 0
// and 1, rows sorted by class, few rows, fewer rows than features, a constant target.
func TestAutoEdges(t *testing.T) {
	t.Parallel()
	const budget = 50 * time.Millisecond
	kernels := []rff.Stationary{rff.NewGaussian(), rff.NewLaplacian()}

	sorted := classes(3, 600, 4, "a", "b")
	var order []int
	for k := range 2 {
		for i := range sorted.x.Rows {
			if (sorted.y.Row(i)[0] > 0) == (k > 0) {
				order = append(order, i)
			}
		}
	}
	x, y := blas.NewGeneral[float64](600, 6), blas.NewGeneral[float64](600, 1)
	for to, from := range order {
		copy(x.Row(to), sorted.x.Row(from))
		x.Row(to)[4] = 7                     // constant
		x.Row(to)[5] = sorted.x.Row(from)[0] // again
		y.Row(to)[0] = sorted.y.Row(from)[0]
	}
	byClass := &rows{x: x, y: y, classes: []string{"a", "b"}, batch: 100}
	_, report := auto(t, byClass, krr.AutoSettings{Budget: budget, Kernels: kernels})
	if krr.SearchOf(report).Error > 0.2 {
		t.Errorf("sorted by class: %v wrong", krr.SearchOf(report).Error)
	}
	binary := planted(1, 800, 6, 0, func(x []float64) float64 {
		for j := range x {
			x[j] = math.Round(1 / (1 + math.Exp(-x[j])))
		}
		return x[0]*x[1] - x[2]
	})
	if _, report = auto(t, binary, krr.AutoSettings{Budget: budget, Kernels: kernels}); krr.SearchOf(report).Error > 0.05 {
		t.Errorf("0/1 inputs: error %v", krr.SearchOf(report).Error)
	}
	for _, n := range []int{1, 2, 12, 59, 60, 100} {
		if _, report = auto(t, synthetic(1, n, 3, 1, 0), krr.AutoSettings{Budget: budget, Kernels: kernels, Fit: krr.Settings{Lambdas: []float64{1e-3}}}); report.Train.Rows != int64(n) || report.Stopped == "" {
			t.Errorf("%d rows: %+v", n, report)
		}
	}
	if m, _ := auto(t, synthetic(1, 200, 3, 2, 0), krr.AutoSettings{Budget: budget, Kernels: kernels, Features: 512}); m == nil {
		t.Error("fewer rows than features")
	}
	constant := synthetic(1, 500, 3, 1, 0)
	for i := range constant.y.Data {
		constant.y.Data[i] = 3
	}
	m, report := auto(t, constant, krr.AutoSettings{Budget: budget, Kernels: kernels})
	if !strings.Contains(report.Stopped, "same in all rows") || relativeTo(t, m, constant, 3) > 1e-9 {
		t.Errorf("constant target: %s", report.Stopped)
	}
	one := classes(3, 300, 2, "a", "b")
	for i := range one.y.Data {
		one.y.Data[i] = -1
	}
	var class *rff.DegenerateDataError
	if _, _, err := krr.Auto(context.Background(), one, krr.AutoSettings{Budget: budget, Kernels: kernels}); !errors.As(err, &class) {
		t.Errorf("one class: %v", err)
	}
}

func relativeTo(t *testing.T, m *krr.Model, r *rows, want float64) (worst float64) {
	t.Helper()
	var p mat.Dense
	if err := m.Predict(&p, dense(r.x)); err != nil {
		t.Fatal(err)
	}
	for i := range r.x.Rows {
		worst = max(worst, math.Abs(p.At(i, 0)-want))
	}
	return worst
}

// What the search or the fit after it cannot do is refused before the search.
func TestAutoSettingsRefused(t *testing.T) {
	t.Parallel()
	r := synthetic(1, 100, 2, 1, 0.1)
	r.y.Row(3)[0] = -1
	for i, c := range []struct {
		name string
		set  krr.AutoSettings
	}{
		{"search rows", krr.AutoSettings{SearchRows: 5}},
		{"features", krr.AutoSettings{Features: -1}},
		{"steps", krr.AutoSettings{Steps: -1}},
		{"deadline", krr.AutoSettings{Deadline: -1}},
		{"lambda", krr.AutoSettings{Fit: krr.Settings{Lambdas: []float64{-1}}}},
		{"loss", krr.AutoSettings{Fit: krr.Settings{Loss: "logistic"}}},
		{"loss", krr.AutoSettings{Fit: krr.Settings{Loss: "poisson", Uncertainty: "variance"}}},
		{"uncertainty", krr.AutoSettings{Fit: krr.Settings{Uncertainty: "some"}}},
		{"criterion", krr.AutoSettings{Fit: krr.Settings{Criterion: "some"}}},
		{"folds", krr.AutoSettings{Fit: krr.Settings{Folds: 1}}},
		{"passes", krr.AutoSettings{Fit: krr.Settings{Passes: new(krr.Passes), Criterion: krr.GCV}}},
		{"", krr.AutoSettings{Fit: krr.Settings{Loss: "poisson"}}}, // of targets below 0
		{"", krr.AutoSettings{Fit: krr.Settings{Checkpoint: krr.Checkpoint{Path: filepath.Join(t.TempDir(), "no", "folder")}}}},
	} {
		c.set.Fit.Progress = func(p krr.Progress) {
			if p.Stage == "search" {
				t.Errorf("%d, %s: it searches", i, c.name)
			}
		}
		_, _, err := krr.Auto(context.Background(), r, c.set)
		var setting *rff.ParameterError
		var value *rff.ValueError
		if errors.As(err, &value) && value.Row != 3 {
			t.Errorf("%d: row %d is refused", i, value.Row)
		}
		if named := errors.As(err, &setting) && setting.Name == c.name; !named && !(c.name == "" && (errors.As(err, &value) || errors.Is(err, os.ErrNotExist))) {
			t.Errorf("%d, %s: %v", i, c.name, err)
		}
	}
}

// Two columns of twenty matter, and Auto finds them: on new rows it gains at least three
// quarters of what a fit of these two columns alone gains over one of all twenty, by more
// than three standard errors of that difference.
func TestAutoIrrelevantColumns(t *testing.T) {
	t.Parallel()
	f := func(x []float64) float64 { return math.Sin(2*x[3]) + x[3]*x[11] }
	two := func(r *rows) *rows {
		k := &rows{x: blas.NewGeneral[float64](r.x.Rows, 2), y: r.y, batch: r.batch}
		for i := range r.x.Rows {
			k.x.Row(i)[0], k.x.Row(i)[1] = r.x.Row(i)[3], r.x.Row(i)[11]
		}
		return k
	}
	for seed := range seeds(2) {
		train, test := planted(seed+1, 1600, 20, 0.1, f), planted(seed+101, 1000, 20, 0, f)
		m, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 2, Steps: anyNumber, Kernels: []rff.Stationary{rff.NewGaussian(), rff.NewLaplacian()}, Fit: krr.Settings{Seed: seed}})
		unknowing, _ := mustFit(t, gaussianMap(t, seed, 20, 512, 5), train, krr.Settings{}) // 0.8 median distances
		knowing, _ := mustFit(t, gaussianMap(t, seed, 2, 256, 1), two(train), krr.Settings{})
		if krr.SearchOf(r).Learned == "" {
			t.Fatalf("seed %d: nothing learned: %v", seed, krr.StepsOf(r))
		}
		with, without, known := squaredErrors(t, m, test), squaredErrors(t, unknowing, test), squaredErrors(t, knowing, two(test))
		n, mean, ss := float64(len(with)), 0.0, 0.0
		for i := range with {
			mean += ((without[i]+3*known[i])/4 - with[i]) / n
		}
		for i := range with {
			d := (without[i]+3*known[i])/4 - with[i] - mean
			ss += d * d
		}
		if stdErr := math.Sqrt(ss / (n * (n - 1))); !(mean > 3*stdErr) {
			t.Errorf("seed %d: %.3g ± %.2g below what three quarters of the gain leave", seed, mean, stdErr)
		} else {
			t.Logf("seed %d: %.3g ± %.2g below what three quarters of the gain leave", seed, mean, stdErr)
		}
		for j, v := range r.Importance {
			if matters := j == 3 || j == 11; matters != (v > 0.1) {
				t.Errorf("seed %d: importance of input %d is %.3f", seed, j+1, v)
			}
		}
		if text := m.Info().Provenance["importance"]; len(strings.Split(text, ",")) != 20 {
			t.Errorf("seed %d: the model records the importance %q", seed, text)
		}
	}
}

// squaredErrors returns the squared error of every row.
func squaredErrors(t *testing.T, m *krr.Model, r *rows) []float64 {
	t.Helper()
	var p mat.Dense
	if err := m.Predict(&p, dense(r.x)); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, r.x.Rows)
	for i, y := range r.y.Data {
		d := p.At(i, 0) - y
		out[i] = d * d
	}
	return out
}

// Of noise nothing is learned, and more features are no better.
func TestAutoNoise(t *testing.T) {
	t.Parallel()
	for seed := range seeds(3) {
		train := planted(seed, 1500, 5, 1, func([]float64) float64 { return 0 })
		test := planted(seed+10, 1000, 5, 1, func([]float64) float64 { return 0 })
		m, r := auto(t, train, krr.AutoSettings{Budget: time.Second / 4, Steps: anyNumber, Fit: krr.Settings{Seed: seed}})
		// A mean of 1500 rows has an error of 1/1500 of the variance, of 1000 test rows
		// the error has one of 2 %; what little a fit of noise adds is below that.
		if e := relativeRMSE(t, m, test); krr.SearchOf(r).Learned != "" || e > 1.05 {
			t.Errorf("seed %d: relative error %.3f, learned %q", seed, e, krr.SearchOf(r).Learned)
		}
	}
}

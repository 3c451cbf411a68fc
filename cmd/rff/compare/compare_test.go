package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
)

// exact is kernel ridge regression itself, (K + nλI)α = y − ȳ, by gonum's
// Cholesky: independent of features, Gram sums and our factorisation.
func exact(t *testing.T, k rff.Kernel, lambda float64, train, test *dataset.Table) float64 {
	t.Helper()
	n := train.Len()
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, k.Eval(train.X.Row(i), train.X.Row(j)))
		}
		gram.SetSym(i, i, gram.At(i, i)+float64(n)*lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		t.Fatal("the kernel matrix has no factor")
	}
	_, targets := train.Source().Schema().Dims()
	y := mat.NewDense(n, targets, nil)
	mean := make([]float64, targets)
	row := 0
	for b, err := range train.Source().Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Y.Rows {
			for c, v := range b.Y.Row(i) {
				y.Set(row, c, v)
				mean[c] += v / float64(n)
			}
			row++
		}
	}
	y.Apply(func(_, c int, v float64) float64 { return v - mean[c] }, y)
	var alpha mat.Dense
	if err := chol.SolveTo(&alpha, y); err != nil {
		t.Fatal(err)
	}
	f := blas.NewGeneral[float64](test.Len(), targets)
	for i := range test.Len() {
		out := f.Row(i)
		copy(out, mean)
		for j := range n {
			v := k.Eval(test.X.Row(i), train.X.Row(j))
			for c := range out {
				out[c] += v * alpha.At(j, c)
			}
		}
	}
	if test.Coding.Task == dataset.Classification {
		return Accuracy(test, f)
	}
	return Measures(test, f, nil)[fits.RMSE]
}

// On real data, random features must come as near to exact kernel ridge with
// the same kernel, rows and λ as s^-1/2 allows. The test rows are m; accuracies
// of two near classifiers differ by chance with a standard deviation below
// 100·√(p(1−p)·2/m), and with s = 2000 the features' own error adds about as
// much; five of them, and half a point for the bias that features have.
func TestAgainstExactRidge(t *testing.T) {
	dir := require.Data(t)
	all := []struct {
		name      string
		low, high float64 // what is sensible at 1200 rows, from the literature's range
	}{
		{"eeg", 75, 97}, {"magic04", 82, 89}, {"cod-rna", 92, 97.5}, {"adult", 81, 87}, {"cpuact", 1.8, 7.4}, // RMSE: a tenth to four tenths of the standard deviation, 18.4
	}
	for _, set := range all {
		t.Run(set.name, func(t *testing.T) {
			if testing.Short() && set.name == "cod-rna" {
				t.Skip("its 331,152 rows take a while to read")
			}
			data, err := sets.Named(context.Background(), set.name, dir)
			if err != nil {
				t.Fatal(err)
			}
			s := Settings{Samplers: []string{"rff", "orf"}, Features: []int{2000}, Seed: 11, MaxTrain: 1200, MaxTest: 1500}
			r, err := Run(context.Background(), data, s)
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Settings.prepare(context.Background(), data, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := exact(t, p.kernel, r.Cells[0].Lambda, p.train, p.test)
			m := float64(p.test.Len())
			margin := 0.08 * want // regression: relative error of a root mean square over m rows, 5/√(2m), and as much for the features
			if r.Classes > 0 {
				margin = 0.5 + 5*math.Sqrt(want*(100-want)*2/m)
				margin = min(margin, 3)
			}
			for _, row := range r.Rows {
				t.Logf("%s %s: %.2f, exact kernel ridge %.2f, λ %.0e", set.name, row.Sampler, row.Mean, want, row.Lambda)
				if !(math.Abs(row.Mean-want) <= margin) {
					t.Errorf("%s with %s: %.2f, exact kernel ridge has %.2f ± %.2f", set.name, row.Sampler, row.Mean, want, margin)
				}
				if row.Mean < set.low || row.Mean > set.high {
					t.Errorf("%s with %s: %.2f is not between %v and %v", set.name, row.Sampler, row.Mean, set.low, set.high)
				}
			}
		})
	}
}

// Rows that are sorted by class, some of them twice, are divided in random order, since a
// limited number of training rows are the first ones of their part.
func TestSplitIsInRandomOrder(t *testing.T) {
	const n = 400
	x := blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Row(i)[0] = float64(i - i%200%5) // five rows alike
	}
	train, test, err := (&Settings{Test: 0.25}).split(&dataset.Table{X: x}, 3)
	if err != nil || len(train)+len(test) != n {
		t.Fatal(len(train), len(test), err)
	}
	for name, part := range map[string][]int{"training": train, "test": test} {
		low := 0
		for _, i := range part[:len(part)/2] {
			if i < n/2 {
				low++
			}
		}
		// A hypergeometric count, of at least 50 rows: five standard deviations.
		if half := len(part) / 4; math.Abs(float64(low-half)) > 5*math.Sqrt(float64(len(part)))/4 {
			t.Errorf("%s: %d of the first %d rows are of the first class", name, low, len(part)/2)
		}
	}
}

// Scores are the same on any number of workers and in the other order of
// samplers: no cell depends on another.
func TestCellsAreIndependent(t *testing.T) {
	s := Settings{Samplers: []string{"rff", "surrogate", "orf"}, Features: []int{32, 64}, Reps: 2, Seed: 3, MaxTrain: 1500, MaxTest: 500, Engine: rff.Engine{Workers: 1}}
	first, err := Run(context.Background(), dataset.Letter(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Samplers = []string{"orf", "rff", "surrogate"}
	s.Engine.Workers = 2
	second, err := Run(context.Background(), dataset.Letter(), s)
	if err != nil {
		t.Fatal(err)
	}
	find := func(r *Result, c Cell) Cell {
		for _, o := range r.WithoutTimes().Cells {
			if o.Sampler == c.Sampler && o.Features == c.Features && o.Rep == c.Rep {
				return o
			}
		}
		t.Fatalf("no cell %+v", c)
		return Cell{}
	}
	for _, c := range first.WithoutTimes().Cells {
		if other := find(second, c); !reflect.DeepEqual(c, other) {
			t.Errorf("%+v and %+v", c, other)
		}
	}
}

// The title has one input in the singular.
func TestTitle(t *testing.T) {
	if got := (&Result{Data: "a.csv", Inputs: 1}).Title(); !strings.Contains(got, " 1 input,") {
		t.Error(got)
	}
}

// Rows sum up cells: mean and standard deviation by hand.
func TestSummary(t *testing.T) {
	r := &Result{Settings: Settings{Samplers: []string{"a"}, Features: []int{2}}}
	for i, score := range []float64{1, 2, 6} {
		r.Cells = append(r.Cells, Cell{Sampler: "a", Features: 2, Rep: i, Score: score, Lambda: []float64{1e-2, 1e-3, 1e-7}[i], Times: &Times{Train: float64(i), Peak: uint64(i)}})
	}
	r.summarise()
	row := r.Rows[0]
	if math.Abs(row.Lambda/1e-4-1) > 1e-12 { // 10^((−2−3−7)/3)
		t.Errorf("mean λ %v", row.Lambda)
	}
	if row.Mean != 3 || math.Abs(row.SD-math.Sqrt(7)) > 1e-15 || row.Times.Train != 1 || row.Times.Peak != 2 || row.Reps != 3 {
		t.Errorf("%+v", row)
	}
}

// Measures of four rows by hand.
func TestMeasures(t *testing.T) {
	table := &dataset.Table{X: blas.NewGeneral[float64](4, 1), Y: []float64{1, 2, 3, 4}, Coding: dataset.NewCoding(nil)}
	// Errors 1, −1, 0, 0.
	f := blas.General[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{0, 3, 3, 4}}
	same := func(got, want fits.Values) {
		t.Helper()
		for name, v := range want {
			if math.Abs(got[name]-v) > 1e-15 {
				t.Errorf("%s is %v, want %v", name, got[name], v)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	same(Measures(table, f, nil), fits.Values{fits.R2: 1 - 2/5.0, fits.RMSE: math.Sqrt(0.5), fits.MAE: 0.5, fits.Spread: math.Sqrt(1.25)})
	table.Y = []float64{2, 2, 2, 2} // nothing to explain
	same(Measures(table, f, nil), fits.Values{fits.RMSE: math.Sqrt(2.5), fits.MAE: 1.5, fits.Spread: 0})
	table.Coding, table.Y = dataset.NewCoding([]string{"u", "v"}), []float64{0, 1, 1, 0}
	f.Data = []float64{-1, 0, -1, -2}
	if got := Accuracy(table, f); got != 75 {
		t.Errorf("%v %%, want 75", got)
	}
	// Of u both rows are named right, of v one; three of the four pairs are in order, one ties.
	same(Measures(table, f, nil), fits.Values{fits.Accuracy: 0.75, fits.Guess: 0.5, fits.Balanced: 0.75, fits.LeastRecall: 0.5, fits.AUC: 3.5 / 4,
		fits.Recall("u"): 1, fits.Recall("v"): 0.5})
	// The weights decide how much a row adds to the score.
	table.Weights = []float64{1, 2, 5, 0}
	if got := losses(table, f, nil, nil); !slices.Equal(got, []float64{50, 100, 0, 0}) {
		t.Errorf("losses %v", got)
	}
}

func TestBandwidthRules(t *testing.T) {
	ctx := context.Background()
	table := dataset.Letter().Head(1200)
	table = table.Scaled(dataset.FitScaling(dataset.Standard, table.X))
	fit := krr.Settings{}
	found := map[string]rff.Kernel{} // by kernel and rule
	for spec, rules := range map[string][]Bandwidth{
		"gaussian": {Median, Neighbour, CrossValidated}, "laplacian": {Median}, "matern:nu=0.5": {Median}, "cauchy": {CrossValidated},
	} {
		for _, rule := range rules {
			k, err := FindKernel(ctx, spec, rule, table, fit, 1)
			if err != nil {
				t.Errorf("%s by %v: %v", spec, rule, err)
				continue
			}
			found[fmt.Sprint(spec, rule)] = k
			// A sensible bandwidth makes neither all rows alike nor all unlike.
			var mean float64
			for i := 1; i < 400; i++ {
				mean += k.Eval(table.X.Row(i-1), table.X.Row(i)) / 399
			}
			if mean < 0.005 || mean > 0.9 {
				t.Errorf("%s by %v: %v has mean value %v", spec, rule, k, mean)
			}
		}
	}
	number := func(spec string, rule Bandwidth) float64 {
		t.Helper()
		k := found[fmt.Sprint(spec, rule)]
		if k == nil {
			t.Fatalf("%s by %v was not searched", spec, rule)
		}
		_, text, _ := strings.Cut(kernelText(k), "=")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	median := number("gaussian", Median)
	// ℓ₁ distances of 16 normal differences are √(2·16/π) Euclidean ones.
	if got, want := number("laplacian", Median), median*math.Sqrt(32/math.Pi); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the Laplacian kernel's bandwidth is %v, want %v", got, want)
	}
	// The letters want a narrower kernel, at one of the multiples 2^(k/2).
	if r := number("gaussian", CrossValidated) / median; !(r < 1 && r >= math.Exp2(-3.5)) || math.Abs(2*math.Log2(r)-math.Round(2*math.Log2(r))) > 1e-9 {
		t.Errorf("the cross-validated bandwidth is %v medians", r)
	}
	if k, err := FindKernel(ctx, "gaussian:sigma=3", CrossValidated, table, fit, 1); err != nil || !reflect.DeepEqual(k, rff.Kernel(rff.NewGaussian(3))) {
		t.Errorf("a given bandwidth becomes %v, %v", k, err)
	}
	if k, err := FindKernel(ctx, "linear", Median, table, fit, 1); err != nil || k != (rff.NewLinear()) {
		t.Errorf("the linear kernel, which has no bandwidth, becomes %v, %v", k, err)
	}
}

// Wrong settings end the run; a sampler that does not fit the kernel does not.
func TestFailures(t *testing.T) {
	ctx := context.Background()
	small := Settings{Features: []int{16}, MaxTrain: 300, MaxTest: 100, Seed: 1}
	s := small
	s.Samplers, s.Features = []string{"rff"}, []int{15}
	var wrong *rff.ParameterError
	if _, err := Run(ctx, dataset.Letter(), s); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "rff with 15 features") {
		t.Errorf("odd features: %v", err)
	}
	s = small
	s.Samplers, s.Kernel = []string{"orf", "rff"}, "laplacian"
	r, err := Run(ctx, dataset.Letter(), s)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Failures(); len(f) != 1 || !strings.HasPrefix(f[0], "orf, 16 features: ") || r.Rows[1].Reps != 1 {
		t.Errorf("orf on a product kernel: %q", f)
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "not done: orf") {
		t.Errorf("%v in\n%s", err, b.String())
	}
	if err := r.WriteJSON(&b); err != nil {
		t.Errorf("JSON: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Run(cancelled, dataset.Letter(), s); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Of a training part of the set's own a limited number of rows is drawn, by every repetition
// anew, and no rows of its test part: those at the top may be of one class.
func TestOwnTrainingPartIsInRandomOrder(t *testing.T) {
	const train, test, most = 400, 200, 60
	data := &dataset.Table{Name: "sorted", X: blas.NewGeneral[float64](train+test, 1), Coding: dataset.NewCoding([]string{"a", "b"}), Train: train}
	for i := range train + test {
		data.X.Row(i)[0] = float64(i)
		data.Y = append(data.Y, float64(i/(train/2)%2))
	}
	var before []int
	for rep := range 3 {
		s := Settings{MaxTrain: most, MaxTest: most, Scale: dataset.Unscaled, Kernel: "gaussian:sigma=1"}
		p, err := s.prepare(t.Context(), data, rep)
		if err != nil {
			t.Fatal(err)
		}
		second := 0
		for i, at := range p.rows {
			if at >= train || p.train.X.Row(i)[0] != float64(at) {
				t.Fatalf("row %d is among those to train on, or not as it was", at)
			}
			second += at / (train / 2)
		}
		for i := range p.test.Len() {
			if p.test.X.Row(i)[0] < train {
				t.Fatalf("row %v is among those to test on", p.test.X.Row(i)[0])
			}
		}
		// 30 ± 3.6 of 60 rows without replacement.
		if len(p.rows) != most || p.test.Len() != most || second < 12 || second > 48 || slices.Equal(p.rows, before) {
			t.Errorf("repetition %d: %d rows, %d of the second class, as before: %v", rep, len(p.rows), second, slices.Equal(p.rows, before))
		}
		before = p.rows
	}
}

// Rows of a group stay on one side of a division, whatever their inputs; a word that no
// training row has is none of the words of a test row.
func TestDivisionOfGroupsAndWords(t *testing.T) {
	text := []byte("job,a,g,y\n")
	for i := range 120 {
		job := []string{"cook", "nurse"}[i%2]
		if i/4 == 5 {
			job = "baker" // of one group
		}
		text = fmt.Appendf(text, "%s,%d.5,%d,%d.25\n", job, i, i/4, i%7)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Read(t.Context(), dataset.Options{Label: "y", Groups: "g", Task: dataset.Regression}, path)
	if err != nil {
		t.Fatal(err)
	}
	baker := slices.Index(data.Source().Schema().InputNames(), "job=baker")
	held := 0
	for rep := range 12 {
		s := Settings{Scale: dataset.Unscaled, Kernel: "gaussian:sigma=1", Test: 0.25}
		p, err := s.prepare(t.Context(), data, rep)
		if err != nil {
			t.Fatal(err)
		}
		groups := map[uint64]bool{}
		for _, i := range p.rows {
			groups[data.Groups[i]] = true
		}
		for i := range p.test.Len() {
			if groups[p.test.Groups[i]] {
				t.Fatalf("repetition %d: rows of group %d are on both sides", rep, p.test.Groups[i])
			}
			if p.test.X.Row(i)[baker] != 0 {
				t.Fatalf("repetition %d: a test row has a word that no training row has", rep)
			}
		}
		if p.test.Len() > 0 && !slices.ContainsFunc(column(p.train.X, baker), func(v float64) bool { return v != 0 }) {
			held++
		}
	}
	if held == 0 {
		t.Error("the word is among the training rows of all repetitions: they show nothing")
	}
}

// With another loss the score is its mean over the test rows, by hand: of errors 1, −1 and
// 0.1 with huber:0.5, and of counts 2 and 0 whose means are predicted as 1 and 3.
func TestLosses(t *testing.T) {
	table := &dataset.Table{X: blas.NewGeneral[float64](3, 1), Y: []float64{1, 2, 3}, Coding: dataset.NewCoding(nil)}
	f := blas.General[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{0, 3, 2.9}}
	for _, c := range []struct {
		loss string
		y, f []float64
		want []float64
	}{
		{"huber:0.5", []float64{1, 2, 3}, []float64{0, 3, 2.9}, []float64{0.75, 0.75, 0.01}},
		{"expectile:0.75", []float64{1, 2, 3}, []float64{0, 3, 3}, []float64{1.5, 0.5, 0}},
		{"poisson", []float64{2, 0, 4}, []float64{1, 3, 4}, []float64{1 - 2 + 2*math.Log(2), 3, 0}},
	} {
		s := Settings{Loss: c.loss}
		table.Y, f.Data = c.y, c.f
		for i, v := range losses(table, f, nil, s.ownLoss()) {
			if math.Abs(v-c.want[i]) > 1e-14 {
				t.Errorf("%s: loss %d is %g, want %g", c.loss, i, v, c.want[i])
			}
		}
	}
	s := Settings{Samplers: []string{"rff", "orf"}, Features: []int{16}, Reps: 2, MaxTrain: 300, MaxTest: 200, Loss: "huber:0.5"}
	line := &dataset.Table{Name: "line", X: blas.NewGeneral[float64](600, 1), Coding: dataset.NewCoding(nil)}
	for i := range line.X.Rows {
		line.X.Row(i)[0] = float64(i) / 100
		line.Y = append(line.Y, math.Sin(float64(i)/100)+float64(i%7))
	}
	r, err := Run(t.Context(), line, s)
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Rows[0]; !(row.Mean > 0) || row.Mean != row.Measures[fits.Loss] || r.ScoreName() != "huber:0.5" || r.HigherIsBetter() {
		t.Errorf("%+v", row)
	}
}

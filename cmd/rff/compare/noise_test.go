package compare

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/dataset"
)

// Student's t against gonum, which has it from the incomplete beta function.
func TestBothTails(t *testing.T) {
	for _, df := range []int{1, 2, 3, 4, 5, 9, 29, 300, 9999} {
		law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}
		for _, x := range []float64{0, 0.1, 0.7, 1, 1.96, -2.5, 4, 9, 40} {
			want := 2 * law.Survival(math.Abs(x))
			if got := bothTails(x, df); math.Abs(got-want) > 1e-6*want+1e-13 {
				t.Errorf("t = %v, df = %d: %v, gonum has %v", x, df, got, want)
			}
		}
	}
	for p, want := range map[float64]float64{0: 0, 1: 1, 0.123456: 0.123, 0.00098765: 0.000988, 4.5678e-12: 4.57e-12} {
		if got := ThreeDigits(p); math.Abs(got-want) > 1e-15*want {
			t.Errorf("%v becomes %v, want %v", p, got, want)
		}
	}
}

// result makes a finished comparison of scores[sampler][rep] at one number of features.
func result(classes int, divided bool, scores map[string][]float64, samplers ...string) *Result {
	r := &Result{Settings: Settings{Samplers: samplers, Features: []int{8}, Reps: len(scores[samplers[0]])}, Classes: classes, Divided: divided, Train: 300, Test: 100}
	for rep := range r.Settings.Reps {
		for _, m := range samplers {
			c := Cell{Sampler: m, Features: 8, Rep: rep, Score: scores[m][rep], Lambda: 1e-3}
			if classes == 0 {
				c.Measures = fits.Values{fits.RMSE: c.Score, fits.MAE: c.Score / 2, fits.R2: 1 - c.Score}
			}
			r.Cells = append(r.Cells, c)
		}
	}
	r.Planned = len(r.Cells)
	r.summarise()
	r.compareWithFirst()
	return r
}

// The p value, the correction and Holm's procedure by hand.
func TestMarks(t *testing.T) {
	scores := map[string][]float64{
		"a": {80, 82, 81, 83, 79},
		"b": {84.9, 87.1, 86, 88.1, 83.9},   // 5 ± 0.1 above
		"c": {80.5, 81.5, 81.2, 82.8, 79.1}, // the same but for noise
		"d": {77, 79.1, 78, 79.9, 76.1},     // 3 ± 0.1 below
	}
	r := result(2, true, scores, "a", "b", "c", "d")
	want := []string{"", "better", "", "worse"}
	for i, row := range r.Rows {
		if mark(&row) != want[i] || (row.Versus == nil) != (i == 0) {
			t.Errorf("%s is marked %q, want %q: %+v", row.Sampler, mark(&row), want[i], row.Versus)
		}
	}
	if r.Tested != 3 {
		t.Errorf("%d differences tested", r.Tested)
	}
	// b: differences 4.9, 5.1, 5, 5.1, 4.9: mean 5, s = 0.1; √(1/5 + 1/3)·0.1.
	p := 2 * distuv.StudentsT{Sigma: 1, Nu: 4}.Survival(5/(0.1*math.Sqrt(1.0/5+1.0/3)))
	if v := r.Rows[1].Versus; math.Abs(v.Mean-5) > 1e-12 || math.Abs(v.P-p) > 6e-3*p {
		t.Errorf("mean %v, p = %v, want 5 and %v", v.Mean, v.P, p)
	}
	// Errors: lower is better.
	r = result(0, true, scores, "a", "b", "c", "d")
	want = []string{"", "worse", "", "better"}
	for i, row := range r.Rows {
		if mark(&row) != want[i] {
			t.Errorf("errors of %s are marked %q, want %q", row.Sampler, mark(&row), want[i])
		}
	}
	// p = 0.03 and 0.04 are below 0.05, but not below 0.05/2, so Holm marks none;
	// with a third of 0.01 > 0.05/3 … 0.05/3 = 0.0167 ≥ 0.01, then 0.03 > 0.025.
	mk := func(ps ...float64) []string {
		r := &Result{Settings: Settings{Samplers: []string{"a"}}, Classes: 2}
		for i, p := range ps {
			// Two repetitions, t with one degree of freedom: p = 1 − (2/π)·atan t.
			m := fmt.Sprint("m", i)
			x := math.Tan(math.Pi / 2 * (1 - p)) // t
			d := []float64{1 + 1/x, 1 - 1/x}     // mean 1, sd √2/x, √(1/2)·sd = 1/x
			r.Settings.Samplers = append(r.Settings.Samplers, m)
			for rep, v := range d {
				r.Cells = append(r.Cells, Cell{Sampler: m, Features: 8, Rep: rep, Score: v, Lambda: 1})
			}
		}
		r.Cells = append(r.Cells, Cell{Sampler: "a", Features: 8, Rep: 0, Lambda: 1}, Cell{Sampler: "a", Features: 8, Rep: 1, Lambda: 1})
		r.Settings.Features = []int{8}
		r.summarise()
		r.compareWithFirst()
		var out []string
		for i := range r.Rows[1:] {
			out = append(out, mark(&r.Rows[i+1]))
		}
		return out
	}
	if got := mk(0.03, 0.04); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("Holm with 0.03, 0.04: %q", got)
	}
	if got := mk(0.04); !slices.Equal(got, []string{"better"}) {
		t.Errorf("alone 0.04: %q", got)
	}
	if got := mk(0.03, 0.01, 0.04); !slices.Equal(got, []string{"", "better", ""}) {
		t.Errorf("Holm with 0.03, 0.01, 0.04: %q", got)
	}
	if got := mk(0.024, 0.01, 0.04); !slices.Equal(got, []string{"better", "better", "better"}) {
		t.Errorf("Holm with 0.024, 0.01, 0.04: %q", got)
	}
}

// Where there is no difference, hardly a table has a mark: of 400 with 15
// comparisons each, at most five per cent, that is 20 ± 4.4.
func TestMarksOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	marked := 0
	for range 400 {
		samplers, scores := []string{"a"}, map[string][]float64{}
		for i := range 15 {
			samplers = append(samplers, fmt.Sprint(i))
		}
		for _, m := range samplers {
			for range 5 {
				scores[m] = append(scores[m], 80+rng.NormFloat64())
			}
		}
		r := result(2, false, scores, samplers...)
		if slices.ContainsFunc(r.Rows, func(row Row) bool { return mark(&row) != "" }) {
			marked++
		}
	}
	if marked > 33 { // three standard deviations
		t.Errorf("%d of 400 tables without a difference have marks", marked)
	}
}

// On a fixed test part the luck with its rows counts: the variance by hand.
func TestRowNoise(t *testing.T) {
	r := &Result{Classes: 2, Settings: Settings{Samplers: []string{"a", "b"}, Features: []int{8}}}
	r.Cells = []Cell{{Sampler: "a", Features: 8, losses: []float64{100, 0, 100, 0}}, {Sampler: "b", Features: 8, losses: []float64{100, 100, 100, 0}}}
	r.measureRows(0)
	// d = 0, 100, 0, 0: mean 25, variance 7500/3, over 4 rows.
	if got := r.rowNoise[cellKey{"b", 8, 0}]; math.Abs(got-2500.0/4) > 1e-9 {
		t.Errorf("variance %v, want %v", got, 2500.0/4)
	}
	if r.Cells[1].losses != nil {
		t.Error("the losses are kept")
	}
	// √MSE: losses 1, 4 and 4, 16: RMSE √2.5 and √10.
	r = &Result{Settings: Settings{Samplers: []string{"a", "b"}, Features: []int{8}}}
	r.Cells = []Cell{{Sampler: "a", Features: 8, Score: math.Sqrt(2.5), losses: []float64{1, 4}},
		{Sampler: "b", Features: 8, Score: math.Sqrt(10), losses: []float64{4, 16}}}
	r.measureRows(0)
	unit := math.Sqrt(2.5) + math.Sqrt(10)
	if got, want := r.rowNoise[cellKey{"b", 8, 0}], (9*9/2.0)/(unit*unit)/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance %v, want %v", got, want)
	}
	d := Paired([]float64{1, 3}, 0, 7)
	// mean 2, s² = 2, 2/2 + 7 = 8: t = 2/√8 with one degree of freedom.
	if want := 1 - 2/math.Pi*math.Atan(2/math.Sqrt(8)); math.Abs(d.P-want) > 1e-3 {
		t.Errorf("p = %v, want %v", d.P, want)
	}
	// Differences that are equal but for rounding say nothing about noise.
	if d := Paired([]float64{0.1 + 0.2, 0.3}, 0, 0); d.P != 1 {
		t.Errorf("equal differences have p = %v", d.P)
	}
}

// wave is a regression in one input whose noise has standard deviation 0.1.
func wave(n int) *dataset.Table {
	rng := rand.New(rand.NewPCG(7, 7))
	t := &dataset.Table{Name: "wave", Inputs: []string{"x"}, Target: "height", X: blas.NewGeneral[float64](n, 1), Coding: dataset.NewCoding(nil)}
	for i := range n {
		x := 6 * rng.Float64()
		t.X.Row(i)[0] = x
		t.Y = append(t.Y, 50+10*math.Sin(x)+0.1*rng.NormFloat64())
	}
	return t
}

// A regression is measured in the unit of its target, the same in every form.
func TestRegressionMeasures(t *testing.T) {
	r, err := Run(context.Background(), wave(600), Settings{Samplers: []string{"rff", "orf"}, Features: []int{32}, Reps: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if m := row.Measures; m[fits.RMSE] < 0.08 || m[fits.RMSE] > 0.2 || m[fits.MAE] > m[fits.RMSE] || m[fits.MAE] < 0.05 || m[fits.R2] < 0.999 || m[fits.R2] > 1 || row.Mean != m[fits.RMSE] {
			t.Errorf("%s: %+v", row.Sampler, m)
		}
	}
	var table, text, raw strings.Builder
	if r.WriteTable(&table) != nil || r.WriteCSV(&text) != nil || r.WriteJSON(&raw) != nil {
		t.Fatal("cannot write")
	}
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var j struct {
		Score, Target string
		Rows          []struct{ Measures, SDs fits.Values }
	}
	if err := json.Unmarshal([]byte(raw.String()), &j); err != nil || j.Score != "RMSE" || j.Target != "height" {
		t.Fatalf("%v, %+v", err, j)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, m := range r.Measures() {
			if !strings.Contains(table.String(), m.Text(row)) {
				t.Errorf("the table has no %q:\n%s", m.Text(row), table.String())
			}
			for name, v := range map[string]float64{m.Key: row.Measures[m.Key], m.Key + "_sd": row.SDs[m.Key]} {
				if got := lines[i+1][slices.Index(lines[0], name)]; got != fmt.Sprint(v) {
					t.Errorf("%s is %s in the CSV, %v in the result", name, got, v)
				}
			}
			if j.Rows[i].Measures[m.Key] != row.Measures[m.Key] || j.Rows[i].SDs[m.Key] != row.SDs[m.Key] {
				t.Errorf("JSON has %+v, the result %+v", j.Rows[i], row)
			}
			var values []float64 // of the cells
			for _, c := range r.Cells {
				if c.Sampler == row.Sampler {
					values = append(values, c.Measures[m.Key])
				}
			}
			if math.Abs((values[0]+values[1])/2-row.Measures[m.Key]) > 1e-12 || math.Abs(math.Abs(values[0]-values[1])/math.Sqrt2-row.SDs[m.Key]) > 1e-12 {
				t.Errorf("%s: %s %v ± %v, the cells have %v", row.Sampler, m.Name, row.Measures[m.Key], row.SDs[m.Key], values)
			}
		}
	}
	if !strings.Contains(table.String(), "in the unit of height") || !strings.Contains(table.String(), "regression of height") {
		t.Errorf("the table does not say what is measured:\n%s", table.String())
	}
}

// The set's own division is kept, and predictions stay within the range of the
// training targets: a line that goes on beyond it is cut at its end.
func TestOwnTestPart(t *testing.T) {
	const train, test = 300, 100
	table := &dataset.Table{Name: "line", Inputs: []string{"x"}, Target: "y", X: blas.NewGeneral[float64](train+test, 1), Coding: dataset.NewCoding(nil), Train: train}
	want := 0.0
	for i := range train + test {
		v := float64(i) / train
		table.X.Row(i)[0] = v
		table.Y = append(table.Y, v)
		if top := float64(train-1) / train; i >= train {
			want += (v - top) * (v - top) / test
		}
	}
	r, err := Run(context.Background(), table, Settings{Samplers: []string{"rff"}, Features: []int{32}, Kernel: "gaussian:sigma=4", Lambda: 1e-8, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Train != train || r.Test != test || r.Divided {
		t.Errorf("%d training and %d test rows, divided %v", r.Train, r.Test, r.Divided)
	}
	if got := r.Rows[0].Measures[fits.RMSE]; math.Abs(got-math.Sqrt(want)) > 1e-9 {
		t.Errorf("RMSE %v, of the last training target %v", got, math.Sqrt(want))
	}
}

// Rows that repeat stay together, so that the parts differ between repetitions: a comparison says
// the mean of their sizes, and its tests go by that.
func TestUnevenDivisions(t *testing.T) {
	const n = 200
	table := &dataset.Table{Name: "repeats", Inputs: []string{"x"}, Target: "y", X: blas.NewGeneral[float64](n, 1), Coding: dataset.NewCoding(nil)}
	for i := range n {
		v := math.Floor(math.Sqrt(float64(i))) // 1, 3, 5 … rows repeat
		table.X.Row(i)[0] = v
		table.Y = append(table.Y, v+float64(i%3))
	}
	r, err := Run(context.Background(), table, Settings{Samplers: []string{"rff"}, Features: []int{8}, Kernel: "gaussian:sigma=40", Lambda: 1e-3, Seed: 1, Reps: 6})
	if err != nil {
		t.Fatal(err)
	}
	tested := map[int]bool{}
	sum := 0
	for _, d := range r.divisions {
		tested[d[1]] = true
		sum += d[1]
		if d[0]+d[1] != n {
			t.Errorf("%v of %d rows", d, n)
		}
	}
	if len(tested) < 2 {
		t.Fatal("all repetitions divide the rows alike: they show nothing")
	}
	want := fmt.Sprintf("a mean of %d training and %d test rows", r.Train, r.Test)
	if math.Abs(float64(r.Test)-float64(sum)/6) > .5 || r.Train+r.Test != n || !strings.Contains(r.Title(), want) {
		t.Errorf("%v: %q", r.divisions, r.Title())
	}
}

// The order of the samplers rotates, after a fit that is not counted; the result
// has the order of the settings.
func TestOrder(t *testing.T) {
	var said []string
	s := Settings{Samplers: []string{"rff", "orf", "sobol"}, Features: []int{8, 16}, Reps: 2, Seed: 1, MaxTrain: 200, MaxTest: 50}
	s.Progress = func(done, total int, what string) { said = append(said, fmt.Sprintf("%d/%d %s", done, total, what)) }
	r, err := Run(context.Background(), dataset.Letter(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Train != 200 || r.Test != 50 {
		t.Errorf("%d training and %d test rows, at most 200 and 50 were asked for", r.Train, r.Test)
	}
	want := []string{"0/12 warming up"}
	for rep, order := range [][]string{{"rff", "orf", "sobol"}, {"orf", "sobol", "rff"}} {
		for _, m := range order {
			for _, f := range s.Features {
				want = append(want, fmt.Sprintf("%d/12 %s, %d features, repetition %d of 2", len(want)-1, m, f, rep+1))
			}
		}
	}
	if want = append(want, "12/12 done"); !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	i := 0
	for rep := range 2 {
		for _, m := range s.Samplers {
			for _, f := range s.Features {
				if c := r.Cells[i]; c.Sampler != m || c.Features != f || c.Rep != rep || c.Times == nil {
					t.Errorf("cell %d is %s, %d, %d", i, c.Sampler, c.Features, c.Rep)
				}
				i++
			}
		}
	}
	said, s.Untimed = nil, true
	untimed, err := Run(context.Background(), dataset.Letter(), s)
	if err != nil || said[0] != "0/12 rff, 8 features, repetition 1 of 2" {
		t.Errorf("%v, %q", err, said)
	}
	if !reflect.DeepEqual(untimed.Cells, r.WithoutTimes().Cells) || untimed.Timed() {
		t.Error("without the first fit the scores are others, or there are times")
	}
}

// The cells done before an interrupt are not lost.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	s := Settings{Samplers: []string{"rff", "orf"}, Features: []int{8, 16}, Reps: 3, Seed: 1, MaxTrain: 200, MaxTest: 50}
	s.Progress = func(done, _ int, _ string) {
		if done == 5 {
			cancel(why)
		}
	}
	r, err := Run(ctx, dataset.Letter(), s)
	if !errors.Is(err, why) || r == nil || len(r.Cells) != 5 || r.Planned != 12 || r.Complete() {
		t.Fatalf("%v, %+v", err, r)
	}
	if len(r.Rows) != 4 || r.Rows[0].Reps+r.Rows[1].Reps+r.Rows[2].Reps+r.Rows[3].Reps != 5 {
		t.Errorf("%+v", r.Rows)
	}
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"complete": false`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// The same twice is refused, and a kernel that does not bear on a sampler is said.
func TestTwiceAndOwnKernels(t *testing.T) {
	ctx := context.Background()
	small := Settings{Samplers: []string{"rff", "arccos"}, Features: []int{16}, MaxTrain: 300, MaxTest: 100, Seed: 1}
	for _, c := range []struct {
		samplers []string
		features []int
	}{{[]string{"rff", "orf", "rff"}, []int{16}}, {[]string{"rff", "rff:form=pair"}, []int{16}}, {[]string{"rff"}, []int{16, 32, 16}}} {
		s := small
		s.Samplers, s.Features = c.samplers, c.features
		var wrong *rff.ParameterError
		if _, err := Run(ctx, dataset.Letter(), s); !errors.As(err, &wrong) {
			t.Errorf("%q with %v: %v", c.samplers, c.features, err)
		}
	}
	r, err := Run(ctx, dataset.Letter(), small)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 2 || !strings.HasPrefix(r.Notes[0], "arccos has a kernel of its own, arccos:order=1") {
		t.Errorf("notes %q", r.Notes)
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "note: arccos has a kernel of its own") {
		t.Errorf("%v in\n%s", err, b.String())
	}
}

// The digest sees every number and name.
func TestDigest(t *testing.T) {
	base := Digest(wave(1000))
	if len(base) != 64 || Digest(wave(1000)) != base {
		t.Error("the digest is not one")
	}
	changed := map[string]func(*dataset.Table){
		"input":  func(t *dataset.Table) { t.X.Row(999)[0] = math.Nextafter(t.X.Row(999)[0], 9) },
		"target": func(t *dataset.Table) { t.Y[999]++ },
		"name":   func(t *dataset.Table) { t.Inputs = []string{"z"} },
		"label":  func(t *dataset.Table) { t.Target = "z" },
	}
	for what, change := range changed {
		table := wave(1000)
		change(table)
		if Digest(table) == base {
			t.Errorf("another %s has the same digest", what)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		mean, sd float64
		reps     int
		want     string
	}{
		{11.4321, 1.0312, 5, "11.4 ± 1.0"}, {0.94933, 0.00974, 5, "0.9493 ± 0.0097"}, {523.4, 37.2, 3, "523 ± 37"}, {-0.02, 1.5, 2, "-0.0 ± 1.5"},
		{1234567, 8910, 2, "1.235e+06 ± 8.9e+03"}, {2e-7, 1e-8, 2, "2e-07 ± 1e-08"}, {3.25, 0, 2, "3.25 ± 0"}, {3.14159, 0, 1, "3.142"},
	} {
		if got := Spread(c.mean, c.sd, c.reps); got != c.want {
			t.Errorf("%v and %v are written %s, want %s", c.mean, c.sd, got, c.want)
		}
	}
}

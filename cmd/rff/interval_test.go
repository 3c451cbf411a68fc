package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// Intervals and sets are those of the model, and --score says how often they hold.
func TestPrintedIntervals(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "slope.csv", slope(300, 0, 2))
	lines := strings.SplitAfter(strings.ReplaceAll(string(moons(300, 2)), "down", "=down"), "\n")
	for i := 1; i < len(lines)-1; i += 7 { // labels that inputs do not tell
		lines[i] = strings.ReplaceAll(lines[i], "up", "=down")
	}
	save(t, dir, "moons.csv", []byte(strings.Join(lines, "")))
	for _, label := range []string{"y", "kind"} {
		data, level := map[string]string{"y": "slope.csv", "kind": "moons.csv"}[label], map[string]string{"y": "90%", "kind": "0.98"}[label]
		must(t, dir, "fit", "--data", data, "--features", "32", "--sigma", "1.5", "--interval", "--model", "m")
		r := invoke(t, dir, "predict", "--model", "m", "--data", data, "--score", "--interval", level, "--output", "p.csv")
		if r.status != 0 {
			t.Fatal(r.errors)
		}
		header, rows := records(t, dir, "p.csv")
		m, err := krr.Load(filepath.Join(dir, "m"))
		if err != nil {
			t.Fatal(err)
		}
		_, truth := records(t, dir, data)
		x := mat.NewDense(len(truth), 2, nil)
		for i, row := range truth {
			x.SetRow(i, []float64{parse(t, row[0]), parse(t, row[1])})
		}
		inside, several := 0, false
		if label == "y" {
			var low, high mat.Dense
			if err := m.Interval(&low, &high, x, 0.9); err != nil || !slices.Equal(header, []string{"predicted", "low", "high"}) {
				t.Fatal(header, err)
			}
			for i, row := range rows {
				a, b, y := parse(t, row[1]), parse(t, row[2]), parse(t, truth[i][2])
				if d := max(math.Abs(a-low.At(i, 0)), math.Abs(b-high.At(i, 0))); d > 1e-9 || parse(t, row[0]) < a || parse(t, row[0]) > b {
					t.Errorf("row %d: %s in [%g, %g], the model says [%g, %g]", i+1, row[0], a, b, low.At(i, 0), high.At(i, 0))
				}
				if a <= y && y <= b {
					inside++
				}
			}
		} else {
			sets, err := m.LabelSets(x, 0.98)
			if err != nil || !slices.Equal(header, []string{"predicted", "set"}) {
				t.Fatal(header, err)
			}
			for i, row := range rows {
				several = several || len(sets[i]) == 2
				// A label that a spreadsheet would take for a formula has an apostrophe.
				if want := strings.ReplaceAll(strings.Join(sets[i], "|"), "=", "'="); row[1] != want {
					t.Errorf("row %d: set %q, the model says %q", i+1, row[1], want)
				}
				if slices.Contains(sets[i], truth[i][2]) {
					inside++
				}
			}
			if !several {
				t.Error("no set has both labels: the data are no test")
			}
		}
		if want := fmt.Sprintf("hold %.2f %%", 100*float64(inside)/float64(len(rows))); !strings.Contains(r.errors, want) {
			t.Errorf("%q lacks %q", r.errors, want)
		}
		must(t, dir, "predict", "--model", "m", "--data", data, "--interval", level, "--output", "p.parquet")
		if got := load(t, dir, "p.parquet"); !bytes.Contains(got, []byte(header[1])) {
			t.Errorf("p.parquet has no column %s", header[1])
		}
		if shown := must(t, dir, "show", "m"); !strings.Contains(shown, "intervals") {
			t.Errorf("rff show says nothing of intervals: %s", shown)
		}
		refused(t, "predict --model "+filepath.Join(dir, "m")+" --data "+filepath.Join(dir, data)+" --interval 99.9%", "--interval", "takes 999 rows", "has 300")
	}
	must(t, dir, "fit", "--data", "slope.csv", "--features", "16", "--sigma", "1.5", "--lambda", "1e-3", "--model", "bare")
	refused(t, "predict --model "+filepath.Join(dir, "bare")+" --data "+filepath.Join(dir, "slope.csv")+" --interval 90%", "--interval", "rff fit --interval")
}

// Rows count by their weights in what is said of sets.
func TestHoldingOfWeights(t *testing.T) {
	s, h := &spans{sets: [][]string{{"a"}, nil, {"a", "b"}}}, holding{}
	for i, w := range []float64{1, 3, 4} {
		h.add(s, i, []string{"a", "b"}, 1, w)
	}
	var said string
	h.tell(func(format string, a ...any) { said = fmt.Sprintf(format, a...) }, 0.9, true)
	if want := "sets of 90 % hold 50.00 % of the labels; they have 1.12 labels on average, and 37.50 % have none"; said != want {
		t.Errorf("%q", said)
	}
}

// With --interval-by the groups of a column have intervals of their own, and are told one by
// one; a group that the fit has hardly a row of has no ends.
func TestIntervalsByGroup(t *testing.T) {
	t.Chdir(t.TempDir())
	text := []byte("a,crowd,y\n")
	for i := range 603 {
		noise, crowd := 0.01, "calm"
		if i%2 > 0 {
			noise, crowd = 1, "wild"
		}
		if i >= 600 {
			crowd = "rare"
		}
		text = fmt.Appendf(text, "%g,%s,%g\n", float64(i%97)/20, crowd, math.Sin(float64(i%97)/20)+noise*math.Sin(float64(i*i)))
	}
	save(t, ".", "d.csv", text)
	ok(t, "fit --data d.csv --label y --features 32 --interval --interval-by crowd --model m")
	r := ok(t, "predict --model m --data d.csv --score --interval 90% --output p.csv")
	for _, want := range []string{"in the groups of crowd they hold calm 9", "wild 9", "rare 100.00 %", "without ends"} {
		if !strings.Contains(r.errors, want) {
			t.Errorf("%q is not in %s", want, r.errors)
		}
	}
	width := map[string]float64{}
	_, rows := records(t, ".", "p.csv")
	for i, row := range rows {
		width[[]string{"calm", "wild"}[i%2]] = parse(t, row[2]) - parse(t, row[1])
		if i == 599 {
			break
		}
	}
	if width["wild"] < 3*width["calm"] {
		t.Errorf("widths %v", width)
	}
	refused(t, "fit --data d.csv --label y --model n --interval-by crowd", "--interval-by", "--interval")
	refused(t, "fit --data d.csv --label y --model n --interval --interval-by crowds", "crowds", "crowd")
}

// Intervals go with quantiles, with conjugate gradients and with rows that share a fold, and
// the report says that a fold is not fitted.
func TestIntervalsOfOtherFits(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", slope(300, 0, 2))
	for with, header := range map[string]string{
		"--loss quantile:0.1,0.9": "predicted 0.1,predicted 0.9,low,high",
		"--loss huber:1":          "predicted,low,high",
		"--solver cg":             "predicted,low,high",
		"--fold-rows 3":           "predicted,low,high",
	} {
		out := ok(t, "fit --data d.csv --features 32 --lambda 1e-3 --interval --html p.html --model m "+with).out
		if !strings.Contains(out, "rows of a fold that is not fitted") {
			t.Errorf("%s: %s", with, out)
		}
		if page := read(t, "p.html"); !strings.Contains(page, "Intervals on held-out rows") {
			t.Errorf("%s: no coverage on the page", with)
		}
		refused(t, "predict --model m --data d.csv --variance", "rff fit --variance, without --interval")
		r := ok(t, "predict --model m --data d.csv --interval 80% --score")
		if !strings.HasPrefix(r.out, header+"\n") || !strings.Contains(r.errors, "intervals of 80 % hold ") {
			t.Errorf("%s: %.60s\n%s", with, r.out, r.errors)
		}
	}
}

// A set of labels is a line of CSV with | for commas: labels that have | or quotes come back as
// they are.
func TestSetOfLabelsWithSeparators(t *testing.T) {
	dir := t.TempDir()
	labels := []string{"a|b", "a", `"b"`}
	lines := []string{"x,y\n"}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("%d,\"%s\"\n", i%7, strings.ReplaceAll(labels[i%3], `"`, `""`)))
	}
	save(t, dir, "d.csv", []byte(strings.Join(lines, "")))
	must(t, dir, "fit", "--data", "d.csv", "--features", "8", "--interval", "--model", "m")
	must(t, dir, "predict", "--model", "m", "--data", "d.csv", "--interval", "90%", "--output", "p.csv")
	_, rows := records(t, dir, "p.csv")
	m, err := krr.Load(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	several := false
	for i, row := range rows {
		want, err := m.LabelSets(mat.NewDense(1, 1, []float64{float64(i % 7)}), .9)
		if err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(strings.NewReader(row[1]))
		r.Comma = '|'
		got, err := r.Read()
		if len(want[0]) > 0 && (err != nil || !slices.Equal(got, want[0])) {
			t.Errorf("row %d: the set %s has %q, %v; the model says %q", i+1, row[1], got, err, want[0])
		}
		several = several || len(got) > 1
	}
	if !several {
		t.Error("no set has several labels: the data are no test")
	}
}

// Where --auto takes kernel sections on all rows, the report says where intervals come from, and that
// there are no variances.
func TestIntervalsOfExactSearch(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "a,b,y\n"
	rng := rand.New(rand.NewPCG(1, 1))
	for range 49 {
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		text += fmt.Sprintf("%g,%g,%g\n", a, b, math.Sin(3*a+b))
	}
	save(t, ".", "d.csv", []byte(text))
	r := ok(t, "fit --data d.csv --auto --budget 1s --interval --variance --model m")
	for _, want := range []string{"by nystrom", "intervals by 49 rows that the search held out", "leave out --interval for variances"} {
		if !strings.Contains(r.out+r.errors, want) {
			t.Errorf("%q is not in %s%s", want, r.out, r.errors)
		}
	}
	ok(t, "predict --model m --data d.csv --interval 80% --score")
}

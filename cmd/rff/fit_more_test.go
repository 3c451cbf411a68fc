package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// fit --test says of further rows what rff predict says of them.
func TestFitTest(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(400, 2, 1))
	save(t, ".", "new.csv", rare(300, 2, 2))
	r := ok(t, "fit --data t.csv --features 32 --model m --test new.csv")
	said := ok(t, "predict --model m --data new.csv --score").errors
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "rff: "))
		if !strings.Contains(r.out, "test      "+line+"\n") {
			t.Errorf("fit --test does not say %q: %s", line, r.out)
		}
	}
	refused(t, "fit --data t.csv --features 32 --model m --test none.csv", "--test", "none.csv")
	refused(t, "fit --data t.csv --features 32 --model - --test new.csv", "--test needs --model")
	// What its files lack is told before the fit prints anything.
	for text, want := range map[string]string{"x,z\n1,2\n": `no column "kind"`, "x,kind\n1,no\n": `"z" is missing`, "x,z,kind\n": "no rows"} {
		save(t, ".", "bare.csv", []byte(text))
		refused(t, "fit --data t.csv --label kind --features 32 --model m --test bare.csv", "--test", "bare.csv: ", want)
	}
}

// What predicting a row of --test would refuse is told before the fit, with its place and a remedy,
// and names the flag alone that has the file.
func TestFitTestRows(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows strings.Builder
	for i := range 200 {
		fmt.Fprintf(&rows, "%v,%v,%s,%s\n", float64(i%17)/7, float64(i%5), []string{"red", "blue"}[i%2], []string{"no", "yes"}[i%3/2])
	}
	save(t, ".", "t.csv", []byte("a,b,c,y\n"+rows.String()))
	for bad, want := range map[string][]string{
		"1,2,pink,no": {`column 3 "c"`, `"pink" is a word that the fit has not seen`, "--unseen zero"},
		"1,2,red,ja":  {`y "ja" is not one of the classes "no", "yes"`},
		",2,red,no":   {`column 1 "a": the value is missing`, "--missing mean or drop"},
		"1,2x,red,no": {`column 2 "b": "2x" is not a number`},
		"1,2,no":      {"has 3 fields where the header has 4"},
	} {
		save(t, ".", "new.csv", []byte("a,b,c,y\n1,2,red,no\n"+bad+"\n"))
		refused(t, "fit --data t.csv --categories c --features 32 --model m --test new.csv", append(want, "--test: new.csv: row 2 (line 3)")...)
		if _, err := os.Stat("m"); err == nil {
			t.Errorf("a model was fitted before %q was refused", bad)
		}
	}
	for _, inputs := range []string{"", " --inputs a,b,c"} {
		save(t, ".", "new.csv", []byte("b,c,y\n1,red,no\n"))
		refused(t, "fit --data t.csv --label y --categories c --features 32 --model m --test new.csv"+inputs, `--test: new.csv: of the 3 inputs of the fit "a" is missing`)
	}
	// Rows that lack their label are predicted, and columns that --inputs numbers are found by name.
	save(t, ".", "new.csv", []byte("z,b,a,c,y\n9,1,2,red,no\n9,1,2,red,\n"))
	if out := ok(t, "fit --data t.csv --label y --inputs 1,2 --features 32 --model m --test new.csv").out; !strings.Contains(out, "1 of 2 rows has no label") {
		t.Errorf("a row without a label: %s", out)
	}
	save(t, ".", "new.csv", []byte("9,1,2,no,8,8\n"))
	refused(t, "fit --data t.csv --label 4 --inputs a,b --features 32 --model m --test new.csv", "--test: new.csv: ", "the names of its columns")
	// What the map resolves is known once it is chosen.
	save(t, ".", "new.csv", []byte("a,b,c,y\n1,2,red,no\n1,1e300,red,no\n"))
	if r := call("", strings.Fields("fit --quiet --data t.csv --features 32 --model late --test new.csv")...); r.status != exitFailure || !strings.Contains(r.errors, "--test: new.csv: row 2") || !strings.HasSuffix(r.errors, "; the model is written, to late\n") {
		t.Errorf("status %d, %s", r.status, r.errors)
	}
	ok(t, "show late")
}

// fit --json has the numbers of the text, and nothing else goes to standard output.
func TestFitJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(400, 2, 1))
	save(t, ".", "r.csv", slope(300, 0, 2))
	text := ok(t, "fit --data t.csv --features 32 --model m").out
	var f fitSummary
	if err := json.Unmarshal([]byte(ok(t, "fit --data t.csv --features 32 --model m --json").out), &f); err != nil {
		t.Fatal(err)
	}
	for words, got := range map[string]float64{"accuracy": 100 * f.HeldOut["accuracy"], `"no":`: 100 * f.HeldOut["accuracy_of_guess"], "balanced": 100 * f.HeldOut["balanced_accuracy"],
		"ROC AUC": f.HeldOut["roc_auc"], "recall    no": 100 * f.HeldOut["recall of no"], "%, yes": 100 * f.HeldOut["recall of yes"]} {
		if want := numberAfter(t, text, regexp.QuoteMeta(words)); math.Abs(got-want) > 0.051 || want == 0 {
			t.Errorf("%s: JSON has %v, the text %v", words, got, want)
		}
	}
	if f.Rows != 400 || f.Inputs != 2 || f.Target != "kind" || f.Task != "classification" || f.Features != 32 || f.Model != "m" || len(f.Lambda) == 0 {
		t.Errorf("%+v", f)
	}
	text = ok(t, "fit --data r.csv --features 32 --model m").out
	if err := json.Unmarshal([]byte(ok(t, "fit --data r.csv --features 32 --model m --json").out), &f); err != nil {
		t.Fatal(err)
	}
	if got := numberAfter(t, text, "RMSE"); !printedAs(got, f.HeldOut["rmse"], 5) || !printedAs(numberAfter(t, text, "the mean alone:"), f.HeldOut["rmse_of_mean"], 5) {
		t.Errorf("%v, the text has %q", f.HeldOut, text)
	}
	const quantiles = "fit --data r.csv --features 32 --scale minmax --loss quantile:0.1,0.5 --model m"
	text = ok(t, quantiles).out
	if err := json.Unmarshal([]byte(ok(t, quantiles+" --json").out), &f); err != nil {
		t.Fatal(err)
	}
	if f.Loss != "quantile:0.1,0.5" || f.Scaling != "minmax" || f.Steps != int(numberAfter(t, text, "cg,")) || len(f.Pinball) != 2 || !printedAs(numberAfter(t, text, "pinball loss"), f.Pinball["0.1"], 4) {
		t.Errorf("%+v, the text has %q", f, text)
	}
}

// With --quiet nothing is said but results and errors.
func TestQuiet(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(200, 2, 1))
	for _, line := range []string{"fit --data t.csv --features 16 --model m --quiet", "predict --model m --data t.csv --label kind --output p.csv --quiet",
		"gram --data t.csv --features 16 --output g --quiet", "merge --output all g --quiet", "solve --gram all --model m2 --quiet"} {
		if r := ok(t, line); r.out+r.errors != "" {
			t.Errorf("rff %s says %q %q", line, r.out, r.errors)
		}
	}
	if r := ok(t, "predict --model m --data t.csv --quiet"); strings.Count(r.out, "\n") != 201 || r.errors != "" {
		t.Errorf("predictions: %q %q", r.out, r.errors)
	}
	// The measures are the result that --score asks for.
	if r := ok(t, "predict --model m --data t.csv --score --output p.csv --quiet"); r.out != "" || strings.Count(r.errors, "\n") != 2 || !strings.Contains(r.errors, "accuracy") || !strings.Contains(r.errors, "recall") {
		t.Errorf("--score --quiet: %q %q", r.out, r.errors)
	}
	refused(t, "fit --data none.csv --model m --quiet", "none.csv")
}

// Balanced classes: the rare one is found more often, and a file in which its rows stand
// as often as the others gives the same model.
func TestClassWeight(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "t.csv", rare(500, 1.5, 1))
	save(t, ".", "new.csv", rare(500, 1.5, 2))
	fit := "fit --features 32 --sigma 2 --scale none --lambda 1e-3 --data "
	recall := func(model string) float64 {
		return numberAfter(t, ok(t, "predict --model "+model+" --data new.csv --score").errors, "%, yes")
	}
	ok(t, fit+"t.csv --model plain")
	ok(t, fit+"t.csv --class-weight balanced --model even")
	if a, b := recall("plain"), recall("even"); b < a+20 {
		t.Errorf("recall of the rare class: %v, balanced %v", a, b)
	}
	// 450 rows of one class, 50 of the other: weights 500/900 and 5, as nine of one row.
	lines := strings.SplitAfter(strings.TrimSpace(string(rare(500, 1.5, 1)))+"\n", "\n")
	var w bytes.Buffer
	w.WriteString("x,z,w,kind\n")
	for _, line := range lines[1:501] {
		weight, at := 500./900, strings.LastIndexByte(line, ',')
		if strings.HasSuffix(line, "yes\n") {
			weight = 5
		}
		fmt.Fprintf(&w, "%s,%v%s", line[:at], weight, line[at:])
	}
	save(t, ".", "w.csv", w.Bytes())
	ok(t, fit+"w.csv --weights w --model weighted")
	a, b := ok(t, "predict --model even --data new.csv --scores").out, ok(t, "predict --model weighted --data new.csv --scores").out
	if a != b {
		t.Errorf("balanced classes are not the same as their weights given")
	}
	save(t, ".", "r.csv", slope(100, 0, 2))
	refused(t, fit+"r.csv --class-weight balanced --model m", "--class-weight", "a regression has none")
}

// The accuracy is that of the rows that have predictions: blank ones are not counted.
func TestBlankRowsDoNotCount(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Split(strings.TrimSpace(string(rare(300, 3, 4))), "\n")
	for i := 1; i < len(lines); i += 3 {
		lines[i] = lines[i][strings.IndexByte(lines[i], ','):]
	}
	save(t, ".", "t.csv", []byte(strings.Join(lines, "\n")))
	ok(t, "fit --data t.csv --missing drop --features 32 --model m")
	r := ok(t, "predict --model m --data t.csv --score --output p.csv")
	if want := "predictions left empty, since their rows lack a value: 100 of 300"; !strings.Contains(r.errors, want) {
		t.Errorf("%q is not in %q", want, r.errors)
	}
	_, rows := records(t, ".", "p.csv")
	right, n := 0, 0
	for i, row := range rows {
		if row[0] != "" {
			n++
			if strings.HasSuffix(lines[i+1], ","+row[0]) {
				right++
			}
		}
	}
	if want := fmt.Sprintf(": %d of %d rows", right, n); n != 200 || !strings.Contains(r.errors, want) || math.Abs(numberAfter(t, r.errors, "accuracy")-100*float64(right)/200) > 0.0051 {
		t.Errorf("%d of %d rows are right; predict says %q", right, n, r.errors)
	}
}

// Importance is printed in per cent of the whole: it adds up to 100, and the one input
// that matters has nearly all of it. What --auto says of its choice is an error of rows: of
// labels of which one in ten is wrong, some ten per cent.
func TestPrintedShares(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(6, 6))
	b, flipped := []byte("a,b,c,y\n"), []byte("a,b,kind\n")
	for range 600 {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		b = fmt.Appendf(b, "%.6f,%.6f,%.6f,%.6f\n", x, y, z, math.Sin(2*x)+0.2*y+0.05*rng.NormFloat64())
		flipped = fmt.Appendf(flipped, "%.6f,%.6f,%v\n", x, y, (x > 0) != (rng.IntN(10) == 0))
	}
	save(t, ".", "t.csv", b)
	save(t, ".", "f.csv", flipped)
	r := ok(t, "fit --data t.csv --sampler metric:preset=fast --features 64 --model m")
	sum, first := 0.0, 0.0
	for _, name := range []string{"a", "b", "c"} {
		v := numberAfter(t, r.out, `\n  `+name)
		sum += v
		first = max(first, v)
	}
	if a := numberAfter(t, r.out, `\n  a`); math.Abs(sum-100) > 0.2 || a != first || a < 50 || a > 99.9 {
		t.Errorf("shares add up to %v, a has %v: %s", sum, a, r.out)
	}
	r = ok(t, "fit --data f.csv --auto --budget 200ms --model m")
	if v := numberAfter(t, r.out, `\n(?:error|validated)`); v < 4 || v > 20 {
		t.Errorf("--auto says an error of %v %% where one label in ten is wrong", v)
	}
}

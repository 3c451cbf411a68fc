package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr"
)

// rare is two classes, of which one row of ten is of the second; x tells them apart in
// part, or not at all.
func rare(n int, apart float64, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 8))
	var b bytes.Buffer
	b.WriteString("x,z,kind\n")
	for i := range n {
		kind, shift := "no", 0.0
		if i%10 == 0 {
			kind, shift = "yes", apart
		}
		fmt.Fprintf(&b, "%.6f,%.6f,%s\n", rng.NormFloat64()+shift, rng.NormFloat64(), kind)
	}
	return b.Bytes()
}

// What is printed of a classifier is computed here from its predictions alone: the base
// rate, balanced accuracy, the area under the ROC curve by all pairs, log loss, recall.
func TestPrintedClassMeasures(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", rare(600, 2.6, 1))
	save(t, dir, "new.csv", rare(400, 2.6, 2))
	out := must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--probabilities", "--model", "m")
	r := invoke(t, dir, "predict", "--model", "m", "--data", "new.csv", "--score", "--scores", "--probabilities", "--output", "p.csv")
	if r.status != 0 {
		t.Fatal(r.errors)
	}
	_, rows := records(t, dir, "p.csv")
	_, truth := records(t, dir, "new.csv")
	var right, yes, rightYes, loss, pairs, above float64
	for i, row := range rows {
		own := truth[i][2]
		p := parse(t, row[2])
		if own == "yes" {
			yes++
			p = parse(t, row[3])
		}
		loss -= math.Log(p)
		if row[0] == own {
			right++
			if own == "yes" {
				rightYes++
			}
		}
		for k, other := range rows {
			if own == "yes" && truth[k][2] == "no" {
				pairs++
				if a, b := parse(t, row[1]), parse(t, other[1]); a > b {
					above++
				}
			}
		}
	}
	n := float64(len(rows))
	recallNo, recallYes := (right-rightYes)/(n-yes), rightYes/yes
	for words, want := range map[string]float64{
		"accuracy": 100 * right / n, `"no":`: 100 * (n - yes) / n, "balanced": 50 * (recallNo + recallYes),
		"ROC AUC": above / pairs, "log loss": loss / n, "recall no": 100 * recallNo, "%, yes": 100 * recallYes,
	} {
		if got := numberAfter(t, r.errors, regexp.QuoteMeta(words)); math.Abs(got-want) > 0.051 || want < 1 && math.Abs(got-want) > 0.51e-4 {
			t.Errorf("%s: predict prints %v, it is %v", words, got, want)
		}
	}
	if recallYes < 0.1 || recallYes > 0.9 || strings.Contains(r.errors, "right as often") {
		t.Errorf("recall of the rare class %v: the data show nothing, or %q", recallYes, r.errors)
	}
	for _, want := range []string{`(always "no": 90.00 %), balanced `, "ROC AUC 0.9", "log loss 0.", "recall    no 9"} {
		if !strings.Contains(out, want) {
			t.Errorf("fit does not say %q: %s", want, out)
		}
	}
	// Of what the folds left out, fit says nearly the same as predict of other rows.
	if a, b := numberAfter(t, out, "ROC AUC"), above/pairs; math.Abs(a-b) > 0.1 {
		t.Errorf("fit says AUC %v, of other rows it is %v", a, b)
	}
	// Without probabilities the folds measure the same, but for the log loss.
	must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--model", "m2")
	if m, err := krr.Load(filepath.Join(dir, "m2")); err != nil || m.Info().Provenance["held-out AUC"] == "" {
		t.Errorf("%v, the model keeps %v", err, m.Info().Provenance)
	}
	// A classifier that only guesses is called so.
	save(t, dir, "noise.csv", rare(400, 0, 3))
	if r := invoke(t, dir, "fit", "--data", "noise.csv", "--features", "16", "--model", "g"); r.status != 0 || !strings.Contains(r.errors, `always "no" would be right as often`) || !strings.Contains(r.out, "balanced 5") {
		t.Errorf("noise: %s %s", r.out, r.errors)
	}
}

// Many classes are named by the least recall, those without rows not at all.
func TestRecallOfManyClasses(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "fit", "--data", "letter", "--features", "64", "--lambda", "1e-4", "--model", "m")
	r := invoke(t, dir, "predict", "--model", "m", "--data", "letter", "--output", "p.csv")
	if r.status != 0 || !strings.Contains(r.errors, "recall the least of 26 classes: ") || strings.Contains(r.errors, "NaN") {
		t.Errorf("%d %s", r.status, r.errors)
	}
}

// Beside the error of a regression stands that of predicting the mean of the rows.
func TestPrintedSpread(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "t.csv", slope(300, 0, 2))
	out := must(t, dir, "fit", "--data", "t.csv", "--features", "64", "--model", "m")
	r := invoke(t, dir, "predict", "--model", "m", "--data", "t.csv", "--score", "--output", "p.csv")
	_, rows := records(t, dir, "t.csv")
	var sum, squares float64
	for _, row := range rows {
		sum += parse(t, row[2])
	}
	for _, row := range rows {
		d := parse(t, row[2]) - sum/300
		squares += d * d
	}
	for _, text := range []string{out, r.errors} {
		if got := numberAfter(t, text, "the mean alone:"); !printedAs(got, math.Sqrt(squares/300), 5) {
			t.Errorf("the mean's error is %v, printed in %q", math.Sqrt(squares/300), text)
		}
	}
}

// A guess is called so within one standard error of the rows; of many classes those with the
// least recall stand first; classes weigh alike beside the weights of rows.
func TestWordsOfMeasures(t *testing.T) {
	classes := []string{"a", "b"}
	for _, c := range []struct {
		accuracy float64
		rows     int64
		want     bool
	}{{0.9, 100, true}, {0.92, 100, true}, {0.94, 100, false}, {0.92, 10000, false}} { // .9 ± .03, ± .003
		if got := guessNote(measure.Classification{Accuracy: c.accuracy, Guess: 0.9, Rows: c.rows}, classes); (got != "") != c.want {
			t.Errorf("%v of %d rows: %q", c.accuracy, c.rows, got)
		}
	}
	var many measure.Classification
	var names []string
	for k := range 12 {
		many.Recall = append(many.Recall, float64((k*5+3)%12)/12)
		names = append(names, fmt.Sprint("c", k))
	}
	if got := recallText(many, names); !strings.HasPrefix(got, "the least of 12 classes: c9 0.0 %, c2 8.3 %, c7 16.7 %") || strings.Count(got, ",") != 7 {
		t.Errorf("%q", got)
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/parquet"
)

// wordsFile writes rows with a number, a word, a number that depends on both, and gaps:
// as CSV, and as Parquet that holds the same.
func wordsFile(t *testing.T, dir, name string, n int, gaps bool) {
	t.Helper()
	var csv strings.Builder
	var b bytes.Buffer
	w, err := parquet.NewWriter(&b, []parquet.Column{{Name: "x"}, {Name: "colour", Text: true}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	csv.WriteString("x,colour,y\n")
	for i := range n {
		x, colour := float64(i*i%17)/4, []string{"red", "green", "blue"}[i*7%5%3]
		y := math.Sin(x) + float64(len(colour))
		if gaps && i%11 == 3 {
			w.Null()
			fmt.Fprintf(&csv, ",%s,%v\n", colour, y)
		} else {
			w.Number(x)
			fmt.Fprintf(&csv, "%v,%s,%v\n", x, colour, y)
		}
		w.Text(colour)
		w.Number(y)
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	save(t, dir, name+".csv", []byte(csv.String()))
	save(t, dir, name+".parquet", b.Bytes())
}

// The same rows as CSV and as Parquet give the same bits, with words and gaps.
func TestParquetIsCSV(t *testing.T) {
	dir := t.TempDir()
	wordsFile(t, dir, "train", 300, true)
	wordsFile(t, dir, "new", 40, true)
	for _, rule := range []string{"mean", "drop"} {
		for _, kind := range []string{"csv", "parquet"} {
			model, out := rule+kind, rule+"."+kind+".out"
			must(t, dir, "fit", "--data", "train."+kind, "--missing", rule, "--categories", "colour", "--features", "64", "--model", model)
			must(t, dir, "predict", "--model", model, "--data", "new."+kind, "--output", out, "--score")
		}
		a, b := load(t, dir, rule+".csv.out"), load(t, dir, rule+".parquet.out")
		if !bytes.Equal(a, b) {
			t.Errorf("%s: predictions differ:\n%.200s\n%.200s", rule, a, b)
		}
		lines := strings.Split(strings.TrimSpace(string(a)), "\n")
		if len(lines) != 41 {
			t.Fatalf("%s: %d lines", rule, len(lines))
		}
		if empty := lines[4] == `""`; empty != (rule == "drop") {
			t.Errorf("%s: the prediction of a row with a gap is %q", rule, lines[4])
		}
		// Predictions as Parquet: the same numbers.
		must(t, dir, "predict", "--model", rule+"csv", "--data", "new.csv", "--output", rule+".out.parquet")
		f, err := dataset.Open(context.Background(), dataset.Options{Task: dataset.Unlabelled, Missing: rff.MissingNaN}, filepath.Join(dir, rule+".out.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for row, err := range f.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(row.X[0]); text != lines[n+1] && !(row.Missing && lines[n+1] == `""`) {
				t.Errorf("%s: row %d: %s, as CSV %s", rule, n+1, text, lines[n+1])
			}
			n++
		}
		if n != 40 {
			t.Errorf("%s: %d rows of Parquet", rule, n)
		}
	}
	// compare has the rules, too: dropping rows is leaving them out of the file.
	kept := strings.Split(strings.TrimSpace(string(load(t, dir, "train.csv"))), "\n")
	kept = slices.DeleteFunc(kept, func(l string) bool { return strings.HasPrefix(l, ",") })
	save(t, dir, "kept.csv", []byte(strings.Join(kept, "\n")+"\n"))
	compare := func(args ...string) string {
		must(t, dir, append([]string{"compare", "--samplers", "rff", "--features", "16", "--reps", "1", "--no-times", "--categories", "colour", "--csv", "scores"}, args...)...)
		return strings.ReplaceAll(string(load(t, dir, "scores")), "kept.csv", "train.csv")
	}
	if a, b := compare("--data", "train.csv", "--missing", "drop"), compare("--data", "kept.csv"); a != b {
		t.Errorf("compare without rows of gaps:\n%s\n%s", a, b)
	}
	for args, want := range map[string]string{
		"fit --data train.csv --categories colour --model m":                   "row 4 (line 5), column 1 \"x\": the value is missing",
		"fit --data train.parquet --categories colour --model m":               "row 4, column 1 \"x\": the value is missing",
		"fit --data train.csv --categories y --model m":                        "no input",
		"fit --data train.csv --categories colour --missing no --model m":      "missing",
		"fit --data train.csv --inputs x --label y --unseen zero --model m":    "--unseen is of no use",
		"predict --data train.csv --model meancsv --missing mean --output out": "missing",
	} {
		if r := invoke(t, dir, strings.Fields(args)...); r.status == 0 || !strings.Contains(r.errors, want) {
			t.Errorf("%s: status %d, %s", args, r.status, r.errors)
		}
	}
}

func TestUnseenWords(t *testing.T) {
	dir := t.TempDir()
	wordsFile(t, dir, "train", 300, false)
	save(t, dir, "new.csv", []byte("colour,x\nviolet,1\nred,1\n"))
	must(t, dir, "fit", "--data", "train.csv", "--categories", "colour", "--features", "64", "--model", "strict")
	if r := invoke(t, dir, "predict", "--model", "strict", "--data", "new.csv"); r.status == 0 || !strings.Contains(r.errors, `"violet"`) || !strings.Contains(r.errors, "row 1") {
		t.Errorf("%d %s", r.status, r.errors)
	}
	must(t, dir, "fit", "--data", "train.csv", "--categories", "colour", "--unseen", "zero", "--features", "64", "--model", "lax")
	if out := must(t, dir, "predict", "--model", "lax", "--data", "new.csv"); strings.Count(out, "\n") != 3 {
		t.Errorf("%s", out)
	}
	// A file without names has its columns by number, and may lack the label.
	plain := strings.SplitN(string(load(t, dir, "train.csv")), "\n", 2)[1]
	save(t, dir, "plain.csv", []byte(plain))
	save(t, dir, "plain-new.csv", []byte("1,red\n2,blue\n"))
	save(t, dir, "named-new.csv", []byte("x,colour\n1,red\n2,blue\n"))
	must(t, dir, "fit", "--data", "plain.csv", "--categories", "2", "--features", "64", "--model", "plain")
	a := must(t, dir, "predict", "--model", "plain", "--data", "plain-new.csv")
	if b := must(t, dir, "predict", "--model", "strict", "--data", "named-new.csv"); a != b {
		t.Errorf("without names:\n%s\nwith names:\n%s", a, b)
	}
}

func load(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A word that is taken for none of the words is said, by predict and by fit --test, unless notes
// are not wanted.
func TestUnseenWordsAreCounted(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", []byte("a,c,e,y\n"+strings.Repeat("1,u,p,1\n2,v,q,2.5\n3,u,q,2\n4,v,p,4\n", 10)))
	save(t, ".", "new.csv", []byte("a,c,e,y\n1,u,p,1\n2,w,q,2\n3,v,p,2\n4,x,p,1\n"))
	const want = `not seen, which is taken for none of the words: 2 of 4; first: row 2; columns: "c"`
	if r := ok(t, "fit --data d.csv --label y --unseen zero --features 8 --test new.csv --model m"); !strings.Contains(r.errors, want) {
		t.Errorf("fit --test: %q", r.errors)
	}
	if r := ok(t, "predict --data new.csv --model m"); !strings.Contains(r.errors, want) {
		t.Errorf("predict: %q", r.errors)
	}
	if r := ok(t, "predict --data d.csv --model m"); strings.Contains(r.errors, "not seen") {
		t.Errorf("predict of known words: %q", r.errors)
	}
	if r := ok(t, "predict --quiet --data new.csv --model m"); r.errors != "" {
		t.Errorf("predict --quiet: %q", r.errors)
	}
	ok(t, "fit --data d.csv --label y --features 8 --model strict")
	if r := ok(t, "predict --unseen zero --data new.csv --model strict"); !strings.Contains(r.errors, want) {
		t.Errorf("predict --unseen zero: %q", r.errors)
	}
}

// An input that no row has is named where it gets the mean of none.
func TestColumnWithoutValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct{ text, named string }{"names": {"u,v,y\n1,,2\n3,,4\n5,,7\n6,,9\n", `"v"`}, "numbers": {"1,,2\n3,,4\n5,,7\n6,,9\n", `"2"`}} {
		save(t, ".", "t.csv", []byte(c.text))
		r := ok(t, "fit --data t.csv --missing mean --features 8 --sigma 1 --lambda 1e-3 --model m")
		if !strings.Contains(r.errors, "1 input has no value in any row, and 0 in place of a mean: "+c.named+"; name the inputs without such columns (--inputs)") {
			t.Errorf("%s: %q", name, r.errors)
		}
	}
}

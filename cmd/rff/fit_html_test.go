package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
)

// counts returns the numbers in the cells of the table with that caption, row by row.
func counts(t *testing.T, page, caption string) (rows [][]float64) {
	t.Helper()
	_, after, found := strings.Cut(page, "<caption>"+caption)
	if !found {
		t.Fatalf("no table %q in\n%s", caption, page)
	}
	body, _, _ := strings.Cut(after, "</table>")
	for _, row := range strings.Split(body, "<tr>")[2:] {
		var values []float64
		for _, cell := range regexp.MustCompile(`<td[^>]*>([^<]*)</td>`).FindAllStringSubmatch(row, -1) {
			var v float64
			fmt.Sscan(cell[1], &v)
			values = append(values, v)
		}
		rows = append(rows, values)
	}
	return rows
}

// The page of a classification has the numbers that fit and predict print: of its held-out
// rows, and apart from these of the rows of --test, whose sets of labels it counts.
func TestPageOfClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	named := func(n, d int) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(moons(n, d), []byte(",down"), []byte(",<script>down")), []byte("x2"), []byte("<x2>"))
	}
	save(t, ".", "d.csv", named(300, 2))
	save(t, ".", "more.csv", named(200, 2))
	for _, args := range []string{" --probabilities --test more.csv --interval", " --loss hard:5 --solver cg --folds 4", " --criterion loo", " --lambda 1e-3 --folds 3", " --sampler metric"} {
		out := ok(t, "fit --data d.csv --features 64 --model m --html page.html"+args).out
		page := read(t, "page.html")
		if strings.Contains(page, "<script") || strings.Contains(page, "<x2>") || !strings.Contains(page, "rff fit --") || !strings.Contains(out, "wrote page.html") {
			t.Errorf("%s: names are not escaped, or the command is missing:\n%s\n%s", args, out, page)
		}
		var rows, right float64
		for k, row := range counts(t, page, "How rows of each class were named: rows") {
			rows, right = rows+row[0]+row[1], right+row[k]
		}
		said := fmt.Sprintf("held out  accuracy %.2f %%", 100*right/rows)
		if !strings.Contains(out, said) || !strings.Contains(out, fmt.Sprintf("over %.0f rows", rows)) || !strings.Contains(page, fmt.Sprintf("%.0f of 300 rows, each predicted by a model that was fitted without it", rows)) {
			t.Errorf("%s: %s of %v rows is not what fit says:\n%s", args, said, rows, out)
		}
		_, area, _ := strings.Cut(page, ": area ")
		if area, _, _ = strings.Cut(area, "<"); !strings.Contains(out, "ROC AUC "+area) {
			t.Errorf("%s: area %s:\n%s", args, area, out)
		}
		for what, want := range map[string]bool{"Calibration of": strings.Contains(args, "prob"), "Predictions of more.csv": strings.Contains(args, "test"), "hard:5 gives": strings.Contains(args, "hard"),
			"Importance of the inputs": strings.Contains(args, "metric"), "Effects of the inputs": !strings.Contains(args, "metric"), "a little too good": strings.Contains(args, "metric"), "Error by λ": !strings.Contains(args, "lambda")} {
			if strings.Contains(page, what) != want {
				t.Errorf("%s: that the page says %q is not %v", args, what, want)
			}
		}
		if !strings.Contains(args, "test") {
			continue
		}
		_, test, _ := strings.Cut(page, "Predictions of more.csv")
		rows, right = 0, 0
		for k, row := range counts(t, test, "How rows of each class were named: rows") {
			rows, right = rows+row[0]+row[1], right+row[k]
		}
		if rows != 200 || !strings.Contains(out, fmt.Sprintf(": %.0f of 200 rows", right)) {
			t.Errorf("%v of %v rows of --test:\n%s", right, rows, out)
		}
		if levels := counts(t, test, "Coverage of sets of labels"); len(levels) != 7 {
			t.Errorf("levels %v", levels)
		} else {
			said := ok(t, "predict --model m --data more.csv --score --interval 90% --output p.csv").errors
			if want := fmt.Sprintf("sets of 90 %% hold %.2f %% of the labels; they have %.2f labels on average", levels[4][0], levels[4][1]); !strings.Contains(said, want) {
				t.Errorf("not %q: %s", want, said)
			}
		}
	}
}

// The page of numbers: what nothing was held out of says so, few rows leave out the levels
// that take more, and weights are said.
func TestPageOfNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("x,w,y\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d,%d,%g\n", i, 1+i%2, float64(i*i%7)+.5)
	}
	save(t, ".", "d.csv", []byte(b.String()))
	ok(t, "fit --data d.csv --lambda .01 --features 16 --model m --html page.html")
	if page := read(t, "page.html"); !strings.Contains(page, "No row was held out") || strings.Contains(page, "<figure>") {
		t.Errorf("without held-out rows:\n%s", page)
	}
	ok(t, "fit --data d.csv --weights w --folds 3 --features 16 --model m --interval --test d.csv --html page.html")
	page := read(t, "page.html")
	if n := len(counts(t, page, "Coverage of intervals")); n != 6 { // weights make 27 of the 30 rows: up to 27/28
		t.Errorf("%d levels", n)
	}
	for _, want := range []string{"All 30 rows", "They count by their weights", "truth − prediction", "prediction (&#34;y&#34;)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q:\n%s", want, page)
		}
	}
}

// A fit that ends in plain features does not say that they were learned from its rows, though these chose them.
func TestPageOfPlainFeatures(t *testing.T) {
	t.Chdir(t.TempDir())
	b := []byte("a,b,y\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 { // nothing can be learned
		b = fmt.Appendf(b, "%g,%g,%g\n", rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64())
	}
	save(t, ".", "d.csv", b)
	out := ok(t, "fit --data d.csv --sampler metric --features 16 --model m --interval --html page.html").out
	if page := read(t, "page.html"); !strings.Contains(out, "plain: learned features do no better") || !strings.Contains(page, "Importance of the inputs") || strings.Contains(page, "were learned") || strings.Count(page, "too good") != 2 {
		t.Errorf("%s\n%s", out, page)
	}
}

// A fit that fails leaves an older page alone.
func TestPageOfFailedFit(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "d.csv", []byte("x,y\n1,2\n3,oops\n4,\n"))
	save(t, ".", "page.html", []byte("old"))
	if r := call("", strings.Fields("fit --data d.csv --features 16 --model m --html page.html")...); r.status == 0 || read(t, "page.html") != "old" {
		t.Errorf("status %d, page %s", r.status, read(t, "page.html"))
	}
	files, _ := os.ReadDir(".")
	if len(files) != 2 {
		t.Errorf("left behind: %v", files)
	}
}

// Without --test the coverage of intervals, or sets, is that of a fit to other rows: its
// standard deviation over 400 rows is 2.5 points at 50 %.
func TestPageOfHeldIntervals(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, ".", "y.csv", slope(2000, 0, 2))
	save(t, ".", "kind.csv", moons(2000, 2))
	for data, title := range map[string]string{"y.csv": "Intervals on held-out rows", "kind.csv": "Sets of labels on held-out rows"} {
		ok(t, "fit --data "+data+" --features 32 --interval --model m --html page.html")
		page := read(t, "page.html")
		if !strings.Contains(page, title) || !strings.Contains(page, "to four fifths of the rows") {
			t.Errorf("%s: no %q", data, title)
		}
		rows := counts(t, page, "Coverage of ")
		if len(rows) != 7 {
			t.Fatalf("%s: %v", data, rows)
		}
		for i, row := range rows {
			level := 100 * drawnLevels[i]
			if d := row[0] - level; math.Abs(d) > 12 || math.Abs(row[0]-100) < 1e-9 && level < 95 {
				t.Errorf("%s: of %g %% %g hold", data, level, row[0])
			}
		}
	}
}

// The two parts of a source are all of its rows, each once.
func TestHeldParts(t *testing.T) {
	x, y := mat.NewDense(100, 1, nil), mat.NewDense(100, 1, nil)
	for i := range 100 {
		x.Set(i, 0, float64(i))
		y.Set(i, 0, float64(2*i))
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]int{}
	held := 0
	for _, p := range []*part{{data, 1, false}, {data, 1, true}} {
		for b, err := range p.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.X.Rows {
				seen[b.X.Row(i)[0]]++
				if b.Y.Row(i)[0] != 2*b.X.Row(i)[0] || b.Weight[i] != 1 {
					t.Fatal("a row has the target of another, or a weight")
				}
				if p.held {
					held++
				}
			}
		}
	}
	if len(seen) != 100 || held < 8 || held > 36 { // 20 ± 4
		t.Errorf("%d rows, %d held out", len(seen), held)
	}
}

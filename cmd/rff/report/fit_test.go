package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr"
)

// reportOf is that of a fit to rows of these classes, nil for numbers.
func reportOf(classes ...string) *fits.Fitted {
	r := &fits.Fitted{Report: &krr.Report{Train: krr.Measures{Rows: 500}}}
	r.Schema = rff.Schema{Target: rff.Target{Classes: classes}}
	r.Lambda = []float64{1e-4}
	r.Provenance = map[string]string{"lambda": "cv, 5 folds", "loss": "hard:5"}
	return r
}

// fitPage writes the page, and checks that it is well formed, says its pictures in words
// and loads nothing.
func fitPage(t *testing.T, f Fit) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFit(&b, f, About{Command: "rff fit"}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	all, ids := parse(t, page), map[string]bool{}
	for _, e := range all {
		if id := e.attrs["id"]; id != "" && ids[id] {
			t.Errorf("the id %s is there twice", id)
		}
		ids[e.attrs["id"]] = true
		for _, name := range []string{"src", "href", "onclick"} {
			if v, ok := e.attrs[name]; ok {
				t.Errorf("%s has %s=%q", e.name, name, v)
			}
		}
	}
	if figures, named := len(find(all, "figure")), len(regexp.MustCompile(`<svg [^>]*role="img" aria-labelledby=`).FindAllString(page, -1)); figures != named {
		t.Errorf("%d figures, of which %d have a name", figures, named)
	}
	if len(find(all, "script")) > 0 || strings.Contains(page, "<script") || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Errorf("a script, or a number that is none, in\n%s", page)
	}
	return page
}

// has fails for every text that is not on the page.
func has(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page:\n%s", want, page)
		}
	}
}

// Two classes: confusions, the ROC curve and calibration are those of the rows, and names
// are text.
func TestFitOfClasses(t *testing.T) {
	names := []string{"<script>a", `b & "c"`}
	l := measure.NewLabels(2)
	for _, row := range []struct {
		own, named int
		p          float64
	}{{0, 0, .05}, {0, 0, .15}, {0, 0, .18}, {0, 1, .65}, {1, 1, .95}, {1, 1, .65}, {1, 0, .15}} {
		l.Add(row.own, row.named, row.p, 1)
		l.AddProbabilities(row.own, []float64{1 - row.p, row.p}, 1)
	}
	c := l.Result()
	r := reportOf(names...)
	r.Path = []krr.PathPoint{{Lambda: 1e-6, Error: []float64{.5}, StdErr: .1}, {Lambda: 1e-4, Error: []float64{.25}, StdErr: .05}, {Lambda: 1e-2, Error: []float64{math.Inf(1)}}}
	spans := []Span{{.5, .5625, .75}, {.9, .875, 1.25}}
	page := fitPage(t, Fit{Data: "<b>d</b>", Facts: []Fact{{"data", "<i>7 rows"}}, Report: r, Predicted: []Predicted{{Title: "Of <rows>", Rows: "7 of 500 rows.", Labels: &c, Spans: spans}}})
	has(t, page, "&lt;b&gt;d", "<dt>data</dt><dd>&lt;i&gt;7 rows", "Of &lt;rows&gt;", "7 of 500 rows.",
		"tried: 0.5 at 1e-06, 0.25 at 0.0001. chosen: 0.25 at 0.0001.", "cv, 5 folds",
		// Tenths of the probabilities: one row of a at .05; of .15, .15 and .18 one in three is a b; of .65 one in two.
		"rows, ± standard error: 0 at 5, 33.33 at 16, 50 at 65, 100 at 95.",
		// 12 pairs: .15 of b is below .18 and level with .15, .65 level with .65.
		fmt.Sprintf("area %.4f", (1+.5+3.5+4)/12.),
		`<th scope="row">&lt;script&gt;a</th><td class="tint" style="--share: 75%">3</td><td class="tint" style="--share: 25%">1</td><td>75.0</td>`,
		`<td class="tint" style="--share: 33%">1</td><td class="tint" style="--share: 67%">2</td><td>66.7</td>`,
		`<th scope="row">50</th><td>56.25</td><td>0.75</td>`, `<th scope="row">90</th><td>87.50</td><td>1.25</td>`, "mean number of labels", "sets of labels: 56.25 at 50, 87.5 at 90.")
}

// A thousand classes and ten thousand inputs make a small page, which has the worst twenty
// and says that there are more.
func TestFitOfMany(t *testing.T) {
	const classes, inputs = 1000, 10000
	rng := rand.New(rand.NewPCG(1, 1))
	l := measure.NewLabels(classes)
	var names, columns []string
	shares := make([]float64, inputs)
	for k := range classes {
		names = append(names, fmt.Sprintf("class %d %s", k, strings.Repeat("x", 2000)))
		for i := range 10 {
			named := k
			if k < 30 && i < 5 || i < 2 { // half of those of the first thirty are named wrong
				named = rng.IntN(classes)
			}
			l.Add(k, named, 0, 1)
		}
	}
	for range 3 { // of these, most are called one
		l.Add(7, 500, 0, 1)
	}
	for j := range shares {
		columns, shares[j] = append(columns, fmt.Sprintf("column <%d>", j)), 1./inputs
	}
	shares[777] = .25
	c := l.Result()
	page := fitPage(t, Fit{Data: "d", Report: reportOf(names...), Predicted: []Predicted{{Title: "Held out", Labels: &c}}, Importance: shares, Inputs: columns})
	has(t, page, "20 of 1000 classes", "20 of 10000 inputs", "column &lt;777&gt;</th><td>25.0</td>",
		`<th scope="row">class 7 xxx`, "class 500 xxx")
	if rows := strings.Count(page, `<th scope="row">`); rows != 40 || len(page) > 40000 {
		t.Errorf("%d rows in %d bytes", rows, len(page))
	}
}

// Numbers: the residuals drawn are those of rows, with their means by tenths, and the rows
// whose weights a rule changed most are listed.
func TestFitOfNumbers(t *testing.T) {
	var n measure.Numbers
	for i := range 5000 {
		f := float64(i % 100)
		n.Add(f+2+float64(i%3-1), f, 1)
	}
	result, r := n.Result(), reportOf()
	page := fitPage(t, Fit{Data: "d", Report: r, Predicted: []Predicted{{Title: "Held out", Rows: "5000 rows.", Numbers: &result, Unit: `"<y>"`}}, Hard: 31, Reweighted: []hook.Reweight{{Row: 41, Factor: 5, Residual: 3.25}}})
	has(t, page, "1000 of the 5000 rows, drawn at random", "prediction (&#34;&lt;y&gt;&#34;)", "rows: 1000 points.", "20 of 31 rows", `<th scope="row">42</th><td>5</td><td>3.25</td>`, "hard:5 gives 31 of the 500 rows", "had its λ given")
	means := regexp.MustCompile(`standard deviation: (.*?)\.</desc>`).FindStringSubmatch(page)
	if means == nil {
		t.Fatal("no means")
	}
	tenths := strings.Split(means[1], ", ")
	for _, text := range tenths {
		if mean, err := strconv.ParseFloat(strings.Fields(text)[0], 64); err != nil || math.Abs(mean-2) > 5*math.Sqrt(2./3/100) {
			t.Errorf("mean residual %s", text)
		}
	}
	if dots := strings.Count(regexp.MustCompile(`class="cloud" d="([^"]*)"`).FindStringSubmatch(page)[1], "h0"); dots != 1000 || len(tenths) != 10 || len(page) > 40000 {
		t.Errorf("%d dots, %d means, %d bytes", dots, len(tenths), len(page))
	}
}

// A fit without held-out rows says so and draws no predictions.
func TestFitWithoutHeldOutRows(t *testing.T) {
	page := fitPage(t, Fit{Data: "d", Report: reportOf(), Unmeasured: "nothing to draw"})
	if has(t, page, "nothing to draw"); strings.Contains(page, "<figure>") {
		t.Error("something is drawn")
	}
}

// The page says every step of a search, its error and seconds, what was not kept and why,
// and draws the steps.
func TestFitOfSearch(t *testing.T) {
	steps := []hook.Step{
		{Name: "search", Candidates: 208, Rows: 2000, HeldOut: 1000, Features: 256, Best: "<robust> inputs", Error: 0.25, Kept: true, Estimated: time.Second, Elapsed: 1500 * time.Millisecond},
		{Name: "search", Candidates: 3, Rows: 4000, HeldOut: 1000, Features: 1024, Best: "b", Error: 0.125, Kept: true, Gain: 0.1, StdErr: 0.05, Estimated: time.Second, Elapsed: time.Second},
		{Name: "metric", Candidates: 1, Rows: 4000, HeldOut: 1000, Features: 1024, Best: "c", Error: 0.2345, Gain: -1, StdErr: 1, Why: "no better off", Estimated: 2 * time.Second, Elapsed: time.Second},
		{Name: "refined", Candidates: 1, Best: "nothing was learned", Error: math.Inf(1), Why: "nothing was learned", Estimated: time.Second},
		{Name: "features", Why: "the budget is gone"},
	}
	r := reportOf("a", "b")
	page := fitPage(t, Fit{Data: "d", Report: r, Search: &hook.Search{Steps: steps}, Inputs: []string{"low", "<i>high"}, Importance: []float64{0.25, 0.75}})
	has(t, page, "wrong labels", "25.000", "23.450", "208", "not kept: no better off", ">best so far<", ">chosen: better by 0.1 ± 0.05<", "nothing was learned", "not tried: the budget is gone",
		"&lt;robust&gt;", "by two of them for a rule, and at all where neither way is simpler", ">1.5<", "&lt;i&gt;high</th><td>75.0", "low</th><td>25.0")
	if strings.Index(page, "high</th>") > strings.Index(page, "low</th>") {
		t.Error("inputs are not in the order of their importance")
	}
	// Two kept steps and one that was not are drawn in each of the two pictures.
	if n := strings.Count(page, `12.5 at`) + strings.Count(page, `25 at`) + strings.Count(page, `23.45 at`); n < 6 || strings.Count(page, "<figure>") != 2 {
		t.Errorf("%d points, %d pictures", n, strings.Count(page, "<figure>"))
	}
	if page := fitPage(t, Fit{Data: "d", Report: r, Search: new(hook.Search)}); strings.Contains(page, "<figure>") {
		t.Error("a search that tried nothing is drawn")
	}
}

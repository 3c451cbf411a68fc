package liu

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/cmd/rff/report"
	"github.com/rffgo/rff/internal/require"
)

// result has made-up accuracies of the first sets in three repetitions; covtype is
// missing, and magic04 at 4d not done.
func result(t *testing.T, protocol string) *reproduce.Result {
	t.Helper()
	p, err := Table3().Protocol(protocol)
	if err != nil {
		t.Fatal(err)
	}
	o := reproduce.Options{Reps: 3, Seed: 1, Sets: []string{"eeg", "magic04", "covtype"}, Sizes: []int{1, 2, 4}}
	if protocol == reproduce.Fair {
		o.Sizes = []int{64, 256, 1024}
	}
	keys, err := p.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &reproduce.Result{Options: o, Protocol: p, Planned: keys, Missing: map[string]string{"covtype": "no <file>"}, Failures: map[reproduce.Key]string{}}
	for _, k := range keys {
		if k.Data == "covtype" || k.Data == "magic04" && k.Size == o.Sizes[2] {
			continue
		}
		u := float64(reproduce.Stream(1, "u", k)%1000) / 1000
		c := reproduce.Cell{Key: k, Values: map[string]float64{"accuracy": 70 + 3*math.Log2(float64(k.Size)) + u, "error": 30 - u, "frequencies": 8, "columns": 16, "train_rows": 900, "test_rows": 300},
			Seconds: map[string]float64{"generate": 0.01 * float64(k.Size) * (1 + u), "choose": 0.1, "learn": 0.2 + u}}
		if k.Data == "eeg" && (k.Sampler == surrogate || k.Sampler == divided) {
			c.Values["accuracy"] += 5
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

// file is the JSON of a report.
type file struct {
	Report struct {
		Findings []string
		Charts   []struct {
			Title  string
			Series []struct {
				Name   string
				Points []struct{ X, Y, Spread float64 }
			}
		}
		Tables []struct {
			Caption string
			Head    []string
			Rows    [][]struct {
				Text  string
				Value *float64
			}
		}
	}
	Cells []struct {
		Data, Sampler string
		Size          int `json:"size"`
		Values        map[string]float64
	}
}

// written writes a report, and returns its folder and its JSON.
func written(t *testing.T, r *reproduce.Result) (base string, f file) {
	t.Helper()
	dir := t.TempDir()
	if _, err := r.Write(dir, report.About{Command: "rffbench reproduce 'a b'", Version: "v1", Date: time.Unix(0, 0).UTC(), Machine: "m"}); err != nil {
		t.Fatal(err)
	}
	base = filepath.Join(dir, name+"-"+r.Protocol.Name)
	text, err := os.ReadFile(base + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return base, f
}

// Every figure of the page, the CSV and the Markdown is that of the JSON, and the
// JSON's means are those of its cells.
func TestReportsAgree(t *testing.T) {
	for _, protocol := range []string{reproduce.Published, reproduce.Fair} {
		r := result(t, protocol)
		base, f := written(t, r)
		read := func(extension string) string {
			text, err := os.ReadFile(base + extension)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		page, markdown := read(".html"), read(".md")
		if len(f.Cells) != len(r.Cells) || len(f.Report.Findings) != 2 || len(f.Report.Charts) == 0 {
			t.Fatalf("%s: %d cells, %d findings, %d charts", protocol, len(f.Cells), len(f.Report.Findings), len(f.Report.Charts))
		}
		for _, finding := range f.Report.Findings {
			if !strings.Contains(html.UnescapeString(page), finding) || !strings.Contains(markdown, finding) {
				t.Errorf("%s: a finding is not on the page or in the Markdown: %s", protocol, finding)
			}
		}
		entry := regexp.MustCompile(`<t[hd](?: scope="row")?(?: data-value="([^"]*)")?(?: class="\w+")?>([^<]*)</t[hd]>`)
		tables := strings.Split(page, "<tbody>")[1:]
		if len(tables) != len(f.Report.Tables) {
			t.Fatalf("%d tables on the page, %d in the JSON", len(tables), len(f.Report.Tables))
		}
		figures := 0
		for n, table := range f.Report.Tables {
			body, _, _ := strings.Cut(tables[n], "</tbody>")
			shown := entry.FindAllStringSubmatch(body, -1)
			at := 0
			for _, row := range table.Rows {
				words := "|"
				for i, e := range row {
					words += " " + e.Text + " |"
					if text := html.UnescapeString(shown[at][2]); text != e.Text {
						t.Errorf("%s: the page has %q, the JSON %q", table.Caption, text, e.Text)
					}
					if e.Value != nil && i > 0 {
						figures++
						if v, err := strconv.ParseFloat(shown[at][1], 64); err != nil || v != *e.Value {
							t.Errorf("%s: the page has %q, the JSON %v", table.Caption, shown[at][1], *e.Value)
						}
						// What is read is what is sorted by, rounded.
						if v, err := strconv.ParseFloat(e.Text, 64); err != nil || math.Abs(v-*e.Value) > 0.06*math.Abs(*e.Value)+0.006 {
							t.Errorf("%s: %q stands for %v", table.Caption, e.Text, *e.Value)
						}
					}
					at++
				}
				if !strings.Contains(markdown, words+"\n") {
					t.Errorf("%s: the Markdown has no row %s", table.Caption, words)
				}
			}
			if at != len(shown) {
				t.Errorf("%s: %d entries on the page, %d in the JSON", table.Caption, len(shown), at)
			}
		}
		lines, err := csv.NewReader(strings.NewReader(read(".csv"))).ReadAll()
		if err != nil || len(lines) != len(f.Report.Tables[0].Rows)+1 {
			t.Fatalf("the CSV has %d lines, %v", len(lines), err)
		}
		for i, row := range f.Report.Tables[0].Rows {
			for j, e := range row {
				got := lines[i+1][j]
				if v, err := strconv.ParseFloat(got, 64); e.Value != nil && (err != nil || v != *e.Value) || e.Value == nil && got != e.Text {
					t.Errorf("the CSV has %q, the JSON %q", got, e.Text)
				}
			}
		}
		// The means again, from the cells.
		what, column := "accuracy", "accuracy %"
		if protocol == reproduce.Fair {
			what, column = "error", "error %"
		}
		checked, size := 0, 1 // the second column has the size of the cell
		for _, row := range f.Report.Tables[0].Rows {
			at := map[string]int{}
			for i, h := range f.Report.Tables[0].Head {
				at[h] = i
			}
			value := row[at[column]].Value
			var sum, n float64
			for _, c := range f.Cells {
				sampler := fairName(c.Sampler)
				if protocol == reproduce.Published {
					sampler, _ = longName(c.Sampler)
				}
				method := at["method"] + at["sampler"]
				if c.Data == row[0].Text && sampler == row[method].Text && fmt.Sprint(c.Size) == row[size].Text {
					sum, n = sum+c.Values[what], n+1
				}
			}
			switch {
			case n == 0 && (value != nil || row[at[column]].Text != "no data" && row[at[column]].Text != "not done yet"):
				t.Errorf("%v has %q without a cell", row[0].Text, row[at[column]].Text)
			case n > 0 && (n != 3 || value == nil || math.Abs(*value-sum/n) > 1e-9):
				t.Errorf("%s: %v of %g cells with the mean %v", row[0].Text, value, n, sum/n)
			case n > 0:
				checked++
			}
		}
		if figures < 100 || checked < 20 {
			t.Errorf("%s: %d figures and %d means compared", protocol, figures, checked)
		}
		// Points of the plots have their values as text.
		for _, c := range f.Report.Charts {
			for _, s := range c.Series {
				for _, p := range s.Points {
					if text := fmt.Sprintf("<title>%s: %.4g at %.4g</title>", html.EscapeString(s.Name), p.Y, p.X); !strings.Contains(page, text) {
						t.Errorf("%s: the page has no %s", c.Title, text)
					}
				}
			}
		}
		page, _, _ = strings.Cut(page, "<script>")
		for _, wrong := range []string{"http:", "https:", " src=", "@import", "url(", "NaN", "Inf", "%!"} {
			if strings.Contains(page, wrong) {
				t.Errorf("%s: the page has %q", protocol, wrong)
			}
		}
	}
}

// What the fair table says rests on every set once: a sampler with smaller errors on all
// of eight sets is beyond noise after Holm's correction over ten samplers (p = 2/256),
// one with smaller ones on four is not, and one with larger ones on seven of them, most
// of all with many columns, is worse there.
func TestFairVerdicts(t *testing.T) {
	p, err := Table3().Protocol(reproduce.Fair)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range fairSets {
		if s != "mnist" {
			names = append(names, s)
		}
	}
	o := reproduce.Options{Reps: 1, Seed: 1, Sets: names, Sizes: []int{64, 1024}}
	keys, err := p.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &reproduce.Result{Options: o, Protocol: p, Planned: keys}
	for _, k := range keys {
		set := float64(1 + slices.Index(names, k.Data))
		e := 10 + set
		switch k.Sampler {
		case "refined":
			e *= 0.7 - 0.01*set
		case "sobol": // alternates
			e *= 1 + 0.02*set*math.Pow(-1, set)
		case "halton":
			if k.Size == 1024 {
				e *= 1.1 + 0.01*set
			}
		}
		if k.Data == "kddcup99" && k.Sampler == "orf" {
			e = 0 // half a wrong row of 200, 0.25 %
		}
		r.Cells = append(r.Cells, reproduce.Cell{Key: k, Values: map[string]float64{"error": e, "columns": 64, "test_rows": 200}})
	}
	all, sized := verdicts(fairRows(r))
	beyond := map[string]string{}
	for _, v := range append(all, sized...) {
		beyond[fmt.Sprint(v.sampler, " ", v.size)] = v.beyond
		if v.sampler == "refined" && v.size == 0 && (v.better != 11 || math.Abs(v.ratio()-0.64) > 0.001 || !(math.Exp(v.Low) > 0.58 && math.Exp(v.High) < 0.7)) {
			t.Errorf("%+v: ratio %v", v, v.ratio())
		}
		if v.sampler == "orf" && v.better != 1 {
			t.Errorf("%+v", v)
		}
	}
	for _, c := range []struct{ at, want string }{{"refined 0", "better"}, {"refined 64", "better"}, {"sobol 0", ""}, {"halton 0", "worse"}, {"halton 64", ""}, {"halton 1024", "worse"}, {"orf 0", ""}} {
		if beyond[c.at] != c.want {
			t.Errorf("%s is %q, want %q", c.at, beyond[c.at], c.want)
		}
	}
	if all[0].sampler != "refined" {
		t.Errorf("the first is %s", all[0].sampler)
	}
	words := strings.Join(fairFindings(all, sized), " ")
	for _, want := range []string{"refined 0.64 (", "better refined; worse halton.", "With 1024 columns, beyond noise: refined 0.64, halton 1.16.", "no other default than orf"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s", want, words)
		}
	}
}

// The paired t-test has its closed form with two degrees of freedom, and marks what is
// better than both baselines.
func TestMarks(t *testing.T) {
	r := result(t, reproduce.Published)
	for i := range r.Cells {
		c := &r.Cells[i]
		base := 70 + float64(c.Rep)
		switch c.Sampler {
		case surrogate: // 1, 2, 3 above RFF: t = 2√3 with two degrees of freedom
			base += float64(c.Rep) + 1
		case leverage: // 1, 1.01, 1.02 above both
			base += 1 + 0.01*float64(c.Rep)
		}
		c.Values["accuracy"] = base
	}
	want := 1 - 2*math.Sqrt(3)/math.Sqrt(12+2)
	seen := 0
	for _, row := range tableRows(r) {
		switch {
		case row.missing != "":
		case row.method == surrogate:
			seen++
			if math.Abs(row.overRFF.P-want) > 1e-3 || row.significant() {
				t.Errorf("p = %v, want %v; marked %v", row.overRFF.P, want, row.significant())
			}
		case row.method == leverage:
			if !row.significant() {
				t.Errorf("leverage is not marked: p = %v", row.overRFF.P)
			}
		}
	}
	if seen != 5 {
		t.Errorf("%d rows of the surrogate", seen)
	}
}

// The words say what the numbers do: where the surrogate gains, and whether plain
// features with λ/(2s) do, too.
func TestIdentityInWords(t *testing.T) {
	r := result(t, reproduce.Published)
	words := identity(r)
	if !strings.Contains(words, "is that of a smaller λ") {
		t.Errorf("both gain five points: %s", words)
	}
	for i := range r.Cells {
		if r.Cells[i].Sampler == divided {
			r.Cells[i].Values["accuracy"] -= 5
		}
	}
	if words := identity(r); !strings.Contains(words, "does not explain") {
		t.Errorf("only the surrogate gains: %s", words)
	}
	for i := range r.Cells {
		if r.Cells[i].Sampler == surrogate {
			r.Cells[i].Values["accuracy"] -= 6
		}
	}
	if words := identity(r); !strings.Contains(words, "Nowhere") {
		t.Errorf("nothing gains: %s", words)
	}
}

// A band holds or not by the mean, and rows outside of it are named.
func TestBands(t *testing.T) {
	r := result(t, reproduce.Published)
	paper := map[string]float64{}
	for _, row := range tableRows(r) {
		if row.paper != nil {
			paper[fmt.Sprint(row.data, row.method, row.perInput)] = row.paper.Accuracy
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		c.Values["accuracy"] = paper[fmt.Sprint(c.Data, c.Sampler, c.Size)] + 0.4 - 0.1*float64(c.Rep) // +0.3 in the mean
		if c.Data == "magic04" && c.Sampler == qmc && c.Size == 2 {
			c.Values["accuracy"] -= 1
		}
		if c.Data == "eeg" && c.Sampler == surrogate {
			c.Values["accuracy"] += 0.8
		}
	}
	if words := held(tableRows(r)); words != " Of the bands of the second table 19 of 20 accuracies are inside; outside are magic04 QMC 2d by -0.70." {
		t.Error(words)
	}
	for _, row := range bandTable(tableRows(r)).Rows {
		if row[0].Text == "magic04" && row[1].Text == "QMC" && (row[7].Text != "1 of 2" || row[8].Text != "2d" || row[5].Text != "-0.70") {
			t.Errorf("%+v", row)
		}
	}
}

func TestSlope(t *testing.T) {
	if got := slope([]float64{1, 2, 4, 8}, []float64{3, 3 * math.Sqrt(2), 6, 6 * math.Sqrt(2)}); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("the exponent of a root is %v", got)
	}
	if !math.IsNaN(slope([]float64{1, 2}, []float64{1, 2})) {
		t.Error("two points have an exponent")
	}
}

// In a browser the script runs, every figure is drawn and nothing is wider than a
// telephone but what scrolls.
func TestInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		require.Absent(t, "chromium", "no chromium here: the page was not opened in a browser")
	}
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	for _, protocol := range []string{reproduce.Published, reproduce.Fair} {
		r := result(t, protocol)
		base, f := written(t, r)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		out, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+base+".html").Output()
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		heads := 0
		for _, table := range f.Report.Tables {
			heads += len(table.Head)
		}
		if n := strings.Count(string(out), "<button>"); n != heads {
			t.Errorf("%d of %d heads can be clicked: the script did not run", n, heads)
		}
		if n := strings.Count(string(out), "<figure"); n != len(f.Report.Charts) || strings.Count(string(out), "role=\"img\"") < n {
			t.Errorf("%d of %d figures", n, len(f.Report.Charts))
		}
	}
}

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside/hook"
)

// sample is a comparison of three samplers of which one failed once for all.
func sample(classes, reps int) *compare.Result {
	r := &compare.Result{Data: "<b>evil</b> & co", Digest: strings.Repeat("ab", 32), Train: 900, Test: 300, Inputs: 4, Target: "weight", Classes: classes, Notes: []string{"a <note>"},
		Settings: compare.Settings{Samplers: []string{"rff", "orf", "ses"}, Features: []int{64, 256}, Reps: reps}, Tested: 2}
	for m, sampler := range r.Settings.Samplers {
		for k, f := range r.Settings.Features {
			row := compare.Row{Sampler: sampler, Features: f, Reps: reps, Mean: 80 + float64(5*k+m), SD: 0.5, Lambda: 1e-4,
				Times: &compare.Times{Choose: 10 * float64(m+1), Generate: 10.5 * float64(m+1), Train: float64(k + 1), Predict: 0.1, Peak: 1 << 25}}
			if m == 2 {
				row = compare.Row{Sampler: sampler, Features: f, Failure: "cannot <i>be</i>"}
			} else if classes == 0 {
				row.Measures, row.SDs = fits.Values{fits.RMSE: row.Mean, fits.MAE: row.Mean / 2, fits.R2: 0.75}, fits.Values{fits.RMSE: 0.5, fits.MAE: 0.2, fits.R2: 0.01}
			} else {
				row.Measures, row.SDs = fits.Values{fits.Accuracy: row.Mean / 100, fits.Balanced: 0.75}, fits.Values{fits.Accuracy: 0.005, fits.Balanced: 0.01}
			}
			if m == 1 {
				row.Versus = &compare.Difference{Mean: 1, P: 0.001, Beyond: []string{"better", "worse"}[k]}
			}
			r.Rows = append(r.Rows, row)
			for rep := range reps {
				c := compare.Cell{Sampler: sampler, Features: f, Rep: rep, Score: row.Mean + float64(rep)/10, Times: row.Times}
				c.Failure = row.Failure
				r.Cells = append(r.Cells, c)
			}
		}
	}
	r.Planned = len(r.Cells)
	return r
}

func write(t *testing.T, r *compare.Result, about About) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, about); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// element is a start tag.
type element struct {
	name  string
	attrs map[string]string
	text  string // within
}

// parse reads the page as XML, with HTML's void elements closed by themselves, so
// that every tag must be closed and every attribute quoted.
func parse(t *testing.T, page string) []element {
	t.Helper()
	// Scripts and styles are not markup.
	page = regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`).ReplaceAllString(page, "")
	page = regexp.MustCompile(`<meta [^>]*`).ReplaceAllString(strings.TrimPrefix(page, "<!DOCTYPE html>\n"), "$0/")
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	var all []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("the page cannot be parsed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, i := range open {
				all[i].text += string(token)
			}
		}
	}
}

func find(all []element, name string) []element {
	var out []element
	for _, e := range all {
		if e.name == name {
			out = append(out, e)
		}
	}
	return out
}

var about = About{Command: "rff compare --data 'a b'", Version: "v1.2.3", Date: time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC), Machine: "a CPU"}

// The page is well formed, can be read by a screen reader, and needs no other files.
func TestPage(t *testing.T) {
	for _, classes := range []int{3, 0} {
		page := write(t, sample(classes, 2), about)
		all := parse(t, page)
		for _, e := range find(all, "th") {
			if s := e.attrs["scope"]; s != "col" && s != "row" {
				t.Errorf("the header %q has scope %q", e.text, s)
			}
		}
		columns := 0
		for _, e := range find(all, "th") {
			if e.attrs["scope"] == "col" {
				columns++
			}
		}
		if len(find(all, "caption")) != 1 || len(find(all, "figure")) != 4 || columns != 9+len(sample(classes, 2).Measures()) {
			t.Errorf("%d captions, %d figures, %d columns", len(find(all, "caption")), len(find(all, "figure")), columns)
		}
		ids := map[string]element{}
		for _, e := range all {
			if id := e.attrs["id"]; id != "" {
				if _, twice := ids[id]; twice {
					t.Errorf("the id %s is there twice", id)
				}
				ids[id] = e
			}
		}
		for i, sampler := range []string{"rff", "orf", "ses"} { // in the legend and in two rows of the table
			if n := strings.Count(page, key(i)+sampler); n != 3 {
				t.Errorf("%s has its key %d times", sampler, n)
			}
		}
		charts := 0
		for _, e := range find(all, "svg") {
			if e.attrs["aria-hidden"] == "true" {
				continue
			}
			charts++
			names := strings.Fields(e.attrs["aria-labelledby"])
			if e.attrs["role"] != "img" || len(names) != 2 || ids[names[0]].name != "title" || ids[names[0]].text == "" ||
				ids[names[1]].name != "desc" || !strings.Contains(ids[names[1]].text, "rff: 80") && !strings.Contains(ids[names[1]].text, "orf:") {
				t.Errorf("a chart has no text: %v, %q", e.attrs, ids[names[len(names)-1]].text)
			}
		}
		if charts != 4 {
			t.Errorf("%d charts", charts)
		}
		for _, e := range all {
			for _, a := range []string{"src", "href", "srcset", "data", "action"} {
				if v, ok := e.attrs[a]; ok {
					t.Errorf("<%s> refers to %q", e.name, v)
				}
			}
			if slices.Contains([]string{"link", "img", "iframe", "object", "embed", "use", "b", "i", "note"}, e.name) {
				t.Errorf("there is a <%s>", e.name)
			}
		}
		for _, word := range []string{"http:", "https:", "url(", "@import", "fetch(", "ZgotmplZ"} {
			if strings.Contains(page, word) {
				t.Errorf("the page has %q", word)
			}
		}
		text := find(all, "html")[0].text
		for _, want := range []string{"rff compare --data 'a b'", "v1.2.3", "4 March 2026, 05:06 UTC", "a CPU", strings.Repeat("ab", 32), "a <note>", "<b>evil</b> & co", "cannot <i>be</i>",
			"▲", "▼", "Holm", "time to choose features and fit (s)", "number of features", "time (s)"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		unit := "accuracy on test rows (%)"
		if classes == 0 {
			unit = "RMSE on test rows (in the unit of weight)"
		}
		if !strings.Contains(text, unit) {
			t.Errorf("no axis says %q", unit)
		}
		for _, rule := range []string{"@media print", "overflow-x: auto", "prefers-color-scheme: dark", `class="scroll"`} {
			if !strings.Contains(page, rule) {
				t.Errorf("the page has no %q", rule)
			}
		}
	}
}

// What is beyond noise is marked, and nothing else.
func TestPageMarks(t *testing.T) {
	all := parse(t, write(t, sample(3, 2), about))
	var marked []string
	for _, e := range find(all, "td") {
		if c := e.attrs["class"]; c == "better" || c == "worse" {
			marked = append(marked, c+" "+e.text)
		}
	}
	if want := []string{"better 81.00 ± 0.50 ▲", "worse 86.00 ± 0.50 ▼"}; !slices.Equal(marked, want) {
		t.Errorf("marked %q, want %q", marked, want)
	}
}

// Times and all that is not decided by data, flags and seed can be left out.
func TestPageWithoutTimes(t *testing.T) {
	r := sample(3, 2).WithoutTimes()
	page := write(t, r, About{Command: "rff compare"})
	all := parse(t, page)
	if n := len(find(all, "figure")); n != 2 {
		t.Errorf("%d plots without times", n)
	}
	for _, word := range []string{"Machine", "Date", "Version", "train s", "peak"} {
		if strings.Contains(find(all, "main")[0].text+find(all, "dl")[0].text, word) {
			t.Errorf("the page has %q", word)
		}
	}
}

// What a user waits for counts as the time of a score: choosing and fitting.
func TestTimeAxis(t *testing.T) {
	r := sample(3, 2)
	groups := []group{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if n := len(groups); n == 0 || groups[n-1].Sampler != row.Sampler {
			groups = append(groups, group{Sampler: row.Sampler, Style: n})
		}
		g := &groups[len(groups)-1]
		g.Rows = append(g.Rows, line{Row: row})
	}
	all := charts(groups, r)
	c := all[2]
	if !strings.Contains(c.XLabel, "choose") {
		t.Errorf("the axis is %q", c.XLabel)
	}
	for m, s := range c.Series[:2] {
		for k, p := range s.Points {
			if want := 10*float64(m+1) + float64(k+1); p.X != want {
				t.Errorf("%s is at %v s, want %v", s.Name, p.X, want)
			}
		}
	}
	// The differences from the first sampler, by hand: one point everywhere.
	for _, p := range all[1].Series[0].Points {
		if math.Abs(p.Y-1) > 1e-12 || p.Spread > 1e-12 {
			t.Errorf("difference %+v, want 1 ± 0", p)
		}
	}
	// An error that is larger lies below.
	for _, p := range differences(groups, &compare.Result{Settings: r.Settings, Cells: r.Cells}).Series[0].Points {
		if math.Abs(p.Y+1) > 1e-12 {
			t.Errorf("difference of errors %+v, want -1", p)
		}
	}
	if all[1].Series[0].Style != 1 {
		t.Error("a sampler has another colour in the second plot")
	}
}

// luminance and contrast as WCAG 2.1 defines them.
func luminance(color string) float64 {
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	if c := contrast("#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Fatalf("black on white has %v", c)
	}
	for _, theme := range []struct {
		name   string
		paper  paper
		colors []string
	}{{"light", lightPaper, lightColors}, {"dark", darkPaper, darkColors}} {
		p := theme.paper
		for what, pair := range map[string][2]string{"ink": {p.Ink, p.Paper}, "soft": {p.Soft, p.Paper}, "better": {p.Ink, p.Better}, "worse": {p.Ink, p.Worse}} {
			if c := contrast(pair[0], pair[1]); c < 4.5 {
				t.Errorf("%s: %s has contrast %.2f", theme.name, what, c)
			}
		}
		for i, color := range theme.colors {
			if c := contrast(color, p.Paper); c < 4.5 {
				t.Errorf("%s: colour %d has contrast %.2f", theme.name, i, c)
			}
		}
		css := variables(p, theme.colors)
		if !strings.Contains(css, fmt.Sprintf("--c%d: %s;", 9, theme.colors[9])) || !strings.Contains(css, "--ink: "+p.Ink) {
			t.Errorf("%s is written as %s", theme.name, css)
		}
	}
	if len(lightColors) != len(darkColors) {
		t.Error("the palettes differ in size")
	}
}

// Curves are told apart without colours, and no two look alike.
func TestStyles(t *testing.T) {
	seen := map[string]int{}
	for i := range 40 {
		k := key(i)
		if other, twice := seen[k]; twice {
			t.Errorf("curves %d and %d look alike", other, i)
		}
		seen[k] = i
	}
	plain := map[string]bool{}
	for i := range 17 { // as many as there are samplers
		plain[fmt.Sprint(i%markers, i%len(dashes))] = true
	}
	if len(plain) != 17 {
		t.Errorf("17 curves have %d looks without colours", len(plain))
	}
}

// Ticks are round and within the chart; a share has no more than 100 per cent.
func TestChart(t *testing.T) {
	c := &Chart{ID: "c", Title: "t", XLabel: "x (s)", YLabel: "y (%)", LogX: true, Most: 100, Series: []Series{{Name: "a", Points: []Point{{1, 99.5, 2}, {10, 70, 0}}}}}
	svg := c.svg()
	for _, number := range regexp.MustCompile(`(?:x1|x2|cx)="([-0-9.]+)"`).FindAllStringSubmatch(svg, -1) {
		if v, _ := strconv.ParseFloat(number[1], 64); v < 0 || v > width {
			t.Errorf("x = %v is outside", v)
		}
	}
	for _, number := range regexp.MustCompile(`(?:y1|y2|cy)="([-0-9.]+)"`).FindAllStringSubmatch(svg, -1) {
		if v, _ := strconv.ParseFloat(number[1], 64); v < 0 || v > height {
			t.Errorf("y = %v is outside", v)
		}
	}
	if strings.Contains(svg, ">105<") || strings.Contains(svg, ">110<") || !strings.Contains(svg, ">100<") || !strings.Contains(svg, "x (s)</text>") || !strings.Contains(svg, "y (%)</text>") {
		t.Errorf("ticks or titles are wrong: %s", svg)
	}
	if want := fmt.Sprintf(`y="%.1f" text-anchor="end">100<`, float64(top+4)); !strings.Contains(svg, want) {
		t.Errorf("100 %% is not the top: %s", svg)
	}
	// A point lies where its values are between the ticks.
	a := newAxis([]float64{0, 10}, false, 100, 200, false)
	if a.at(0) != 100 || a.at(10) != 200 || a.at(5) != 150 {
		t.Errorf("0, 5, 10 are at %v, %v, %v", a.at(0), a.at(5), a.at(10))
	}
	l := newAxis([]float64{1, 16}, true, 0, 112, true)
	if math.Abs(l.at(4)-56) > 1e-9 || !slices.Equal(l.ticks, []float64{1, 16}) {
		t.Errorf("4 between 1 and 16 is at %v, ticks %v", l.at(4), l.ticks)
	}
	// The tick between losses and gains is 0, not what is left of a sum.
	if n := newAxis([]float64{-.3, .2}, false, 0, 100, false); !slices.Contains(n.ticks, 0) {
		t.Errorf("ticks from -0.3 to 0.2: %v", n.ticks)
	}
	// A logarithmic axis has ticks within an octave, too, and says what it is.
	if n := newAxis([]float64{2.7, 12.4}, true, 0, 100, false); !slices.Equal(n.ticks, []float64{3, 5, 7, 10}) {
		t.Errorf("ticks from 2.7 to 12.4: %v", n.ticks)
	}
	logarithmic := &Chart{ID: "c", YLabel: "y (%)", LogY: true, Series: []Series{{Points: []Point{{1, 2, 0}, {2, 9, 0}}}}}
	if !strings.Contains(logarithmic.svg(), ">y (%), logarithmic<") {
		t.Error("a logarithmic axis does not say so")
	}
	if n := newAxis([]float64{13.2, 16.4}, true, 0, 100, false); len(n.ticks) < 3 || n.ticks[0] < 13.2 || n.ticks[len(n.ticks)-1] > 16.4 {
		t.Errorf("ticks from 13.2 to 16.4: %v", n.ticks)
	}
	// None lies outside.
	for _, v := range [][]float64{{0.056, 0.12}, {0.0064, 0.42}, {0.02, 0.17}, {3, 3}} {
		n := newAxis(v, true, 0, 100, false)
		for _, tick := range n.ticks {
			if at := n.at(tick); at < 0 || at > 100 {
				t.Errorf("of %v the tick %v is at %v", v, tick, at)
			}
		}
	}
	for v, want := range map[float64]float64{0.13: 0.2, 1: 1, 3: 5, 7: 10, 0: 1} {
		if got := niceStep(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("the step for %v is %v, want %v", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.5: "0.5", 1e6: "1e6", 2e-5: "2e-5", 64: "64", 3 * .1: "0.3", 1.5e-4: "1.5e-4", -2.5e-12: "-2.5e-12",
		123400: "123400", 123450: "123450", 3e5: "3e5", 1.5e5: "1.5e5", 2e12: "2e12", 10000: "10000"} {
		if got := label(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// Names at the ends of curves keep apart, within the picture and in the order of the ends.
func TestEnds(t *testing.T) {
	c := &Chart{ID: "c", XLabel: "x", YLabel: "y", Ends: true, Lines: []float64{1}}
	for i := range 12 {
		end := 1 + 0.001*float64(i)
		if i == 11 {
			end = 9
		}
		c.Series = append(c.Series, Series{Name: fmt.Sprintf("curve %02d", i), Style: i, Points: []Point{{X: 1, Y: 2}, {X: 2, Y: end}}})
	}
	last := math.Inf(-1)
	names := regexp.MustCompile(`class="end" x="[\d.]+" y="([\d.]+)">curve (\d+)<`).FindAllStringSubmatch(c.svg(), -1)
	if len(names) != 12 {
		t.Fatalf("%d names", len(names))
	}
	for i, m := range names {
		at, err := strconv.ParseFloat(m[1], 64)
		if want := fmt.Sprintf("%02d", 11-i); err != nil || m[2] != want || at < last+nameHeight-0.11 || at < top || at > height-bottom+5 {
			t.Errorf("name %d is %s, want %s, at %g after %g", i, m[2], want, at, last)
		}
		last = at
	}
}

// A search of one step has no chart: a dot alone says nothing.
func TestSearchOfOneStep(t *testing.T) {
	step := hook.Step{Name: "search", Candidates: 3, Features: 64, Error: 0.1, Kept: true}
	for n, want := range []int{0, 0, 1} {
		if got := len(searchCharts(slices.Repeat([]hook.Step{step}, n), []string{"search"}, map[string]int{"search": 1}, "wrong")); got != want {
			t.Errorf("%d steps have %d charts, want %d", n, got, want)
		}
	}
}

package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/message"
	"github.com/rffgo/rff/krr"
)

//go:embed search.html
var searchText string

var searchPage = template.Must(template.New("search").Funcs(template.FuncMap{
	"style":   style,
	"svg":     func(c *Chart) template.HTML { return template.HTML(c.svg()) },
	"key":     func(i int) template.HTML { return template.HTML(key(i)) },
	"marker":  func(i int) template.HTML { return template.HTML(point(i)) },
	"percent": func(v float64) string { return fmt.Sprintf("%.3f", 100*v) },
	"seconds": func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) },
	"signed":  func(v float64) string { return fmt.Sprintf("%.2g", v) },
	"short":   message.ShortNumbers,
	"date":    func(t time.Time) string { return t.Format("2 January 2006, 15:04 MST") },
}).Parse(searchText))

// Search is a search of krr.Auto, for a page that draws it.
type Search struct {
	*krr.AutoReport
	Steps    []hook.Step // with all that was measured
	Kernel   rff.Kernel  // of the features, with its bandwidths, or nil
	Features int
	Data     string
	Inputs   []string // names of the inputs; nil: their numbers
	Classes  bool     // errors are shares of wrong labels
	Lambda   string   // of the fit
	Sampler  string   // of the features
}

// searchStep is a row of the table.
type searchStep struct {
	hook.Step
	Style   int
	Outcome string
	Width   float64 // of the bar of its seconds, in %
}

// share is an input and its importance.
type share struct {
	Name           string
	Percent, Width float64
}

// mostShares is how many inputs are drawn.
const mostShares = 20

// WriteSearch writes the page of a search: its steps over the estimated seconds, as a
// picture and a table, what was chosen and why it stopped, and what the function
// varies with.
func WriteSearch(w io.Writer, s Search, about About) error {
	styles := map[string]int{}
	var names []string
	var steps []searchStep
	longest := 0.0
	for _, step := range s.Steps {
		longest = max(longest, step.Elapsed.Seconds(), step.Estimated.Seconds())
	}
	for i, step := range s.Steps {
		if _, ok := styles[step.Name]; !ok {
			styles[step.Name] = len(names) + 1
			names = append(names, step.Name)
		}
		out := searchStep{Step: step, Style: styles[step.Name], Outcome: Outcome(s.Steps, i)}
		if longest > 0 {
			out.Width = 100 * step.Estimated.Seconds() / longest
		}
		steps = append(steps, out)
	}
	measure := "RMSE / standard deviation"
	if s.Classes {
		measure = "wrong labels"
	}
	return searchPage.Execute(w, struct {
		Search
		About   About
		Measure string
		Names   []string
		Styles  map[string]int
		Steps   []searchStep
		Charts  []*Chart
		Shares  []share
		More    int // inputs that are not drawn
	}{s, about, measure, names, styles, steps, searchCharts(s, names, styles, measure), shares(s), max(0, len(s.Importance)-mostShares)})
}

// Outcome says what became of step i of a search: the last one that was kept is the
// choice, and those before it were the best until then.
func Outcome(steps []hook.Step, i int) string {
	s := steps[i]
	switch {
	case s.Candidates == 0:
		return "not tried: " + s.Why
	case math.IsInf(s.Error, 1):
		return s.Best
	case !s.Kept:
		return "not kept: " + s.Why
	}
	text := "chosen"
	if slices.ContainsFunc(steps[i+1:], func(later hook.Step) bool { return later.Kept }) {
		text = "best so far"
	}
	if s.StdErr > 0 {
		text += fmt.Sprintf(": better by %.2g ± %.2g", s.Gain, s.StdErr)
	}
	return text
}

// searchCharts draws the steps.
func searchCharts(s Search, names []string, styles map[string]int, measure string) []*Chart {
	steps := &Chart{ID: "chart1", Title: "Error on held-out rows, step by step", XLabel: "estimated time since the beginning (s)", YLabel: measure + " (%)"}
	best := Series{Name: "best so far", Bare: true}
	points := make([]Series, len(names))
	for i, name := range names {
		points[i] = Series{Name: name, Style: styles[name], Apart: true}
	}
	at := 0.0
	for _, step := range s.Steps {
		at += step.Estimated.Seconds()
		if step.Candidates == 0 || math.IsInf(step.Error, 1) {
			continue
		}
		p := Point{X: at, Y: 100 * step.Error}
		if step.Kept {
			if n := len(best.Points); n > 0 { // a stair: the best before lasts until now
				best.Points = append(best.Points, Point{X: at, Y: best.Points[n-1].Y})
			}
			best.Points = append(best.Points, p)
		}
		series := &points[styles[step.Name]-1]
		series.Points = append(series.Points, p)
	}
	if len(best.Points) == 0 {
		return nil
	}
	best.Points = append(best.Points, Point{X: at, Y: best.Points[len(best.Points)-1].Y})
	steps.Series = append([]Series{best}, points...)
	steps.LogY = spread(steps.Series)
	sizes := &Chart{ID: "chart2", Title: "Error by number of features", XLabel: "number of features", YLabel: measure + " (%)", LogX: true}
	for _, name := range names {
		line := Series{Name: name, Style: styles[name], Apart: true}
		for _, step := range s.Steps {
			if step.Name == name && step.Candidates > 0 && !math.IsInf(step.Error, 1) {
				line.Points = append(line.Points, Point{X: float64(step.Features), Y: 100 * step.Error})
			}
		}
		if len(line.Points) > 0 {
			sizes.Series = append(sizes.Series, line)
		}
	}
	sizes.LogY = steps.LogY
	return []*Chart{steps, sizes}
}

// spread reports whether errors differ so much that only their logarithms show it.
func spread(all []Series) bool {
	low, high := math.Inf(1), 0.0
	for _, s := range all {
		for _, p := range s.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	return low > 0 && high > 3*low
}

// shares returns the inputs that matter most, largest first.
func shares(s Search) []share {
	var out []share
	for j, v := range s.Importance {
		name := fmt.Sprintf("column %d", j+1)
		if j < len(s.Inputs) {
			name = s.Inputs[j]
		}
		out = append(out, share{Name: name, Percent: 100 * v})
	}
	slices.SortStableFunc(out, func(a, b share) int { return cmp.Compare(b.Percent, a.Percent) })
	out = out[:min(len(out), mostShares)]
	for i := range out {
		if out[0].Percent > 0 {
			out[i].Width = 100 * out[i].Percent / out[0].Percent
		}
	}
	return out
}

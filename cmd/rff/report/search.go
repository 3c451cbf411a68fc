package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/internal/inside/hook"
)

// searchStep is a row of the table.
type searchStep struct {
	hook.Step
	Style   int
	Outcome string
	Width   float64 // of the bar of its seconds, in %
}

// searchSection shows what --auto tried. It has a picture of the steps over the estimated
// seconds, and a table.
func searchSection(steps []hook.Step, r *fits.Fitted) section {
	out := section{Title: "What --auto tried", Words: []string{fmt.Sprintf("Errors (%s) are those of rows that the candidates were not fitted to. A step is kept if its mean loss on the same held-out rows is lower: by more than the standard error of the difference, by two of them for a rule, and at all where neither way is simpler, as with bandwidths. More features, plain ones and means are also kept where these rows cannot tell two apart. A search on more rows is not compared with those before. Seconds are estimated from multiply-adds, so that the same budget gives the same model on every machine.", measureOf(r))}}
	styles := map[string]int{}
	var names []string
	longest := 0.0
	for _, step := range steps {
		longest = max(longest, step.Elapsed.Seconds(), step.Estimated.Seconds())
	}
	for i, step := range steps {
		if _, ok := styles[step.Name]; !ok {
			styles[step.Name] = len(names) + 1
			names = append(names, step.Name)
		}
		row := searchStep{Step: step, Style: styles[step.Name], Outcome: Outcome(steps, i)}
		if longest > 0 {
			row.Width = 100 * step.Estimated.Seconds() / longest
		}
		out.Steps = append(out.Steps, row)
	}
	out.Charts = searchCharts(steps, names, styles, measureOf(r))
	return out
}

// measureOf names the error of a search.
func measureOf(r *fits.Fitted) string {
	if len(r.Schema.Target.Classes) > 0 {
		return "wrong labels"
	}
	return "RMSE / standard deviation"
}

// Outcome says what became of step i of a search. The last step that was kept is the choice, and
// earlier ones that were kept were the best until then.
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
func searchCharts(all []hook.Step, names []string, styles map[string]int, measure string) []*Chart {
	steps := &Chart{Keys: true, Title: "Error on held-out rows, step by step", XLabel: "estimated time since the beginning (s)", YLabel: measure + " (%)"}
	best := Series{Name: "best so far", Bare: true}
	points := make([]Series, len(names))
	for i, name := range names {
		points[i] = Series{Name: name, Style: styles[name], Apart: true}
	}
	at, tried, measured := 0.0, 0, map[int]bool{}
	for _, step := range all {
		at += step.Estimated.Seconds()
		if step.Candidates == 0 || math.IsInf(step.Error, 1) {
			continue
		}
		p := Point{X: at, Y: 100 * step.Error}
		if step.Kept {
			if n := len(best.Points); n > 0 { // the curve is a stair: the former best lasts until now
				best.Points = append(best.Points, Point{X: at, Y: best.Points[n-1].Y})
			}
			best.Points = append(best.Points, p)
		}
		series := &points[styles[step.Name]-1]
		series.Points = append(series.Points, p)
		measured[step.Features] = true
		tried++
	}
	if len(best.Points) == 0 || tried < 2 { // a dot alone says less than the table
		return nil
	}
	points = slices.DeleteFunc(points, func(s Series) bool { return len(s.Points) == 0 })
	best.Points = append(best.Points, Point{X: at, Y: best.Points[len(best.Points)-1].Y})
	steps.Series = append([]Series{best}, points...)
	steps.LogY = spread(steps.Series)
	if len(measured) < 2 {
		return []*Chart{steps}
	}
	sizes := &Chart{Keys: true, Title: "Error by number of features", XLabel: "number of features", YLabel: measure + " (%)", LogX: true}
	for _, name := range names {
		line := Series{Name: name, Style: styles[name], Apart: true}
		for _, step := range all {
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

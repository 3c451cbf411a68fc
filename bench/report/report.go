// Package report writes a comparison as one HTML page with plots, which needs
// nothing beside itself: no scripts, no fonts, no network.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/rffgo/rff/bench/compare"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"fixed":  func(digits int, v float64) string { return fmt.Sprintf("%.*f", digits, v) },
	"lambda": func(v float64) string { return fmt.Sprintf("%.0e", v) },
	"mib":    func(b uint64) string { return fmt.Sprintf("%.0f", float64(b)/(1<<20)) },
	"color":  func(i int) string { return colors[i%len(colors)] },
	"svg":    func(c *Chart) template.HTML { return template.HTML(c.svg()) },
}).Parse(pageText))

// group is the rows of one method.
type group struct {
	Method string
	Rows   []compare.Row
}

// Write writes the report of r.
func Write(w io.Writer, r *compare.Result) error {
	var groups []group
	best := map[int]float64{} // per number of features
	timed := false
	for _, row := range r.Rows {
		if n := len(groups); n == 0 || groups[n-1].Method != row.Method {
			groups = append(groups, group{Method: row.Method})
		}
		g := &groups[len(groups)-1]
		g.Rows = append(g.Rows, row)
		timed = timed || row.Times != nil
		if row.Reps == 0 {
			continue
		}
		if b, ok := best[row.Features]; !ok || (r.Classes > 0) == (row.Mean > b) {
			best[row.Features] = row.Mean
		}
	}
	score := "Accuracy (%)"
	if r.Classes == 0 {
		score = "Error (% of the targets’ standard deviation)"
	}
	charts := []*Chart{
		chart(groups, score+" by number of features", "features", score, false, func(row compare.Row) (x, y, spread float64) {
			return float64(row.Features), row.Mean, row.SD
		}),
	}
	if len(groups) > 1 {
		charts = append(charts, difference(groups, r))
	}
	if timed {
		charts = append(charts,
			chart(groups, score+" by time to train", "seconds to train", score, false, func(row compare.Row) (x, y, spread float64) {
				return row.Times.Train, row.Mean, row.SD
			}),
			chart(groups, "Time to choose and evaluate the features", "features", "seconds", true, func(row compare.Row) (x, y, spread float64) {
				return float64(row.Features), row.Times.Generate, 0
			}))
	}
	return page.Execute(w, struct {
		R       *compare.Result
		Groups  []group
		Charts  []*Chart
		Best    map[int]float64
		Timed   bool
		Machine string
	}{r, groups, charts, best, timed, compare.Machine()})
}

// difference draws how much better each method is than the first, repetition by
// repetition: both have the same rows there, so their luck with the rows cancels.
func difference(groups []group, r *compare.Result) *Chart {
	first := groups[0].Method
	type key struct{ features, rep int }
	base := map[key]float64{}
	for _, c := range r.Cells {
		if c.Method == first && c.Failure == "" {
			base[key{c.Features, c.Rep}] = c.Score
		}
	}
	title, unit, sign := "Points of accuracy above "+first, "points above "+first, 1.0
	if r.Classes == 0 {
		title, unit, sign = "Points of error below "+first, "points below "+first, -1
	}
	c := chart(groups, title, "features", unit, false, func(row compare.Row) (x, y, spread float64) {
		var d []float64
		for _, c := range r.Cells {
			if b, ok := base[key{c.Features, c.Rep}]; ok && c.Method == row.Method && c.Features == row.Features && c.Failure == "" {
				d = append(d, sign*(c.Score-b))
			}
		}
		mean, sd := compare.MeanSD(d)
		return float64(row.Features), mean, sd
	})
	c.Dodge = 6
	return c
}

// chart draws one curve per method.
func chart(groups []group, title, x, y string, logY bool, point func(compare.Row) (x, y, spread float64)) *Chart {
	c := &Chart{Title: title, XLabel: x, YLabel: y, LogX: true, LogY: logY}
	for _, g := range groups {
		s := Series{Name: g.Method}
		for _, row := range g.Rows {
			if row.Reps == 0 {
				continue
			}
			px, py, spread := point(row)
			if math.IsNaN(py) {
				continue
			}
			s.Points = append(s.Points, Point{px, py, spread})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

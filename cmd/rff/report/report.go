// Package report writes a comparison or a fit as one HTML page. The page needs no other files, no
// fonts and no network. On the page of a comparison a few lines of script sort the table on a
// click; everything can be read without them.
package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/wording"
)

//go:embed shared.html page.html fit.html
var texts embed.FS

var pages = template.Must(Shared(nil).ParseFS(texts, "page.html", "fit.html"))

// Shared returns the template of what pages have in common, their style, script and functions,
// and adds the functions of more.
func Shared(more template.FuncMap) *template.Template {
	return template.Must(template.New("").Funcs(functions).Funcs(more).ParseFS(texts, "shared.html"))
}

var functions = template.FuncMap{
	"fixed":  func(digits int, v float64) string { return fmt.Sprintf("%.*f", digits, v) },
	"lambda": func(v float64) string { return fmt.Sprintf("%.0e", v) },
	"mib":    func(b uint64) string { return fmt.Sprintf("%.0f", float64(b)/(1<<20)) },
	"key":    func(i int) template.HTML { return template.HTML(key(i)) },
	"svg":    func(c *Chart) template.HTML { return template.HTML(c.svg()) },
	"style":  Style,
	"marker": func(i int) template.HTML { return template.HTML(point(i)) },
	"percent": func(v float64) string {
		if math.IsInf(v, 1) { // the fit has no solution
			return "—"
		}
		return fmt.Sprintf("%.3f", 100*v)
	},
	"seconds": func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) },
	"short":   wording.ShortNumbers,
	"sample":  keyOf,
	"date": func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format("2 January 2006, 15:04 MST")
	},
}

// group is the rows of one sampler.
type group struct {
	Sampler string
	Style   int
	Rows    []line
}

// line is a row of the table.
type line struct {
	*compare.Row
	Scores []string // the measures as text; the one that is compared comes first
	Values []float64
}

// grouped puts the rows of each sampler together.
func grouped(r *compare.Result, measures []compare.Measure) (groups []group) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if n := len(groups); n == 0 || groups[n-1].Sampler != row.Sampler {
			groups = append(groups, group{Sampler: row.Sampler, Style: n})
		}
		g := &groups[len(groups)-1]
		l := line{Row: row}
		if row.Reps > 0 {
			for _, m := range measures {
				l.Scores, l.Values = append(l.Scores, m.Text(row)), append(l.Values, row.Measures[m.Key])
			}
		}
		g.Rows = append(g.Rows, l)
	}
	return groups
}

// Write writes the report of r.
func Write(w io.Writer, r *compare.Result, about About) error {
	measures := r.Measures()
	groups := grouped(r, measures)
	return pages.ExecuteTemplate(w, "page.html", struct {
		R        *compare.Result
		About    About
		Groups   []group
		Charts   []*Chart
		Measures []compare.Measure
		Timed    bool
		Width    int // columns of the table
	}{r, about, groups, charts(groups, r), measures, r.Timed(), 3 + len(measures) + 6*btoi(r.Timed())})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// charts are the plots of a report.
func charts(groups []group, r *compare.Result) []*Chart {
	const features = "number of features"
	score, axis, most := "Accuracy", "accuracy on test rows (%)", 100.0
	if r.Classes == 0 {
		score, axis, most = r.ScoreName(), r.ScoreName()+" on test rows"+r.ScoreUnit(), 0
	}
	all := []*Chart{
		chart(groups, Chart{Title: score + " by number of features", XLabel: features, YLabel: axis, Most: most}, func(row *compare.Row) (x, y, spread float64) {
			return float64(row.Features), row.Mean, row.SD
		}),
	}
	if len(groups) > 1 {
		all = append(all, differences(groups, r))
	}
	if r.Timed() {
		all = append(all,
			chart(groups, Chart{Title: score + " by time to learn", XLabel: "time to choose features and fit (s)", YLabel: axis, Most: most}, func(row *compare.Row) (x, y, spread float64) {
				return row.Times.Learn(), row.Mean, row.SD
			}),
			chart(groups, Chart{Title: "Time to choose and evaluate features", XLabel: features, YLabel: "time (s)", LogY: true}, func(row *compare.Row) (x, y, spread float64) {
				return float64(row.Features), row.Times.Generate, 0
			}))
	}
	all = slices.DeleteFunc(all, func(c *Chart) bool { return len(c.Series) == 0 })
	for i, c := range all {
		c.ID = fmt.Sprintf("chart%d", i+1)
	}
	return all
}

// differences draws how much better each sampler is than the first, repetition by repetition. In
// a repetition both have the same rows, so their luck with the rows cancels.
func differences(groups []group, r *compare.Result) *Chart {
	first := groups[0].Sampler
	type key struct{ features, rep int }
	base := map[key]float64{}
	for _, c := range r.Cells {
		if c.Sampler == first && c.Failure == "" {
			base[key{c.Features, c.Rep}] = c.Score
		}
	}
	about, sign := Chart{Title: "Accuracy above " + first, YLabel: "accuracy above " + first + " (points)"}, 1.0
	if r.Classes == 0 {
		about, sign = Chart{Title: r.ScoreName() + " below " + first, YLabel: r.ScoreName() + " below " + first + r.ScoreUnit()}, -1
	}
	about.XLabel, about.Lines, about.Dodge = "number of features", []float64{0}, min(6, 30/float64(len(groups)))
	return chart(groups[1:], about, func(row *compare.Row) (x, y, spread float64) {
		var d []float64
		for _, c := range r.Cells {
			if b, ok := base[key{c.Features, c.Rep}]; ok && c.Sampler == row.Sampler && c.Features == row.Features && c.Failure == "" {
				d = append(d, sign*(c.Score-b))
			}
		}
		mean, sd := compare.MeanSD(d)
		return float64(row.Features), mean, sd
	})
}

// chart draws one curve per sampler that has points, with a logarithmic x axis.
func chart(groups []group, c Chart, point func(*compare.Row) (x, y, spread float64)) *Chart {
	c.LogX = true
	for _, g := range groups {
		s := Series{Name: g.Sampler, Style: g.Style}
		for _, row := range g.Rows {
			if row.Reps == 0 {
				continue
			}
			x, y, spread := point(row.Row)
			if math.IsNaN(y) || (c.LogX && !(x > 0)) || (c.LogY && !(y > 0)) {
				continue
			}
			s.Points = append(s.Points, Point{x, y, spread})
		}
		if s.Points != nil {
			c.Series = append(c.Series, s)
		}
	}
	return &c
}

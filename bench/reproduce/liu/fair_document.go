package liu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/compare"
	"github.com/rffgo/rff/bench/report"
	"github.com/rffgo/rff/bench/reproduce"
)

// fairRow is a row of the fair table.
type fairRow struct {
	data, sampler string
	perInput      int
	columns       int
	errors        []float64
	mean, sd      float64
	choose, learn float64             // seconds; 0: not measured
	ratio         float64             // of the mean errors, to plain features; 0: there are none
	versus        *compare.Difference // from plain features, paired
	missing       string
}

// fairTested is the least number of repetitions to test with.
const fairTested = 3

// fairName is what a sampler is called in tables and plots.
func fairName(sampler string) string {
	if sampler == printed {
		return "surrogate as printed"
	}
	return sampler
}

// fairRows sums up the cells, and marks what is beyond noise.
func fairRows(r *reproduce.Result) []*fairRow {
	planned := map[reproduce.Key]bool{}
	for _, k := range r.Planned {
		k.Rep = 0
		planned[k] = true
	}
	var rows []*fairRow
	for _, set := range r.Protocol.Sets {
		for _, m := range fairColumns {
			var base *fairRow
			for _, s := range r.Protocol.Samplers {
				k := reproduce.Key{Experiment: name, Protocol: r.Protocol.Name, Version: r.Protocol.Version, Data: set, Sampler: s, Size: m, Seed: r.Options.Seed}
				if !planned[k] {
					continue
				}
				row := &fairRow{data: set, sampler: s, perInput: m, columns: m}
				row.missing = r.Absent(set, s, m)
				row.fill(r.Of(set, s, m))
				if base == nil {
					base = row
				} else if base.missing == "" && row.missing == "" {
					row.ratio = row.mean / base.mean
					row.versus = fairDifference(r, row, base)
				}
				rows = append(rows, row)
			}
		}
	}
	var tested []*compare.Difference
	for _, row := range rows {
		if row.versus != nil {
			tested = append(tested, row.versus)
		}
	}
	slices.SortStableFunc(tested, func(a, b *compare.Difference) int {
		switch {
		case a.P < b.P:
			return -1
		case a.P > b.P:
			return 1
		}
		return 0
	})
	for _, d := range tested[:compare.Holm(tested, func(d *compare.Difference) float64 { return d.P })] {
		d.Beyond = "worse"
		if d.Mean < 0 {
			d.Beyond = "better"
		}
	}
	return rows
}

func (r *fairRow) fill(cells []reproduce.Cell) {
	if len(cells) == 0 {
		return
	}
	r.missing = ""
	timed := true
	for _, c := range cells {
		r.errors = append(r.errors, c.Values["error"])
		r.columns = int(c.Values["columns"])
		r.choose += c.Seconds["choose"] / float64(len(cells))
		r.learn += c.Seconds["learn"] / float64(len(cells))
		timed = timed && c.Seconds != nil
	}
	if !timed {
		r.choose, r.learn = 0, 0
	}
	r.mean, r.sd = compare.MeanSD(r.errors)
}

// fairDifference tests the errors of a row against those of plain features, with the
// correction for repetitions that share rows: those of a set with a test part of its
// own share all test rows and, drawn from more, some of the training rows, which
// counts alike.
func fairDifference(r *reproduce.Result, row, base *fairRow) *compare.Difference {
	at := map[int]float64{}
	for _, c := range r.Of(base.data, base.sampler, base.perInput) {
		at[c.Rep] = c.Values["error"]
	}
	var d []float64
	shared := 0.0
	for _, c := range r.Of(row.data, row.sampler, row.perInput) {
		if b, ok := at[c.Rep]; ok {
			d = append(d, c.Values["error"]-b)
			shared = c.Values["test_rows"] / c.Values["train_rows"]
		}
	}
	if len(d) < fairTested {
		return nil
	}
	return compare.Paired(d, shared, 0)
}

// verdict sums up a sampler over sets and numbers of frequencies.
type verdict struct {
	sampler             string
	n                   int
	ratio               float64 // geometric mean of the errors' ratios to plain features
	few, many           float64 // the same where a set has its fewest, its most columns
	better, worse, test int
	learn               float64 // total seconds, over those of plain features
}

// verdicts are of all samplers but plain features.
func verdicts(r *reproduce.Result, rows []*fairRow) []verdict {
	var out []verdict
	for _, s := range r.Protocol.Samplers[1:] {
		v := verdict{sampler: s}
		var sum, few, many, nFew, nMany, learn, plainLearn float64
		for _, row := range rows {
			if row.sampler != s || !(row.ratio > 0) {
				continue
			}
			v.n++
			l := math.Log(row.ratio)
			sum += l
			least, most := bounds(rows, row.data)
			if row.perInput == least {
				few, nFew = few+l, nFew+1
			}
			if row.perInput == most {
				many, nMany = many+l, nMany+1
			}
			if row.versus != nil {
				v.test++
				switch row.versus.Beyond {
				case "better":
					v.better++
				case "worse":
					v.worse++
				}
			}
			for _, base := range rows {
				if base.sampler == r.Protocol.Samplers[0] && base.data == row.data && base.perInput == row.perInput {
					learn, plainLearn = learn+row.learn, plainLearn+base.learn
				}
			}
		}
		if v.n == 0 {
			continue
		}
		v.ratio, v.few, v.many = math.Exp(sum/float64(v.n)), math.Exp(few/nFew), math.Exp(many/nMany)
		if plainLearn > 0 {
			v.learn = learn / plainLearn
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b verdict) int {
		switch {
		case a.ratio < b.ratio:
			return -1
		case a.ratio > b.ratio:
			return 1
		}
		return 0
	})
	return out
}

// bounds returns the fewest and the most frequencies per input of a set that have
// figures.
func bounds(rows []*fairRow, set string) (least, most int) {
	for _, row := range rows {
		if row.data == set && row.ratio > 0 {
			if least == 0 {
				least = row.perInput
			}
			most = row.perInput
		}
	}
	return least, most
}

// fairDocument says which sampler is worth it, and when.
func fairDocument(r *reproduce.Result) *report.Document {
	rows := fairRows(r)
	all := verdicts(r, rows)
	d := &report.Document{
		Title: "The samplers of Liu et al. (AAAI 2020) and others, compared fairly",
		Lead: []string{
			"Test error of ridge regression on equally many columns of features by several samplers: wrong labels in %, or ‖y − f‖/‖y‖ in % for regressions (cpuact, blogfeedback).",
			fmt.Sprintf("Every sampler has the same rows (at most %s to train on and %s to test on, at random), inputs mapped to [0,1] by the 0.1 %% and 99.9 %% quantiles of the training rows, a Gaussian kernel whose bandwidth cross-validation of plain features on the training rows has chosen, the same draws, and its own λ per sample from 10⁻⁹ to 10⁻¹ by cross-validation on the training rows. metric and refined choose their bandwidth themselves, with what they learn. \"surrogate as printed\" is Algorithm 1 with its draw, %s: columns that it draws twice are one, so it has fewer.", "10,000", "20,000", printed),
		},
		Findings: fairFindings(all),
		Tables:   []*report.Table{fairTable(rows), verdictTable(all)},
		Notes: []string{
			"Error: mean ± standard deviation over the repetitions. Ratio: of the mean errors, to plain features with as many columns. Better and worse than plain features beyond noise: a t-test over paired repetitions with Nadeau and Bengio's correction for rows that they share, and Holm's for all comparisons of the table, at the level of 5 %. Seconds: choosing the features, and that with the whole fit.",
		},
	}
	for _, set := range r.Protocol.Sets {
		d.Charts = append(d.Charts, fairChart(r, rows, set)...)
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

// fairFindings says in words what the verdicts have.
func fairFindings(all []verdict) []string {
	if len(all) == 0 {
		return []string{"No sampler can be held against plain features yet: no cells of both are done."}
	}
	part := func(v verdict, ratio float64) string { return fmt.Sprintf("%s %.2f", fairName(v.sampler), ratio) }
	var first, few, many, beyond, none []string
	for _, v := range all {
		first = append(first, fmt.Sprintf("%s (%d)", part(v, v.ratio), v.n))
		few, many = append(few, part(v, v.few)), append(many, part(v, v.many))
		switch {
		case v.better+v.worse > 0:
			beyond = append(beyond, fmt.Sprintf("%s better in %d and worse in %d of %d", fairName(v.sampler), v.better, v.worse, v.test))
		case v.test > 0:
			none = append(none, fairName(v.sampler))
		}
	}
	a := "Against plain features with equally many columns and the same tuning, the errors of the samplers are, as geometric means over sets and numbers of columns (how many in brackets): " + strings.Join(first, ", ") + "; below 1 is better."
	if !slices.Equal(few, many) {
		a += " With the fewest columns of each set: " + strings.Join(few, ", ") + ". With the most: " + strings.Join(many, ", ") + "."
	}
	b := fmt.Sprintf("With fewer than %d repetitions no difference is tested against noise.", fairTested)
	if len(beyond)+len(none) > 0 {
		b = "No sampler differs from plain features beyond noise."
		if len(beyond) > 0 {
			b = "Beyond noise, against plain features: " + strings.Join(beyond, "; ") + " comparisons."
			if len(none) > 0 {
				b += " No difference beyond noise anywhere: " + strings.Join(none, ", ") + "."
			}
		}
	}
	return []string{a, b}
}

func fairTable(rows []*fairRow) *report.Table {
	t := &report.Table{Caption: "Test errors by sampler and number of columns",
		Head: []string{"data", "s/d", "columns", "sampler", "reps", "error %", "sd", "ratio", "p", "choose s", "learn s"}}
	blank := report.Word("")
	for _, r := range rows {
		line := []report.Entry{report.Word(r.data), report.Number("%.0f", float64(r.perInput)), report.Number("%.0f", float64(r.columns)), report.Word(fairName(r.sampler))}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, report.Word(r.missing), blank, blank, blank, blank, blank))
			continue
		}
		e := report.Number("%.2f", r.mean)
		ratio, p := blank, blank
		if r.ratio > 0 {
			ratio = report.Number("%.3f", r.ratio)
		}
		if r.versus != nil {
			p = report.Number("%.2g", r.versus.P)
			e.Better, e.Worse = r.versus.Beyond == "better", r.versus.Beyond == "worse"
		}
		t.Rows = append(t.Rows, append(line, report.Number("%.0f", float64(len(r.errors))), e, report.Deviation("%.2f", r.sd, len(r.errors)), ratio, p, seconds(r.choose), seconds(r.learn)))
	}
	return t
}

func verdictTable(all []verdict) *report.Table {
	t := &report.Table{Caption: "Which sampler is worth it, against plain features",
		Head: []string{"sampler", "comparisons", "ratio of errors", "with the fewest columns", "with the most", "tested", "better", "worse", "time to learn, ratio"}}
	for _, v := range all {
		learn := report.Word("")
		if v.learn > 0 {
			learn = report.Number("%.1f", v.learn)
		}
		whole := func(n int) report.Entry { return report.Number("%.0f", float64(n)) }
		t.Rows = append(t.Rows, []report.Entry{report.Word(fairName(v.sampler)), whole(v.n), report.Number("%.3f", v.ratio), report.Number("%.3f", v.few), report.Number("%.3f", v.many), whole(v.test), whole(v.better), whole(v.worse), learn})
	}
	return t
}

// fairChart has the errors of a set, and their ratios to those of plain features.
func fairChart(r *reproduce.Result, rows []*fairRow, set string) []*report.Chart {
	unit := "wrong test labels (%)"
	if set == "cpuact" || set == "blogfeedback" {
		unit = "‖y − f‖/‖y‖ on test rows (%)"
	}
	errors := &report.Chart{Title: set + ": test error", XLabel: "columns of features", YLabel: unit, LogX: true, LogY: true, Dodge: 2}
	ratios := &report.Chart{Title: set + ": error over that of plain features", XLabel: "columns of features", YLabel: "ratio of errors", LogX: true}
	for style, s := range r.Protocol.Samplers {
		e, q := report.Series{Name: fairName(s), Style: style}, report.Series{Name: fairName(s), Style: style}
		for _, row := range rows {
			if row.data != set || row.sampler != s || row.missing != "" {
				continue
			}
			x := float64(row.perInput)
			e.Points = append(e.Points, report.Point{X: x, Y: row.mean, Spread: narrow(row.mean, row.sd)})
			if row.ratio > 0 {
				q.Points = append(q.Points, report.Point{X: x, Y: row.ratio})
			}
		}
		add(errors, e)
		add(ratios, q)
	}
	return slices.DeleteFunc([]*report.Chart{errors, ratios}, func(c *report.Chart) bool { return len(c.Series) == 0 })
}

package liu

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/report"
)

// fairRow is a row of the fair table.
type fairRow struct {
	data, sampler string
	size          int     // columns asked for
	columns       float64 // that the map has, in the mean
	errors        []float64
	mean, sd      float64
	choose, learn float64 // seconds; 0: not measured
	ratio         float64 // of the mean errors, to plain features; 0: there are none
	missing       string
}

// fairName is what a sampler is called in tables and plots.
func fairName(sampler string) string {
	if sampler == printed {
		return "surrogate as printed"
	}
	return sampler
}

// fairRows sums up the cells.
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
				row := &fairRow{data: set, sampler: s, size: m, missing: r.Absent(set, s, m, "")}
				row.fill(r.Of(set, s, m, ""))
				if base == nil {
					base = row
				} else if base.missing == "" && row.missing == "" {
					row.ratio = row.positive(r) / base.positive(r)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// positive is the mean error, or that of half a wrong row if there is none.
func (r *fairRow) positive(all *reproduce.Result) float64 {
	return max(r.mean, 50/all.Of(r.data, r.sampler, r.size, "")[0].Values["test_rows"])
}

func (r *fairRow) fill(cells []reproduce.Cell) {
	if len(cells) == 0 {
		return
	}
	r.missing = ""
	timed := true
	for _, c := range cells {
		share := 1 / float64(len(cells))
		r.errors = append(r.errors, c.Values["error"])
		r.columns += share * c.Values["columns"]
		r.choose += share * c.Seconds["choose"]
		r.learn += share * c.Seconds["learn"]
		timed = timed && c.Seconds != nil
	}
	if !timed {
		r.choose, r.learn = 0, 0
	}
	r.mean, r.sd = compare.MeanSD(r.errors)
}

// verdict says how a sampler does on all sets, against plain features.
type verdict struct {
	sampler       string
	size          int     // 0: the mean over all numbers of columns
	ranked                // of the logarithms of the ratios, one of each set
	better, worse int     // sets with a smaller, a larger error
	beyond        string  // "better" or "worse" beyond noise
	learn         float64 // total seconds over those of plain features; 0: not measured
}

// ratio is the centre of the ratios.
func (v *verdict) ratio() float64 { return math.Exp(v.Center) }

// verdictOf takes the rows of a sampler that are to count.
func verdictOf(rows []*fairRow, sampler string, size int, sets func(string) bool) verdict {
	v := verdict{sampler: sampler, size: size}
	sum, n := map[string]float64{}, map[string]float64{}
	var order []string
	var learn, plainLearn float64
	for i, row := range rows {
		if row.sampler == fairSamplers[0] {
			plainLearn = rows[i].learn
		}
		if row.sampler != sampler || !(row.ratio > 0) || size != 0 && row.size != size || !sets(row.data) {
			continue
		}
		if n[row.data] == 0 {
			order = append(order, row.data)
		}
		sum[row.data], n[row.data] = sum[row.data]+math.Log(row.ratio), n[row.data]+1
		if plainLearn > 0 {
			learn += row.learn / plainLearn
		}
	}
	var d []float64
	total := 0.0
	for _, set := range order {
		mean := sum[set] / n[set]
		switch d = append(d, mean); {
		case mean < 0:
			v.better++
		case mean > 0:
			v.worse++
		}
		total += n[set]
	}
	v.ranked = signedRank(d)
	if total > 0 {
		v.learn = learn / total
	}
	return v
}

// verdicts are of all samplers but plain features, over all numbers of columns, the best
// first, and with each of them. Holm's correction is over the samplers for the first, and
// over samplers and numbers for the others.
func verdicts(rows []*fairRow) (all, sized []verdict) {
	every := func(string) bool { return true }
	for _, s := range fairSamplers[1:] {
		if v := verdictOf(rows, s, 0, every); v.N > 0 {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b verdict) int { return cmp.Compare(a.Center, b.Center) })
	mark(all)
	for _, first := range all {
		for _, m := range fairColumns {
			if v := verdictOf(rows, first.sampler, m, every); v.N > 0 {
				sized = append(sized, v)
			}
		}
	}
	mark(sized)
	return all, sized
}

// mark marks what is beyond noise.
func mark(all []verdict) {
	sorted := make([]*verdict, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortStableFunc(sorted, func(a, b *verdict) int { return cmp.Compare(a.P, b.P) })
	for _, v := range sorted[:compare.Holm(sorted, func(v *verdict) float64 { return v.P })] {
		v.beyond = "worse"
		if v.Center < 0 {
			v.beyond = "better"
		}
	}
}

// kinds are groups of sets, to say when a sampler is worth it.
var kinds = []struct {
	name string
	has  func(set string) bool
}{
	{"classification", func(set string) bool { return !slices.Contains(fairRegressions, set) }},
	{"regression", func(set string) bool { return slices.Contains(fairRegressions, set) }},
	{"at most 21 inputs", func(set string) bool { return !slices.Contains(fairMany, set) }},
	{"more inputs", func(set string) bool { return slices.Contains(fairMany, set) }},
}

// fairDocument says which sampler is worth it, and when.
func fairDocument(r *reproduce.Result) *writeup.Document {
	rows := fairRows(r)
	all, sized := verdicts(rows)
	d := &writeup.Document{
		Title: "The samplers of Liu et al. (AAAI 2020) and others, compared fairly",
		Lead: []string{
			"Test error of ridge regression on equally many columns of features by several samplers: wrong labels in %, or ‖y − f‖/‖y‖ in % for regressions (" + strings.Join(fairRegressions, ", ") + ").",
			fmt.Sprintf("Every sampler has the same rows (at most %d to train on and %d to test on, at random), inputs mapped to [0,1] by the 0.1 %% and 99.9 %% quantiles of the training rows, a Gaussian kernel, the same draws, and its own λ per sample from 10⁻⁹ to 10⁻¹ by cross-validation on the training rows. Its bandwidth begins at the one that cross-validation of plain features chooses on them, and is halved or doubled while the error on a fifth of the training rows falls, with features chosen on the others. metric and refined choose their bandwidth themselves, with what they learn. \"surrogate as printed\" is Algorithm 1 with its draw, %s: columns that it draws twice are one, so it has fewer.", fairTrain, fairTest, printed),
		},
		Findings: fairFindings(all, sized),
		Tables:   []*writeup.Table{fairTable(rows), verdictTable(all, sized), kindTable(rows, all), errorTable(r, rows)},
		Notes: []string{
			"Error: mean ± standard deviation over the repetitions. Ratio: of the mean errors, to plain features with as many columns. For the verdicts every set counts once, by the mean logarithm of its ratios: they have the Hodges–Lehmann centre of the sets' ratios with its interval of 95 %, and the p of Wilcoxon's signed-rank test. Better and worse than plain features beyond noise: by Holm's correction, over the samplers for all numbers of columns together, and over samplers and numbers for each of them, at the level of 5 %. Intervals are not corrected. Seconds: choosing bandwidth and features, and that with the whole fit.",
		},
	}
	if c := ratioChart(sized); c != nil {
		d.Charts = append(d.Charts, c)
	}
	for _, set := range r.Protocol.Sets {
		d.Charts = append(d.Charts, fairChart(r, rows, set)...)
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

// free are the samplers that look at no data: what a default may be.
var free = []string{"halton", "orf", "sobol"}

// fairFindings says in words what the verdicts have.
func fairFindings(all, sized []verdict) []string {
	if len(all) == 0 {
		return []string{"No sampler can be held against plain features yet: no cells of both are done."}
	}
	var ratios, better, worse, none, alone []string
	for _, v := range all {
		text := fmt.Sprintf("%s %.2f", fairName(v.sampler), v.ratio())
		if !math.IsInf(v.High, 1) {
			text += fmt.Sprintf(" (%.2f to %.2f)", math.Exp(v.Low), math.Exp(v.High))
		}
		ratios = append(ratios, text)
		switch v.beyond {
		case "better":
			better = append(better, fairName(v.sampler))
		case "worse":
			worse = append(worse, fairName(v.sampler))
		default:
			if none = append(none, fairName(v.sampler)); math.Exp(v.Low) >= 1.005 || math.Exp(v.High) < 0.995 { // as printed
				alone = append(alone, fairName(v.sampler))
			}
		}
	}
	n := 0
	for _, v := range all {
		n = max(n, v.N)
	}
	a := fmt.Sprintf("Against plain features with equally many columns and the same tuning, the errors on up to %d sets are, with intervals of 95 %%: %s; below 1 is better.", n, strings.Join(ratios, ", "))
	for _, m := range fairColumns {
		var at []string
		for _, v := range sized {
			if v.size == m && v.beyond != "" {
				at = append(at, fmt.Sprintf("%s %.2f", fairName(v.sampler), v.ratio()))
			}
		}
		if len(at) > 0 {
			a += fmt.Sprintf(" With %d columns, beyond noise: %s.", m, strings.Join(at, ", "))
		}
	}
	say := func(names []string, what string) string {
		if len(names) == 0 {
			return "no sampler is " + what
		}
		return what + " " + strings.Join(names, ", ")
	}
	b := "Beyond noise, over all numbers of columns: " + say(better, "better") + "; " + say(worse, "worse") + "."
	if len(none) > 0 {
		b += " Not to be told from plain features: " + strings.Join(none, ", ")
		if len(alone) > 0 {
			b += fmt.Sprintf(", although 1 is outside of the interval of %s: an interval is for one comparison, and the verdict corrects for all %d", strings.Join(alone, " and of that of "), len(all))
		}
		b += "."
	}
	return []string{a, b + " " + defaultWords(all)}
}

// defaultWords says what the table has to say on a default that looks at no data.
func defaultWords(all []verdict) string {
	best := ""
	for _, v := range all {
		if slices.Contains(free, v.sampler) && v.beyond == "better" && best == "" {
			best = v.sampler
		}
	}
	if best != "" {
		return "Of the samplers that look at no data, " + best + " is the best, beyond noise: the table asks for it as the default."
	}
	for _, v := range all {
		if v.sampler == "orf" && v.beyond == "worse" {
			return "orf, the default of this library for isotropic kernels, is worse than plain features: the table asks for these as the default."
		}
	}
	return "Of the samplers that look at no data none is better than plain features beyond noise, so the table asks for no other default than orf, which costs no more; what a default gains is learned from data or has landmarks, as krr.Auto tries both."
}

func fairTable(rows []*fairRow) *writeup.Table {
	t := &writeup.Table{Caption: "Test errors by sampler and number of columns",
		Head: []string{"data", "columns", "sampler", "has", "reps", "error %", "sd", "ratio", "choose s", "learn s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(fairName(r.sampler))}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, blank, writeup.Word(r.missing), blank, blank, blank, blank))
			continue
		}
		ratio := blank
		if r.ratio > 0 {
			ratio = writeup.Number("%.3f", r.ratio)
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", r.columns), writeup.Number("%.0f", float64(len(r.errors))), writeup.Number("%.2f", r.mean), writeup.Deviation("%.2f", r.sd, len(r.errors)), ratio, seconds(r.choose), seconds(r.learn)))
	}
	return t
}

func verdictTable(all, sized []verdict) *writeup.Table {
	t := &writeup.Table{Caption: "Which sampler is worth it, against plain features",
		Head: []string{"sampler", "columns", "sets", "ratio of errors", "from", "to", "p", "beyond noise", "better on", "worse on", "time to learn, ratio"}}
	add := func(v verdict) {
		blank := writeup.Word("")
		columns, low, high, learn := writeup.Word("all"), blank, blank, blank
		if v.size > 0 {
			columns = writeup.Number("%.0f", float64(v.size))
		}
		if !math.IsInf(v.High, 1) {
			low, high = writeup.Number("%.3f", math.Exp(v.Low)), writeup.Number("%.3f", math.Exp(v.High))
		}
		if v.learn > 0 {
			learn = writeup.Number("%.1f", v.learn)
		}
		whole := func(n int) writeup.Entry { return writeup.Number("%.0f", float64(n)) }
		ratio := writeup.Number("%.3f", v.ratio())
		ratio.Better, ratio.Worse = v.beyond == "better", v.beyond == "worse"
		t.Rows = append(t.Rows, []writeup.Entry{writeup.Word(fairName(v.sampler)), columns, whole(v.N), ratio, low, high, writeup.Number("%.2g", v.P), writeup.Word(v.beyond), whole(v.better), whole(v.worse), learn})
	}
	for _, v := range all {
		add(v)
	}
	for _, v := range sized {
		add(v)
	}
	return t
}

// kindTable has the ratios by kind of set, which are too few to be tested.
func kindTable(rows []*fairRow, all []verdict) *writeup.Table {
	t := &writeup.Table{Caption: "Ratios of errors by kind of set", Head: []string{"sampler"}}
	for _, k := range kinds {
		n := 0
		for _, v := range all {
			n = max(n, verdictOf(rows, v.sampler, 0, k.has).N)
		}
		t.Head = append(t.Head, fmt.Sprintf("%s (%d sets)", k.name, n))
	}
	for _, v := range all {
		line := []writeup.Entry{writeup.Word(fairName(v.sampler))}
		for _, k := range kinds {
			e := writeup.Word("")
			if of := verdictOf(rows, v.sampler, 0, k.has); of.N > 0 {
				e = writeup.Number("%.3f", of.ratio())
			}
			line = append(line, e)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// errorTable has the errors side by side.
func errorTable(r *reproduce.Result, rows []*fairRow) *writeup.Table {
	t := &writeup.Table{Caption: "Test errors side by side, %", Head: []string{"data", "columns"}}
	for _, s := range r.Protocol.Samplers {
		t.Head = append(t.Head, fairName(s))
	}
	for _, set := range r.Protocol.Sets {
		for _, m := range fairColumns {
			line := []writeup.Entry{writeup.Word(set), writeup.Number("%.0f", float64(m))}
			done := false
			for _, s := range r.Protocol.Samplers {
				e := writeup.Word("")
				for _, row := range rows {
					if row.data == set && row.size == m && row.sampler == s && row.missing == "" {
						e, done = writeup.Number("%.2f", row.mean), true
					}
				}
				line = append(line, e)
			}
			if done {
				t.Rows = append(t.Rows, line)
			}
		}
	}
	return t
}

// ratioChart has the ratios over all sets against the number of columns.
func ratioChart(sized []verdict) *report.Chart {
	c := &report.Chart{Title: "all sets: error over that of plain features", XLabel: "columns of features", YLabel: "ratio of errors", LogX: true, Wide: true, Lines: []float64{1}, Ends: true}
	for style, s := range fairSamplers {
		series := report.Series{Name: fairName(s), Style: style}
		for _, v := range sized {
			if v.sampler == s {
				series.Points = append(series.Points, report.Point{X: float64(v.size), Y: v.ratio()})
			}
		}
		add(c, series)
	}
	if len(c.Series) == 0 {
		return nil
	}
	return c
}

// fairChart has the errors of a set, and their ratios to those of plain features.
func fairChart(r *reproduce.Result, rows []*fairRow, set string) []*report.Chart {
	unit := "wrong test labels (%)"
	if slices.Contains(fairRegressions, set) {
		unit = "‖y − f‖/‖y‖ on test rows (%)"
	}
	errors := &report.Chart{Title: set + ": test error", XLabel: "columns of features", YLabel: unit, LogX: true, LogY: true, Dodge: 2, Ends: true}
	ratios := &report.Chart{Title: set + ": error over that of plain features", XLabel: "columns of features", YLabel: "ratio of errors", LogX: true, Lines: []float64{1}, Ends: true}
	for style, s := range r.Protocol.Samplers {
		e, q := report.Series{Name: fairName(s), Style: style}, report.Series{Name: fairName(s), Style: style}
		for _, row := range rows {
			if row.data != set || row.sampler != s || row.missing != "" {
				continue
			}
			x := float64(row.size)
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

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

// long are the names of the methods in plots, in the order of their styles.
var long = []struct{ method, name string }{
	{plain, "RFF"}, {qmc, "QMC"}, {leverage, "leverage"}, {surrogate, "surrogate"}, {divided, "RFF with λ/(2s)"},
}

func longName(method string) (string, int) {
	i := slices.IndexFunc(long, func(l struct{ method, name string }) bool { return l.method == method })
	return long[i].name, i
}

// publishedDocument says what the published protocol gave, beside the paper.
func publishedDocument(r *reproduce.Result) *writeup.Document {
	rows := tableRows(r)
	d := &writeup.Document{
		Title: "Table 3 of Liu et al. (AAAI 2020) as published",
		Lead: []string{
			"Test accuracy of ridge regression on random Fourier features: plain ones (RFF), Halton points (QMC), leverage scores and surrogate leverage scores, s frequencies each, against the figures of the paper.",
			"The protocol is the one that the paper's figures come from, which is not the one that it prints: frequencies from N(0, I), inputs standardised row by row (covtype: columns to [0,1] over all rows), λ of 0.05, 0.1, 0.5, 1 added to ZᵀZ as it is, chosen by the accuracy over three folds, Z not centred, and all columns kept for leverage and surrogate, each divided by √p. Rows are divided in halves at random; cod-RNA has files of its own.",
		},
		Findings: []string{agreement(rows) + held(rows), identity(r)},
		Tables:   []*writeup.Table{publishedTable(rows), bandTable(rows), identityTable(r), growthTable(rows)},
		Notes: []string{
			"What reproduces: the mean within so many points of the paper's, which is of 10 repetitions; reps are the fewest here.",
			"Accuracy: test rows with the right sign, mean ± standard deviation over the repetitions. • in the paper and ● here: better than both RFF and QMC by a paired t-test at the level of 5 %. p: of the difference from RFF and from QMC. Difference: here less paper, in points. Seconds: drawing, choosing and evaluating the features of all training rows; the paper's are MATLAB's on an Intel i5-6500.",
		},
	}
	for _, set := range r.Protocol.Sets {
		d.Charts = append(d.Charts, publishedCharts(r, rows, set)...)
	}
	d.Notes = append(d.Notes, differences(r)...)
	return d
}

// differences says what the sets have that the paper's have not, and what is missing.
func differences(r *reproduce.Result) []string {
	var notes []string
	for _, set := range r.Protocol.Sets {
		if _, ok := r.Missing[set]; ok {
			continue
		}
		switch set {
		case "covtype":
			notes = append(notes, "covtype: a sample of 16 % of the rows, 46,481 to train on and as many to test on, where the paper has 290,506 of either.")
		case "cod-rna":
			notes = append(notes, "cod-rna: the test rows are the file cod-rna.t (271,617), the paper's are cod-rna.r (157,413), which is not at hand: its figures cannot be compared.")
		}
	}
	return append(notes, r.Notes()...)
}

// comparable reports whether a set's figures can be held against the paper's.
func comparable(set string) bool { return set != "cod-rna" }

// agreement says how near the paper the accuracies are.
func agreement(rows []*row) string {
	within, near, n, reps := 0, 0, 0, 0
	var worst *row
	bySet := map[string][2]int{}
	var order []string
	for _, r := range rows {
		if r.missing != "" || r.paper == nil || !comparable(r.data) {
			continue
		}
		reps = max(reps, len(r.accuracy))
		n++
		count, seen := bySet[r.data]
		if !seen {
			order = append(order, r.data)
		}
		count[1]++
		if math.Abs(r.mean-r.paper.Accuracy) <= 0.5 {
			within++
			count[0]++
		}
		if math.Abs(r.mean-r.paper.Accuracy) <= 2*r.standardError() {
			near++
		}
		bySet[r.data] = count
		if worst == nil || math.Abs(r.mean-r.paper.Accuracy) > math.Abs(worst.mean-worst.paper.Accuracy) {
			worst = r
		}
	}
	if n == 0 {
		return "No accuracy of this run can be held against one that the paper prints."
	}
	var sets []string
	for _, s := range order {
		sets = append(sets, fmt.Sprintf("%s %d of %d", s, bySet[s][0], bySet[s][1]))
	}
	method, _ := longName(worst.method)
	return fmt.Sprintf("%d of the %d accuracies that can be held against the paper are within half a point of it (%s), and %d are within two standard errors of the difference, with at most %s here and 10 there. The largest difference is %+.2f points: %s on %s with s = %dd, %.2f here and %.2f in the paper.",
		within, n, strings.Join(sets, ", "), near, count(reps, "repetition"), worst.mean-worst.paper.Accuracy, method, worst.data, worst.perInput, worst.mean, worst.paper.Accuracy)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// gap has the differences of one set and number of frequencies, repetition by
// repetition.
type gap struct {
	data           string
	perInput       int
	gain           *compare.Difference // surrogate less RFF
	rest           *compare.Difference // surrogate less RFF with λ/(2s)
	gains, rests   []float64
	gainSD, restSD float64
}

// gaps returns them in the order of the table.
func gaps(r *reproduce.Result) []gap {
	var out []gap
	for _, set := range r.Protocol.Sets {
		for _, m := range all {
			g := gap{data: set, perInput: m}
			at := map[string]map[int]float64{}
			for _, method := range []string{plain, divided, surrogate} {
				at[method] = map[int]float64{}
				for _, c := range r.Of(set, method, m, "") {
					at[method][c.Rep] = c.Values["accuracy"]
				}
			}
			for _, c := range r.Of(set, surrogate, m, "") {
				a, okA := at[plain][c.Rep]
				b, okB := at[divided][c.Rep]
				if okA && okB {
					g.gains, g.rests = append(g.gains, c.Values["accuracy"]-a), append(g.rests, c.Values["accuracy"]-b)
				}
			}
			if len(g.gains) == 0 {
				continue
			}
			g.gain, g.rest = compare.Paired(g.gains, 0, 0), compare.Paired(g.rests, 0, 0)
			_, g.gainSD = compare.MeanSD(g.gains)
			_, g.restSD = compare.MeanSD(g.rests)
			out = append(out, g)
		}
	}
	return out
}

// identity says where the gain of the surrogate comes from, as far as the numbers do.
func identity(r *reproduce.Result) string {
	var gain, rest, largest, n float64
	var where gap
	for _, g := range gaps(r) {
		if g.gain.Mean < 1 { // nothing gained, nothing to explain
			continue
		}
		n++
		gain, rest = gain+g.gain.Mean, rest+g.rest.Mean
		if math.Abs(g.rest.Mean) >= math.Abs(largest) {
			largest, where = g.rest.Mean, g
		}
	}
	if n == 0 {
		return "Nowhere in this run does the surrogate gain a point over plain features, so it does not show where such a gain comes from."
	}
	text := fmt.Sprintf("Where the surrogate gains at least one point over plain features (%d of the sets and numbers of frequencies), it gains %.2f points on average. Plain features with every λ divided by their 2s columns are %.2f points from it on average, at most %+.2f (%s, s = %dd).",
		int(n), gain/n, rest/n, largest, where.data, where.perInput)
	switch share := 1 - rest/gain; {
	case share >= 0.75:
		text += fmt.Sprintf(" So %.0f %% of the gain is that of a smaller λ, which dividing the columns by √p brings about; the rest is of the weights of the columns. No frequency is chosen.", math.Min(100, 100*share))
	case share >= 0.25:
		text += fmt.Sprintf(" So %.0f %% of the gain is that of a smaller λ; the rest is of the weights of the columns.", 100*share)
	default:
		text += " The smaller λ does not explain the gain in this run."
	}
	return text + stillDifferent(gaps(r))
}

// stillDifferent says where the surrogate differs from plain features with λ/(2s)
// beyond noise.
func stillDifferent(all []gap) string {
	var tested []gap
	for _, g := range all {
		if len(g.rests) > 2 {
			tested = append(tested, g)
		}
	}
	if tested == nil {
		return ""
	}
	slices.SortStableFunc(tested, func(a, b gap) int { return cmp.Compare(a.rest.P, b.rest.P) })
	beyond := tested[:compare.Holm(tested, func(g gap) float64 { return g.rest.P })]
	if len(beyond) == 0 {
		return fmt.Sprintf(" In none of %d comparisons do the two differ beyond noise (paired t-test, Holm's correction, 5 %%).", len(tested))
	}
	var where []string
	for _, g := range beyond {
		where = append(where, fmt.Sprintf("%s %dd by %+.2f", g.data, g.perInput, g.rest.Mean))
	}
	return fmt.Sprintf(" In %d of %d comparisons the two differ beyond noise (paired t-test, Holm's correction, 5 %%): %s.", len(beyond), len(tested), strings.Join(where, ", "))
}

// publishedTable has the accuracies and the seconds beside the paper's.
func publishedTable(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Accuracy and seconds, here and in the paper",
		Head: []string{"data", "s/d", "method", "reps", "accuracy %", "sd", "mark", "paper %", "paper sd", "paper mark", "difference", "p, RFF", "p, QMC", "seconds", "paper s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		name, _ := longName(r.method)
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.perInput)), writeup.Word(name)}
		paper := []writeup.Entry{writeup.Word("–"), blank, blank}
		if r.paper != nil {
			paper = []writeup.Entry{writeup.Number("%.2f", r.paper.Accuracy), writeup.Number("%.2f", r.paper.AccuracySD), blank}
			if r.paper.Significant {
				paper[2] = writeup.Word("•")
			}
		}
		if r.missing != "" {
			line = append(line, blank, writeup.Word(r.missing), blank, blank)
			line = append(append(line, paper...), blank, blank, blank, blank, blank)
			t.Rows = append(t.Rows, line)
			continue
		}
		mark := blank
		if r.significant() {
			mark = writeup.Word("●")
		}
		line = append(line, writeup.Number("%.0f", float64(len(r.accuracy))), writeup.Number("%.2f", r.mean), writeup.Deviation("%.2f", r.sd, len(r.accuracy)), mark)
		line = append(line, paper...)
		difference := blank
		if r.paper != nil {
			difference = writeup.Number("%+.2f", r.mean-r.paper.Accuracy)
		}
		line = append(line, difference, probability(r.overRFF), probability(r.overQMC), seconds(r.seconds), blank)
		if r.paper != nil {
			line[len(line)-1] = seconds(r.paper.Generate)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func probability(d *compare.Difference) writeup.Entry {
	if d == nil {
		return writeup.Word("")
	}
	return writeup.Number("%.2g", d.P)
}

func seconds(v float64) writeup.Entry {
	if v == 0 {
		return writeup.Word("")
	}
	return writeup.Number("%.3g", v)
}

// identityTable has what the surrogate gains, and what is left of it against plain
// features with λ/(2s).
func identityTable(r *reproduce.Result) *writeup.Table {
	t := &writeup.Table{Caption: "Where the surrogate's gain comes from, in points",
		Head: []string{"data", "s/d", "repetitions", "surrogate − RFF", "sd", "surrogate − RFF with λ/(2s)", "sd", "p"}}
	for _, g := range gaps(r) {
		t.Rows = append(t.Rows, []writeup.Entry{writeup.Word(g.data), writeup.Number("%.0f", float64(g.perInput)), writeup.Number("%.0f", float64(len(g.gains))),
			writeup.Number("%+.2f", g.gain.Mean), writeup.Deviation("%.2f", g.gainSD, len(g.gains)), writeup.Number("%+.2f", g.rest.Mean), writeup.Deviation("%.2f", g.restSD, len(g.gains)), probability(g.rest)})
	}
	return t
}

// growthTable has the exponents with which the seconds grow.
func growthTable(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Growth of the seconds with s: exponent, by least squares on logarithms over s ≥ 8d",
		Head: []string{"data", "method", "here", "paper"}}
	for _, at := range order(rows) {
		var x, y, px, py []float64
		for _, r := range rows {
			if r.data != at.data || r.method != at.method || r.perInput < 8 {
				continue
			}
			if r.seconds > 0 {
				x, y = append(x, float64(r.perInput)), append(y, r.seconds)
			}
			if r.paper != nil {
				px, py = append(px, float64(r.perInput)), append(py, r.paper.Generate)
			}
		}
		name, _ := longName(at.method)
		line := []writeup.Entry{writeup.Word(at.data), writeup.Word(name), writeup.Word(""), writeup.Word("")}
		known := false
		for i, e := range []float64{slope(x, y), slope(px, py)} {
			if !math.IsNaN(e) {
				line[2+i], known = writeup.Number("%.2f", e), true
			}
		}
		if known {
			t.Rows = append(t.Rows, line)
		}
	}
	return t
}

// order returns the sets and methods of rows, each once.
func order(rows []*row) []row {
	var out []row
	for _, r := range rows {
		if !slices.ContainsFunc(out, func(o row) bool { return o.data == r.data && o.method == r.method }) {
			out = append(out, row{data: r.data, method: r.method})
		}
	}
	return out
}

// publishedCharts are the plots of a set.
func publishedCharts(r *reproduce.Result, rows []*row, set string) []*report.Chart {
	const frequencies = "frequencies per input s/d"
	accuracy := &report.Chart{Title: set + ": accuracy", XLabel: frequencies, YLabel: "accuracy on test rows (%)", Most: 100, LogX: true}
	away := &report.Chart{Title: set + ": difference from the paper", XLabel: frequencies, YLabel: "accuracy here − paper (points)", LogX: true, Lines: []float64{0}, Dodge: 4}
	times := &report.Chart{Title: set + ": time to generate features", XLabel: frequencies, YLabel: "time (s)", LogX: true, LogY: true}
	for style, l := range long {
		a, w := report.Series{Name: l.name, Style: style}, report.Series{Name: l.name, Style: style}
		s, p := report.Series{Name: l.name, Style: style}, report.Series{Name: l.name + ", paper", Style: style + 5}
		for _, row := range rows {
			if row.data != set || row.method != l.method {
				continue
			}
			x := float64(row.perInput)
			if row.missing == "" {
				a.Points = append(a.Points, report.Point{X: x, Y: row.mean, Spread: row.sd})
				if row.paper != nil && comparable(set) {
					w.Points = append(w.Points, report.Point{X: x, Y: row.mean - row.paper.Accuracy, Spread: row.sd})
				}
				if row.seconds > 0 && l.method != divided {
					s.Points = append(s.Points, report.Point{X: x, Y: row.seconds, Spread: narrow(row.seconds, row.secondsSD)})
				}
			}
			if row.paper != nil && row.missing == "" && (l.method == plain || l.method == leverage) {
				p.Points = append(p.Points, report.Point{X: x, Y: row.paper.Generate})
			}
		}
		add(accuracy, a)
		add(away, w)
		add(times, s)
		add(times, p)
	}
	gained := &report.Chart{Title: set + ": what the surrogate gains", XLabel: frequencies, YLabel: "accuracy of the surrogate above … (points)", LogX: true, Lines: []float64{0}, Dodge: 4}
	over, above := report.Series{Name: "RFF", Style: 0}, report.Series{Name: "RFF with λ/(2s)", Style: 4}
	for _, g := range gaps(r) {
		if g.data == set {
			over.Points = append(over.Points, report.Point{X: float64(g.perInput), Y: g.gain.Mean, Spread: g.gainSD})
			above.Points = append(above.Points, report.Point{X: float64(g.perInput), Y: g.rest.Mean, Spread: g.restSD})
		}
	}
	add(gained, over)
	add(gained, above)
	return slices.DeleteFunc([]*report.Chart{accuracy, away, gained, times}, func(c *report.Chart) bool { return len(c.Series) == 0 })
}

// narrow keeps the bar of a logarithmic axis above zero.
func narrow(mean, sd float64) float64 { return math.Min(sd, 0.9*mean) }

// add adds a curve that has points.
func add(c *report.Chart, s report.Series) {
	if len(s.Points) > 0 {
		c.Series = append(c.Series, s)
	}
}

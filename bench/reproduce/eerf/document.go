package eerf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/papers"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/report"
)

// row is a method with a number of features on a set.
type row struct {
	data, method, paper string
	loss                string
	size, reps          int
	mean, se            float64 // error in %, and its standard error
	choose, train       float64 // seconds; 0: not measured
	printed             *papers.EERF
	missing             string
}

func rowsOf(r *reproduce.Result) []*row {
	printed := map[[2]string]*papers.EERF{}
	for _, p := range papers.EERFTables() {
		printed[[2]string{p.Data, p.Method}] = &p
	}
	var rows []*row
	for _, k := range r.Rows() {
		row := &row{data: k.Data, method: k.Sampler, paper: methods[slices.Index(r.Protocol.Samplers, k.Sampler)].paper, loss: k.Loss, size: k.Size, missing: r.Absent(k.Data, k.Sampler, k.Size, k.Loss)}
		if p := printed[[2]string{k.Data, k.Sampler}]; p != nil && p.Features == k.Size {
			row.printed = p
		}
		row.fill(r.Of(k.Data, k.Sampler, k.Size, k.Loss))
		rows = append(rows, row)
	}
	return rows
}

func (r *row) fill(cells []reproduce.Cell) {
	if r.reps = len(cells); r.reps == 0 {
		return
	}
	r.missing = ""
	var errors []float64
	for _, c := range cells {
		errors = append(errors, c.Values["error"])
		r.choose += c.Seconds["choose"] / float64(len(cells))
		r.train += c.Seconds["train"] / float64(len(cells))
	}
	var sd float64
	r.mean, sd = compare.MeanSD(errors)
	r.se = sd / math.Sqrt(float64(len(cells)))
}

func find(rows []*row, data, method string, size int, loss string) *row {
	for _, r := range rows {
		if r.data == data && r.method == method && r.size == size && r.loss == loss && r.missing == "" {
			return r
		}
	}
	return nil
}

func document(r *reproduce.Result) *writeup.Document {
	rows := rowsOf(r)
	how := "The ridge parameter of every method, from {10⁻⁵ … 10⁵}, and LKRF's ρ from the same set are those with the least error on the test part, as in the paper: no user can choose so, and errors are lower than what one would get."
	if r.Protocol.Name == reproduce.Fair {
		how = "λ is chosen by cross-validation on the training rows, and LKRF's ρ is the default of this library."
	}
	d := &writeup.Document{
		Title: "Tables 3 and 5 of Shahrampour et al. (AAAI 2018), " + r.Protocol.Name,
		Lead: []string{
			"Test errors of ridge regression, logistic regression (softmax of several classes) and the squared hinge loss of a support vector machine (of several classes each against the others) on M random features: drawn at random (RKS), in orthogonal directions (ORF), with fitted weights (SES), from an optimised distribution (LKRF), and those of M₀ candidates with the largest empirical score on a share of the rows (EERF). Wrong labels in %, or ‖y − f‖/‖y‖ in % with targets scaled to [−1, 1].",
			"Inputs are standardised on the training rows; the Gaussian's σ is the mean distance to the 50th nearest neighbour; letter has features of the arc-cosine kernel of order 2. Labels are centred before they score features. " + how,
			"The paper fits ridge or logistic regression, and a figure on classes may be of either: every loss here stands beside the same figure. No figure of it is known to be of a support vector machine, whose loss is here for comparison. Losses other than squares are fitted with the M of its tables, in fewer repetitions, which the table counts: on mnist, where each fit with a ridge parameter takes some 7 processor seconds, in one. --reps runs as many of all. LKRF's ρ is that of ridge regression for every loss.",
		},
		Findings: findings(rows),
		Tables:   []*writeup.Table{table(rows)},
		Notes: []string{
			"Error: mean ± standard error over the repetitions. Difference: here less paper. Choose: seconds to choose the features; train: sums and all ridge parameters, of other losses a fit of its own for each, from the largest ridge parameter down until two in a row are worse than the best.",
			"onlinenews has 14 of the paper's 58 predictors: its figures cannot be compared. Its rows are divided at random, two thirds to train on.",
		},
	}
	for _, set := range r.Protocol.Sets {
		d.Charts = append(d.Charts, charts(rows, set)...)
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

// comparable reports whether a set's figures can be held against the paper's.
func comparable(set string) bool { return set != "onlinenews" }

// spoken are the losses of the cells, by the names that sentences have.
var spoken = []struct{ loss, name string }{{"", "ridge regression"}, {"logistic", "logistic regression"}, {"squared-hinge", "squared hinge"}}

func findings(rows []*row) []string {
	if !slices.ContainsFunc(rows, func(r *row) bool { return r.missing == "" }) {
		return []string{"No cell is done yet."}
	}
	var out []string
	for _, l := range spoken {
		out = append(out, findingsOf(rows, l.loss, l.name)...)
	}
	if len(out) == 0 {
		out = []string{"No error of this run can be held against the paper or against RKS."}
	}
	if near := nearest(rows); len(near) > 0 {
		out = append(out, "Mean distance from the paper's figures in points, over the methods that have one: "+strings.Join(near, "; ")+".")
	}
	return out
}

// findingsOf says what the cells of a loss show.
func findingsOf(rows []*row, loss, name string) (out []string) {
	var gains, against, far []string
	for _, r := range rows {
		if r.missing != "" || r.printed == nil || r.loss != loss {
			continue
		}
		if comparable(r.data) {
			against = append(against, fmt.Sprintf("%s on %s %.2f (%.2f)", r.paper, r.data, r.mean, r.printed.Error))
			if math.Abs(r.mean-r.printed.Error) > 2 {
				far = append(far, r.paper+" on "+r.data)
			}
		}
		base := find(rows, r.data, "rks", r.size, loss)
		if r.method == "rks" || base == nil {
			continue
		}
		text := fmt.Sprintf("%s on %s %.2f", r.paper, r.data, base.mean-r.mean)
		if base.printed != nil && comparable(r.data) {
			text += fmt.Sprintf(" (%.2f)", base.printed.Error-r.printed.Error)
		}
		gains = append(gains, text)
	}
	if len(against) > 0 {
		text := "Errors of " + name + " in %, in brackets the paper's: " + strings.Join(against, ", ") + "."
		if len(far) > 0 {
			text += " More than two points from the paper, so not reproduced with what it prints: " + strings.Join(far, ", ") + "."
		}
		out = append(out, text)
	}
	if len(gains) > 0 {
		out = append(out, "What the error of "+name+" falls by against RKS with as many features, in points, in brackets the paper's where it prints both: "+strings.Join(gains, ", ")+".")
	}
	return out
}

// nearest says, of every set with several losses, how far each is from the paper.
func nearest(rows []*row) (out []string) {
	for _, set := range setsOf(rows) {
		var far []string
		for _, l := range spoken {
			var sum, n float64
			for _, r := range rows {
				if r.data == set && r.loss == l.loss && r.missing == "" && r.printed != nil && comparable(set) {
					sum, n = sum+math.Abs(r.mean-r.printed.Error), n+1
				}
			}
			if n > 0 {
				far = append(far, fmt.Sprintf("%s %.2f", l.name, sum/n))
			}
		}
		if len(far) > 1 {
			out = append(out, set+" "+strings.Join(far, ", "))
		}
	}
	return out
}

// setsOf returns those of the rows, in their order.
func setsOf(rows []*row) (out []string) {
	for _, r := range rows {
		if !slices.Contains(out, r.data) {
			out = append(out, r.data)
		}
	}
	return out
}

func table(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Errors beside the paper's", Head: []string{"data", "M", "method", "loss", "reps", "error %", "se", "paper %", "paper se", "difference", "choose s", "train s", "paper's train s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(r.paper), writeup.Word(cmp.Or(r.loss, "squares"))}
		paper, se, train := blank, blank, blank
		if r.printed != nil {
			paper, se, train = writeup.Number("%.2f", r.printed.Error), writeup.Number("%.2g", r.printed.ErrorStdErr), writeup.Number("%.3g", r.printed.Train)
		}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, writeup.Word(r.missing), blank, paper, se, blank, blank, blank, train))
			continue
		}
		difference := blank
		if r.printed != nil && comparable(r.data) {
			difference = writeup.Number("%+.2f", r.mean-r.printed.Error)
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.2f", r.mean), writeup.Deviation("%.2g", r.se, r.reps),
			paper, se, difference, seconds(r.choose), seconds(r.train), train))
	}
	return t
}

func seconds(v float64) writeup.Entry {
	if v == 0 {
		return writeup.Word("")
	}
	return writeup.Number("%.3g", v)
}

func charts(rows []*row, set string) []*report.Chart {
	errors := &report.Chart{Title: set + ": error by number of features", XLabel: "features M", YLabel: "test error (%)", LogX: true, Dodge: 3}
	times := &report.Chart{Title: set + ": error by time", XLabel: "time to choose features and fit (s)", YLabel: "test error (%)", LogX: true}
	for style, m := range methods {
		e, s := report.Series{Name: m.paper, Style: style}, report.Series{Name: m.paper, Style: style}
		for _, r := range rows {
			if r.data != set || r.method != m.method || r.loss != "" || r.missing != "" {
				continue
			}
			e.Points = append(e.Points, report.Point{X: float64(r.size), Y: r.mean, Spread: r.se})
			if r.choose+r.train > 0 {
				s.Points = append(s.Points, report.Point{X: r.choose + r.train, Y: r.mean, Spread: r.se})
			}
		}
		if len(e.Points) > 0 {
			errors.Series = append(errors.Series, e)
		}
		if len(s.Points) > 0 {
			times.Series = append(times.Series, s)
		}
	}
	return slices.DeleteFunc([]*report.Chart{errors, times}, func(c *report.Chart) bool { return len(c.Series) == 0 })
}

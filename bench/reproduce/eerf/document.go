package eerf

import (
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
	size, style, reps   int
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
		style := slices.Index(r.Protocol.Samplers, k.Sampler)
		row := &row{data: k.Data, method: k.Sampler, paper: methods[style].paper, size: k.Size, style: style, missing: r.Absent(k.Data, k.Sampler, k.Size)}
		if p := printed[[2]string{k.Data, k.Sampler}]; p != nil && p.Features == k.Size {
			row.printed = p
		}
		row.fill(r.Of(k.Data, k.Sampler, k.Size))
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

func find(rows []*row, data, method string, size int) *row {
	for _, r := range rows {
		if r.data == data && r.method == method && r.size == size && r.missing == "" {
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
			"Test errors of ridge regression on M random features: drawn at random (RKS), in orthogonal directions (ORF), with fitted weights (SES), from an optimised distribution (LKRF), and those of M₀ candidates with the largest empirical score on a share of the rows (EERF). Wrong labels in %, or ‖y − f‖/‖y‖ in % with targets scaled to [−1, 1].",
			"Inputs are standardised on the training rows; the Gaussian's σ is the mean distance to the 50th nearest neighbour; letter has features of the arc-cosine kernel of order 2. Labels are centred before they score features. " + how,
			"The paper also has logistic regression, which is to come; its figures in these tables may be of either.",
		},
		Findings: findings(rows),
		Tables:   []*writeup.Table{table(rows)},
		Notes: []string{
			"Error: mean ± standard error over the repetitions. Difference: here less paper. Choose: seconds to choose the features; train: sums and all ridge parameters.",
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

func findings(rows []*row) []string {
	var gains, against, far []string
	done := false
	for _, r := range rows {
		done = done || r.missing == ""
		if r.missing != "" || r.printed == nil {
			continue
		}
		if comparable(r.data) {
			against = append(against, fmt.Sprintf("%s on %s %.2f (%.2f)", r.paper, r.data, r.mean, r.printed.Error))
			if math.Abs(r.mean-r.printed.Error) > 2 {
				far = append(far, r.paper+" on "+r.data)
			}
		}
		base := find(rows, r.data, "rks", r.size)
		if r.method == "rks" || base == nil {
			continue
		}
		text := fmt.Sprintf("%s on %s %.2f", r.paper, r.data, base.mean-r.mean)
		if base.printed != nil && comparable(r.data) {
			text += fmt.Sprintf(" (%.2f)", base.printed.Error-r.printed.Error)
		}
		gains = append(gains, text)
	}
	if !done {
		return []string{"No cell is done yet."}
	}
	first, second := "No error of this run can be held against the paper.", "Nothing of this run shows what a choice of features gains over RKS."
	if len(against) > 0 {
		first = "Errors in %, in brackets the paper's: " + strings.Join(against, ", ") + "."
		if len(far) > 0 {
			first += " More than two points from the paper, so not reproduced with what it prints: " + strings.Join(far, ", ") + "."
		}
	}
	if len(gains) > 0 {
		second = "What the error falls by against RKS with as many features, in points, in brackets the paper's where it prints both: " + strings.Join(gains, ", ") + "."
	}
	return []string{first, second}
}

func table(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Errors beside the paper's", Head: []string{"data", "M", "method", "reps", "error %", "se", "paper %", "paper se", "difference", "logistic", "choose s", "train s", "paper's train s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(r.paper)}
		paper, se, train := blank, blank, blank
		if r.printed != nil {
			paper, se, train = writeup.Number("%.2f", r.printed.Error), writeup.Number("%.2g", r.printed.ErrorStdErr), writeup.Number("%.3g", r.printed.Train)
		}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, writeup.Word(r.missing), blank, paper, se, blank, blank, blank, blank, train))
			continue
		}
		difference := blank
		if r.printed != nil && comparable(r.data) {
			difference = writeup.Number("%+.2f", r.mean-r.printed.Error)
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.2f", r.mean), writeup.Deviation("%.2g", r.se, r.reps),
			paper, se, difference, writeup.Word("to come"), seconds(r.choose), seconds(r.train), train))
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
			if r.data != set || r.method != m.method || r.missing != "" {
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

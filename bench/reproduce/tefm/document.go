package tefm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/report"
)

// row is a method with a number of columns on a set.
type row struct {
	data, sampler, paper   string
	loss                   string
	size, reps             int
	kernel, errors, learns [2]float64 // mean and standard deviation
	fitted                 bool       // a regression by squares, classes by another loss
	missing                string
}

func rowsOf(r *reproduce.Result) []*row {
	var rows []*row
	for _, k := range r.Rows() {
		row := &row{data: k.Data, sampler: k.Sampler, paper: methods[slices.Index(r.Protocol.Samplers, k.Sampler)].paper, loss: k.Loss, size: k.Size, missing: r.Absent(k.Data, k.Sampler, k.Size, k.Loss)}
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
	var kernel, errors, learns []float64
	for _, c := range cells {
		kernel, learns = append(kernel, c.Values["kernel_error"]), append(learns, c.Seconds["learn"])
		if e, ok := c.Values["error"]; ok {
			errors = append(errors, e)
		}
	}
	r.kernel[0], r.kernel[1] = compare.MeanSD(kernel)
	if r.fitted = len(errors) == len(cells); r.fitted {
		r.errors[0], r.errors[1] = compare.MeanSD(errors)
		r.learns[0], r.learns[1] = compare.MeanSD(learns)
	}
}

func document(r *reproduce.Result) *writeup.Document {
	rows := rowsOf(r)
	bandwidth := "the median distance between rows; the paper's is not known"
	if r.Protocol.Name == reproduce.Fair {
		bandwidth = "chosen by cross-validation of plain features on the training rows"
	}
	d := &writeup.Document{
		Title: "Figures 1 to 3 of Chen et al. (IJCAI 2015), " + r.Protocol.Name,
		Lead: []string{
			"Relative kernel error ‖K − ZZᵀ‖/‖K‖ (Frobenius, on 6,000 training rows or as many as there are), relative error ‖y − f‖/‖y‖ of ridge regression on test rows, and time to choose features and fit, against the number of columns l: plain features (RKS), projected maps (TEFM-G, TEFM-S), compact maps (Comp), Halton points (Quasi) and Fastfood (Ffood).",
			"At most 6,500 rows to train on, inputs standardised on them, a Gaussian kernel with σ " + bandwidth + ", λ by cross-validation on the training rows. The paper's Figures 2 and 3 are on the CT slices, which are not at hand: cpuact and blogfeedback stand for them. The paper shows curves and prints no numbers.",
			"The paper states its bound for any convex loss, and names the logistic one and the smoothed hinge beside squares, but has no figure of either, so no error of theirs can be held against it. They are fitted with up to 200 columns on adult and mnist, in the repetitions that their table counts, to see whether a smaller kernel error leads to fewer wrong labels; --reps runs more.",
		},
		Findings: findings(rows),
		Tables:   []*writeup.Table{table(rows)},
		Notes:    []string{"Mean ± standard deviation over the repetitions. The ratio is of the kernel errors, to plain features with as many columns; less RKS is the error less theirs, in points."},
	}
	if t := lossTable(rows); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
	for _, set := range r.Protocol.Sets {
		d.Charts = append(d.Charts, charts(rows, set)...)
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

// find returns a row that has figures, or nil.
func find(rows []*row, data, sampler string, size int, loss string) *row {
	for _, r := range rows {
		if r.data == data && r.sampler == sampler && r.size == size && r.loss == loss && r.missing == "" {
			return r
		}
	}
	return nil
}

// mean is a geometric mean, with its number of values.
type mean struct {
	log float64
	n   int
}

func (m *mean) add(v float64) { m.log, m.n = m.log+math.Log(v), m.n+1 }

func (m *mean) value() float64 { return math.Exp(m.log / float64(m.n)) }

func findings(rows []*row) []string {
	var kernel, fits []string
	done := false
	var projected, wide mean
	for _, m := range methods {
		var k, e mean
		for _, r := range rows {
			if r.sampler != m.sampler || r.loss != "" || r.missing != "" {
				continue
			}
			done = true
			base := find(rows, r.data, "rff", r.size, "")
			if base == nil || m.sampler == "rff" {
				continue
			}
			k.add(r.kernel[0] / base.kernel[0])
			if r.fitted {
				e.add(r.errors[0] / base.errors[0])
			}
			if m.sampler == "tefm-g" || m.sampler == "tefm-s" {
				projected.add(r.kernel[0] / base.kernel[0])
				if four := find(rows, r.data, "rff", 4*r.size, ""); four != nil {
					wide.add(r.kernel[0] / four.kernel[0])
				}
			}
		}
		if k.n > 0 {
			kernel = append(kernel, fmt.Sprintf("%s %.2f (%d)", m.paper, k.value(), k.n))
		}
		if e.n > 0 {
			fits = append(fits, fmt.Sprintf("%s %.2f (%d)", m.paper, e.value(), e.n))
		}
	}
	if !done {
		return []string{"No cell is done yet."}
	}
	first := "Kernel errors over those of plain features with as many columns, geometric means over sets and l (how many in brackets): " + strings.Join(kernel, ", ") + "."
	if projected.n > 0 {
		first += fmt.Sprintf(" The paper shows about half for TEFM; here it is %.2f.", projected.value())
	}
	if wide.n > 0 {
		first += fmt.Sprintf(" Against plain features with the 4l columns that TEFM projects, its error is %.2f times as large.", wide.value())
	}
	second := "No regression is done yet."
	if len(fits) > 0 {
		second = "Relative errors of ridge regression over those of plain features: " + strings.Join(fits, ", ") + "; below 1 is better."
	}
	return append([]string{first, second}, lossFindings(rows)...)
}

// lossFindings says what the errors of other losses do, by loss and set.
func lossFindings(rows []*row) []string {
	var all []string
	for _, r := range rows { // the plain features with the fewest columns of a loss and a set
		if r.loss == "" || r.missing != "" || r.sampler != "rff" || slices.ContainsFunc(rows, func(o *row) bool {
			return o.data == r.data && o.loss == r.loss && o.sampler == "rff" && o.size < r.size && o.missing == ""
		}) {
			continue
		}
		var each []string
		for _, m := range methods[1:] {
			var ratio mean
			for _, o := range rows {
				if base := find(rows, o.data, "rff", o.size, o.loss); base != nil && o.missing == "" && o.data == r.data && o.loss == r.loss && o.sampler == m.sampler {
					ratio.add(o.errors[0] / base.errors[0])
				}
			}
			if ratio.n > 0 {
				each = append(each, fmt.Sprintf("%s %.2f (%d)", m.paper, ratio.value(), ratio.n))
			}
		}
		if len(each) > 0 {
			all = append(all, fmt.Sprintf("%s on %s: %s", r.loss, r.data, strings.Join(each, ", ")))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"Wrong labels over those of plain features with as many columns, geometric means over l (how many in brackets). " + strings.Join(all, "; ") + "."}
}

func table(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Kernel error, relative error and seconds", Head: []string{"data", "l", "method", "reps", "kernel error", "sd", "ratio", "‖y − f‖/‖y‖", "sd of it", "learn s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		if r.loss != "" {
			continue
		}
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(r.paper)}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, writeup.Word(r.missing), blank, blank, blank, blank, blank))
			continue
		}
		ratio, e, sd, learn := blank, blank, blank, blank
		if base := find(rows, r.data, "rff", r.size, ""); base != nil {
			ratio = writeup.Number("%.3f", r.kernel[0]/base.kernel[0])
		}
		if r.fitted {
			e, sd = writeup.Number("%.4f", r.errors[0]), writeup.Deviation("%.2g", r.errors[1], r.reps)
			if r.learns[0] > 0 {
				learn = writeup.Number("%.3g", r.learns[0])
			}
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.4g", r.kernel[0]), writeup.Deviation("%.2g", r.kernel[1], r.reps), ratio, e, sd, learn))
	}
	return t
}

// lossTable has the wrong labels of losses other than squares.
func lossTable(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Wrong labels of other losses", Head: []string{"data", "l", "method", "loss", "reps", "error %", "sd", "less RKS", "learn s"}}
	blank := writeup.Word("")
	for _, r := range rows {
		if r.loss == "" {
			continue
		}
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(r.paper), writeup.Word(r.loss)}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, writeup.Word(r.missing), blank, blank, blank))
			continue
		}
		less, learn := blank, blank
		if base := find(rows, r.data, "rff", r.size, r.loss); base != nil {
			less = writeup.Number("%+.2f", r.errors[0]-base.errors[0])
		}
		if r.learns[0] > 0 {
			learn = writeup.Number("%.3g", r.learns[0])
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.2f", r.errors[0]), writeup.Deviation("%.2g", r.errors[1], r.reps), less, learn))
	}
	return t
}

func charts(rows []*row, set string) []*report.Chart {
	const columns = "columns of features l"
	kernel := &report.Chart{Title: set + ": kernel error", XLabel: columns, YLabel: "‖K − ZZᵀ‖/‖K‖", LogX: true, LogY: true}
	errors := &report.Chart{Title: set + ": relative error", XLabel: columns, YLabel: "‖y − f‖/‖y‖ on test rows", LogX: true, LogY: true}
	times := &report.Chart{Title: set + ": relative error by time", XLabel: "time to choose features and fit (s)", YLabel: "‖y − f‖/‖y‖ on test rows", LogX: true, LogY: true}
	for style, m := range methods {
		k, e, s := report.Series{Name: m.paper, Style: style}, report.Series{Name: m.paper, Style: style}, report.Series{Name: m.paper, Style: style}
		for _, r := range rows {
			if r.data != set || r.sampler != m.sampler || r.loss != "" || r.missing != "" {
				continue
			}
			k.Points = append(k.Points, point(float64(r.size), r.kernel))
			if r.fitted {
				e.Points = append(e.Points, point(float64(r.size), r.errors))
				if r.learns[0] > 0 {
					s.Points = append(s.Points, point(r.learns[0], r.errors))
				}
			}
		}
		for _, c := range []struct {
			chart  *report.Chart
			series report.Series
		}{{kernel, k}, {errors, e}, {times, s}} {
			if len(c.series.Points) > 0 {
				c.chart.Series = append(c.chart.Series, c.series)
			}
		}
	}
	return slices.DeleteFunc([]*report.Chart{kernel, errors, times}, func(c *report.Chart) bool { return len(c.Series) == 0 })
}

// point keeps the bar of a logarithmic axis above zero.
func point(x float64, y [2]float64) report.Point {
	return report.Point{X: x, Y: y[0], Spread: math.Min(y[1], 0.9*y[0])}
}

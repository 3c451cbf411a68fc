package liu

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

// fig1Row is a sampler with a number of frequencies.
type fig1Row struct {
	data, method            string
	size, reps              int
	kernel, accuracy, times [2]float64 // mean and standard deviation
	missing                 string
}

func fig1Rows(r *reproduce.Result) []*fig1Row {
	var rows []*fig1Row
	for _, k := range r.Planned {
		if k.Rep != 0 {
			continue
		}
		row := &fig1Row{data: k.Data, method: k.Sampler, size: k.Size, missing: r.Absent(k.Data, k.Sampler, k.Size, k.Loss)}
		cells := r.Of(k.Data, k.Sampler, k.Size, k.Loss)
		if row.reps = len(cells); row.reps > 0 {
			row.missing = ""
			values := func(of func(c reproduce.Cell) float64) (pair [2]float64) {
				var v []float64
				for _, c := range cells {
					v = append(v, of(c))
				}
				pair[0], pair[1] = compare.MeanSD(v)
				return pair
			}
			row.kernel = values(func(c reproduce.Cell) float64 { return c.Values["kernel_error"] })
			row.accuracy = values(func(c reproduce.Cell) float64 { return c.Values["accuracy"] })
			row.times = values(func(c reproduce.Cell) float64 { return c.Seconds["generate"] })
		}
		rows = append(rows, row)
	}
	return rows
}

// fig1Document says what Figure 1 has.
func fig1Document(r *reproduce.Result) *writeup.Document {
	rows := fig1Rows(r)
	d := &writeup.Document{
		Title: "Figure 1 of Liu et al. (AAAI 2020): kernel error, accuracy and time on EEG",
		Lead: []string{
			"Relative error of the kernel matrix ‖K − ZZᵀ‖₂/‖K‖₂ on 1,000 random rows, test accuracy, and seconds to generate features, against the number of frequencies s.",
			"The kernel is the one that the paper prints, exp(−‖x−x'‖²), on columns mapped to [0,1] by their 0.1 % and 99.9 % quantiles, which four rows with spikes make necessary. For leverage and surrogate the kernel error is that of the algorithm as printed: as many frequencies drawn as features, scored, drawn from with replacement, and weighted so that the kernel stays. Accuracy and seconds are those of Table 3 as published (rffbench reproduce liu-table3), whose leverage and surrogate columns approximate no kernel. The paper shows curves and prints no numbers, so there are none beside ours.",
		},
		Findings: fig1Findings(rows),
		Tables:   []*writeup.Table{fig1Table(rows)},
		Notes:    []string{"Mean ± standard deviation over the repetitions. Seconds: drawing, choosing and evaluating the features of all training rows."},
	}
	d.Charts = fig1Charts(rows)
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

func fig1Findings(rows []*fig1Row) []string {
	var exponents, ratios []string
	type at struct{ kernel, accuracy float64 }
	largest, last := 0, map[string]at{}
	for _, row := range rows {
		if row.missing == "" {
			largest = max(largest, row.size)
		}
	}
	if largest == 0 {
		return []string{"No cell is done yet."}
	}
	for _, l := range long[:4] {
		var x, y []float64
		var log, n float64
		for _, row := range rows {
			if row.method != l.method || row.missing != "" {
				continue
			}
			x, y = append(x, float64(row.size)), append(y, row.kernel[0])
			if row.size == largest {
				last[l.name] = at{row.kernel[0], row.accuracy[0]}
			}
			for _, base := range rows {
				if base.method == plain && base.size == row.size && base.missing == "" {
					log, n = log+math.Log(row.kernel[0]/base.kernel[0]), n+1
				}
			}
		}
		if e := slope(x, y); !math.IsNaN(e) {
			exponents = append(exponents, fmt.Sprintf("%s %.2f", l.name, e))
		}
		if l.method != plain && n > 0 {
			ratios = append(ratios, fmt.Sprintf("%s %.2f", l.name, math.Exp(log/n)))
		}
	}
	first := "Kernel error over that of plain features, geometric mean over s: " + strings.Join(ratios, ", ") + "."
	if len(exponents) > 0 {
		first += " It falls as a power of s, with the exponents " + strings.Join(exponents, ", ") + "; independent draws have −½."
	}
	var best, nearest string
	for _, l := range long[:4] {
		v, ok := last[l.name]
		if !ok {
			continue
		}
		if b, ok := last[best]; !ok || v.accuracy > b.accuracy {
			best = l.name
		}
		if b, ok := last[nearest]; !ok || v.kernel < b.kernel {
			nearest = l.name
		}
	}
	second := fmt.Sprintf("With s = %dd, %s has the least kernel error (%.4f) and the highest accuracy (%.2f %%).", largest, best, last[best].kernel, last[best].accuracy)
	if best != nearest {
		second = fmt.Sprintf("With s = %dd, %s has the least kernel error (%.4f, accuracy %.2f %%), but %s the highest accuracy (%.2f %%, kernel error %.4f as printed): here accuracy does not come from a better approximation of the kernel.",
			largest, nearest, last[nearest].kernel, last[nearest].accuracy, best, last[best].accuracy, last[best].kernel)
	}
	return []string{first, second}
}

func fig1Table(rows []*fig1Row) *writeup.Table {
	t := &writeup.Table{Caption: "Kernel error, accuracy and seconds", Head: []string{"data", "s/d", "method", "reps", "kernel error", "sd", "accuracy %", "sd of it", "seconds"}}
	for _, r := range rows {
		method, _ := longName(r.method)
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", float64(r.size)), writeup.Word(method)}
		if r.missing != "" {
			blank := writeup.Word("")
			t.Rows = append(t.Rows, append(line, blank, writeup.Word(r.missing), blank, blank, blank, blank))
			continue
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.4g", r.kernel[0]), writeup.Deviation("%.2g", r.kernel[1], r.reps),
			writeup.Number("%.2f", r.accuracy[0]), writeup.Deviation("%.2f", r.accuracy[1], r.reps), seconds(r.times[0])))
	}
	return t
}

func fig1Charts(rows []*fig1Row) []*report.Chart {
	kernel := &report.Chart{Title: "Kernel error", XLabel: perInput, YLabel: "‖K − ZZᵀ‖₂/‖K‖₂", LogX: true, LogY: true}
	accuracy := &report.Chart{Title: "Accuracy", XLabel: perInput, YLabel: "accuracy on test rows (%)", LogX: true, Most: 100}
	times := &report.Chart{Title: "Time to generate features", XLabel: perInput, YLabel: "time (s)", LogX: true, LogY: true}
	for style, l := range long[:4] {
		series := func(of func(*fig1Row) [2]float64, log bool) report.Series {
			s := report.Series{Name: l.name, Style: style}
			for _, row := range rows {
				if v := of(row); row.method == l.method && row.missing == "" && v[0] > 0 {
					p := report.Point{X: float64(row.size), Y: v[0], Spread: v[1]}
					if log {
						p.Spread = narrow(v[0], v[1])
					}
					s.Points = append(s.Points, p)
				}
			}
			return s
		}
		add(kernel, series(func(r *fig1Row) [2]float64 { return r.kernel }, true))
		add(accuracy, series(func(r *fig1Row) [2]float64 { return r.accuracy }, false))
		add(times, series(func(r *fig1Row) [2]float64 { return r.times }, true))
	}
	return slices.DeleteFunc([]*report.Chart{kernel, accuracy, times}, func(c *report.Chart) bool { return len(c.Series) == 0 })
}

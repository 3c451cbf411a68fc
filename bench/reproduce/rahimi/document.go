package rahimi

import (
	"fmt"
	"strings"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/papers"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/compare"
	"github.com/rffgo/rff/cmd/rff/report"
)

// names are what the methods are called in tables.
var names = map[string]string{fourier: "Fourier + least squares", kernel: "exact kernel ridge", support: "exact SVM"}

// row is a method on a set.
type row struct {
	data, method     string
	reps, size       int
	rows, mean, sd   float64
	vectors          float64 // mean number of support vectors
	train            float64 // least seconds of the repetitions; 0: not measured
	printed          papers.RahimiRecht
	paper, paperTime float64 // 0: the paper has none
	missing          string
}

func rowsOf(r *reproduce.Result) []*row {
	var rows []*row
	for _, k := range r.Rows() {
		row := &row{data: k.Data, method: k.Sampler, size: k.Size, printed: printed(k.Data), missing: r.Absent(k.Data, k.Sampler, k.Size, k.Loss)}
		switch k.Sampler {
		case fourier:
			row.paper, row.paperTime = row.printed.Fourier, row.printed.FourierTrain
		case support:
			row.paper, row.paperTime = row.printed.SVM, row.printed.SVMTrain
		}
		row.fill(r.Of(k.Data, k.Sampler, k.Size, k.Loss))
		rows = append(rows, row)
	}
	return rows
}

// order is that of the paper.
var order = []string{"cpuact", "census", "adult", "kddcup99"}

func (r *row) fill(cells []reproduce.Cell) {
	if r.reps = len(cells); r.reps == 0 {
		return
	}
	r.missing = ""
	var errors []float64
	for i, c := range cells {
		errors = append(errors, c.Values["error"])
		r.rows = c.Values["train_rows"]
		r.vectors += c.Values["vectors"] / float64(len(cells))
		if s := c.Seconds["train"]; i == 0 || s < r.train {
			r.train = s
		}
	}
	r.mean, r.sd = compare.MeanSD(errors)
}

// sampled says that the method has not all rows that the features have.
func (r *row) sampled(rows []*row) bool {
	for _, o := range rows {
		if o.data == r.data && o.method == fourier && o.missing == "" {
			return r.rows < o.rows
		}
	}
	return false
}

func document(r *reproduce.Result) *writeup.Document {
	rows := rowsOf(r)
	d := &writeup.Document{
		Title: "Rahimi and Recht (NIPS 2007): Fourier features against exact solvers",
		Lead: []string{
			"Test error and seconds to train of ridge regression on D random Fourier features (cosines with random phases), of exact kernel ridge regression and of an exact support vector machine, beside the paper's figures for the first and the last: wrong labels in %, or ‖y − f‖/‖y‖ in %.",
			fmt.Sprintf("Inputs are standardised on training rows, the kernel is Gaussian. For the features bandwidth and λ are chosen by cross-validation on the training rows. An exact solver has a matrix of rows × rows, so it has %d rows, drawn at random, where there are more; of %d of them a fifth is held out to choose its bandwidth, among ½, 1 and 2 times that of the features, and λ or C. The machine is solved by sequential minimal optimisation to a tolerance of %g; for cpuact its ε is %g standard deviations of the target. The paper's bandwidths and regularisation are not known.", exactRows, chosenRows, tolerance, epsilon),
		},
		Findings: findings(rows),
		Tables:   []*writeup.Table{table(rows)},
		Charts:   charts(rows),
		Notes: []string{
			"Error: mean ± standard deviation over the repetitions. Seconds to train: for the features drawing them, the sums and every λ; for an exact solver the kernel matrix and the fit with the parameters chosen. They are the least of the repetitions, the paper's are of 2007.",
			"cpuact is the paper's cpu: 6,500 rows to train on, drawn from 8,192. kddcup99 is a tenth of the paper's, coded otherwise, four fifths of it to train on: its figures cannot be compared.",
		},
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

func findings(rows []*row) []string {
	at := map[string]map[string]*row{}
	for _, r := range rows {
		if r.missing == "" {
			if at[r.data] == nil {
				at[r.data] = map[string]*row{}
			}
			at[r.data][r.method] = r
		}
	}
	if len(at) == 0 {
		return []string{"No cell is done yet."}
	}
	var paper, exact, times []string
	for _, set := range order {
		f := at[set][fourier]
		if f == nil {
			continue
		}
		if set != "kddcup99" {
			paper = append(paper, fmt.Sprintf("%s %.2f (%.4g)", set, f.mean, f.paper))
		}
		for _, method := range []string{kernel, support} {
			e := at[set][method]
			if e == nil {
				continue
			}
			text := fmt.Sprintf("%s on %s %.2f", names[method], set, e.mean)
			if e.sampled(rows) {
				text += fmt.Sprintf(" with %.0f of %.0f rows", e.rows, f.rows)
			}
			exact = append(exact, fmt.Sprintf("%s, where %d features have %.2f", text, f.size, f.mean))
			if f.train > 0 && e.train > 0 {
				times = append(times, fmt.Sprintf("%s on %s %.0f", names[method], set, e.train/f.train))
			}
		}
	}
	out := []string{"Errors of the Fourier features in %, in brackets the paper's: " + strings.Join(paper, ", ") + "."}
	if len(paper) == 0 {
		out = []string{"No error of this run can be held against the paper."}
	}
	if len(exact) > 0 {
		out = append(out, "Errors of the exact solvers in %: "+strings.Join(exact, "; ")+".")
	}
	if len(times) > 0 {
		out = append(out, "Seconds to train, over those of the features: "+strings.Join(times, ", ")+".")
	}
	return out
}

func table(rows []*row) *writeup.Table {
	t := &writeup.Table{Caption: "Errors and seconds beside the paper's", Head: []string{"data", "method", "D", "training rows", "reps", "error %", "sd", "paper %", "train s", "paper's train s", "support vectors"}}
	blank := writeup.Word("")
	for _, r := range rows {
		features, paper, paperTime := blank, blank, blank
		if r.method == fourier {
			features = writeup.Number("%.0f", float64(r.size))
		}
		if r.paper > 0 {
			paper, paperTime = writeup.Number("%.4g", r.paper), writeup.Number("%.4g", r.paperTime)
		}
		line := []writeup.Entry{writeup.Word(r.data), writeup.Word(names[r.method]), features}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(line, blank, blank, writeup.Word(r.missing), blank, paper, blank, paperTime, blank))
			continue
		}
		train, vectors := blank, blank
		if r.train > 0 {
			train = writeup.Number("%.3g", r.train)
		}
		if r.method == support {
			vectors = writeup.Number("%.0f", r.vectors)
		}
		t.Rows = append(t.Rows, append(line, writeup.Number("%.0f", r.rows), writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.2f", r.mean), writeup.Deviation("%.2f", r.sd, r.reps), paper, train, paperTime, vectors))
	}
	return t
}

// charts have the error against the seconds to train, where these are measured.
func charts(rows []*row) []*report.Chart {
	var out []*report.Chart
	for _, set := range order {
		c := &report.Chart{Title: set + ": error by time to train", XLabel: "time to train (s)", YLabel: "test error (%)", LogX: true}
		for style, method := range []string{fourier, kernel, support} {
			for _, r := range rows {
				if r.data == set && r.method == method && r.missing == "" && r.train > 0 {
					c.Series = append(c.Series, report.Series{Name: names[method], Style: style, Points: []report.Point{{X: r.train, Y: r.mean, Spread: r.sd}}})
				}
			}
		}
		if len(c.Series) > 0 {
			out = append(out, c)
		}
	}
	return out
}

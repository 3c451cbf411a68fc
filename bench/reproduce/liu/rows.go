package liu

import (
	"math"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/reproduce/papers"
	"github.com/rffgo/rff/cmd/rff/compare"
)

// row is a row of the published table.
type row struct {
	data, method       string
	perInput           int
	accuracy           []float64 // by repetition
	mean, sd           float64
	seconds, secondsSD float64 // to generate features; 0: not measured
	paper              *papers.Liu
	overRFF, overQMC   *compare.Difference // paired t-tests, as in the paper
	missing            string              // why there are no figures
}

// significant is the paper's mark: better than both baselines at the level of 5 %.
func (r *row) significant() bool {
	better := func(d *compare.Difference) bool { return d != nil && d.Mean > 0 && d.P < 0.05 }
	return better(r.overRFF) && better(r.overQMC)
}

// paperReps are the repetitions of the paper.
const paperReps = 10

// standardError is that of the difference from the paper's mean.
func (r *row) standardError() float64 {
	return math.Sqrt(r.sd*r.sd/float64(len(r.accuracy)) + r.paper.AccuracySD*r.paper.AccuracySD/paperReps)
}

// tableRows sums up the cells: sets, numbers of frequencies and methods in the order
// of the paper.
func tableRows(r *reproduce.Result) []*row {
	var rows []*row
	paper := map[[2]string]map[int]*papers.Liu{}
	for _, f := range papers.LiuTable3() {
		at := [2]string{f.Data, f.Method}
		if paper[at] == nil {
			paper[at] = map[int]*papers.Liu{}
		}
		paper[at][f.PerInput] = &f
	}
	planned := map[[2]string]map[int]int{}
	for _, k := range r.Planned {
		at := [2]string{k.Data, k.Sampler}
		if planned[at] == nil {
			planned[at] = map[int]int{}
		}
		planned[at][k.Size]++
	}
	for _, set := range r.Protocol.Sets {
		for _, m := range all {
			for _, method := range []string{plain, qmc, leverage, surrogate, divided} {
				at := [2]string{set, method}
				if planned[at][m] == 0 {
					continue
				}
				row := &row{data: set, method: method, perInput: m, paper: paper[at][m], missing: r.Absent(set, method, m, "")}
				row.fill(r.Of(set, method, m, ""))
				rows = append(rows, row)
			}
		}
	}
	for _, row := range rows {
		if row.method == leverage || row.method == surrogate {
			row.overRFF = paired(r, row, plain)
			row.overQMC = paired(r, row, qmc)
		}
	}
	return rows
}

func (r *row) fill(cells []reproduce.Cell) {
	var seconds []float64
	for _, c := range cells {
		r.accuracy = append(r.accuracy, c.Values["accuracy"])
		if s, ok := c.Seconds["generate"]; ok {
			seconds = append(seconds, s)
		}
	}
	if len(cells) == 0 {
		return
	}
	r.missing = ""
	r.mean, r.sd = compare.MeanSD(r.accuracy)
	if len(seconds) == len(cells) {
		r.seconds, r.secondsSD = compare.MeanSD(seconds)
	}
}

// paired tests the accuracies of a row against those of another method, repetition by
// repetition; nil: fewer than two repetitions have both.
func paired(r *reproduce.Result, row *row, method string) *compare.Difference {
	base := map[int]float64{}
	for _, c := range r.Of(row.data, method, row.perInput, "") {
		base[c.Rep] = c.Values["accuracy"]
	}
	var d []float64
	for _, c := range r.Of(row.data, row.method, row.perInput, "") {
		if b, ok := base[c.Rep]; ok {
			d = append(d, c.Values["accuracy"]-b)
		}
	}
	if len(d) < 2 {
		return nil
	}
	return compare.Paired(d, 0, 0)
}

// slope is the exponent e of y ∝ x^e by least squares on the logarithms; NaN for
// fewer than three points.
func slope(x, y []float64) float64 {
	var n, mx, my, xx, xy float64
	for i := range x {
		n, mx, my = n+1, mx+math.Log(x[i]), my+math.Log(y[i])
	}
	if n < 3 {
		return math.NaN()
	}
	mx, my = mx/n, my/n
	for i := range x {
		dx := math.Log(x[i]) - mx
		xx, xy = xx+float64(dx*dx), xy+float64(dx*(math.Log(y[i])-my))
	}
	return xy / xx
}

package liu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/reproduce"
	"github.com/rffgo/rff/bench/writeup"
	"github.com/rffgo/rff/cmd/rff/report"
)

// near is how far above the error of the exact kernel an error may be that has stopped
// moving.
const near = 1.02

// table1Row is a number of rows of a set.
type table1Row struct {
	data          string
	n, reps       int
	lambda, d, dd float64 // means over the repetitions; λ is a geometric one
	theorem       float64
	exact         float64
	enough        map[string]float64 // geometric mean of the fewest frequencies, by sampler
	beyond        map[string]bool    // in some repetition more than were tried
	missing       string
}

// enough returns the fewest frequencies from which on the errors of a cell are near the
// exact one; 0: more than were tried.
func enough(c reproduce.Cell, exact float64) int {
	at := 0
	for _, f := range slices.Backward(table1Frequencies) {
		if c.Values[fmt.Sprintf("error_%d", f)] > near*exact {
			break
		}
		at = f
	}
	return at
}

func table1RowsOf(r *reproduce.Result) []*table1Row {
	var rows []*table1Row
	for _, set := range r.Protocol.Sets {
		for _, n := range table1Rows {
			if !slices.ContainsFunc(r.Planned, func(k reproduce.Key) bool { return k.Data == set && k.Size == n }) {
				continue
			}
			row := &table1Row{data: set, n: n, enough: map[string]float64{}, beyond: map[string]bool{}, missing: r.Absent(set, exactly, n, "")}
			rows = append(rows, row)
			exact := r.Of(set, exactly, n, "")
			if row.reps = len(exact); row.reps == 0 {
				continue
			}
			row.missing = ""
			errors := map[int]float64{}
			for _, c := range exact {
				share := 1 / float64(len(exact))
				row.lambda += share * math.Log(c.Values["lambda"])
				row.d, row.dd = row.d+share*c.Values["d"], row.dd+share*c.Values["D"]
				row.theorem += share * c.Values["theorem"]
				row.exact += share * c.Values["error"]
				errors[c.Rep] = c.Values["error"]
			}
			row.lambda = math.Exp(row.lambda)
			for _, s := range table1Samplers[1:] {
				var sum, count float64
				for _, c := range r.Of(set, s, n, "") {
					e, ok := errors[c.Rep]
					if !ok {
						continue
					}
					f := enough(c, e)
					if f == 0 {
						row.beyond[s] = true
						f = table1Frequencies[len(table1Frequencies)-1]
					}
					sum, count = sum+math.Log(float64(f)), count+1
				}
				if count > 0 {
					row.enough[s] = math.Exp(sum / count)
				}
			}
		}
	}
	return rows
}

func table1Document(r *reproduce.Result) *writeup.Document {
	rows := table1RowsOf(r)
	lambda := "λ = 1/√n per row, as the paper's corollaries have it"
	if r.Protocol.Name == reproduce.Fair {
		lambda = "λ per row from 10⁻⁷ to 10⁻¹, the one with which exact kernel ridge regression has the least squared error on a fifth of the rows"
	}
	d := &writeup.Document{
		Title: "Table 1 and Theorem 1 of Liu et al. (AAAI 2020) on real data, " + r.Protocol.Name,
		Lead: []string{
			"The effective dimension d = d_K^λ = tr K(K + nλI)⁻¹ and the surrogate one D = D_K^λ = tr[(yyᵀ + nI)K]/(n²λ) of the exact kernel matrix of n rows, the number of frequencies that Theorem 1 asks for, and the number from which on the test error of ridge regression is within 2 % of that with the exact kernel: plain features, and those drawn from leverage and surrogate scores with the weights that keep the kernel.",
			"Inputs are mapped to [0,1], labels are ±1 and targets of cpuact standardised; the kernel is Gaussian with a bandwidth by cross-validation; " + lambda + ". Theorem 1 as its proof has it, 5⅓·D·ln(16·d/δ) with δ = 5 %; for leverage scores d stands for D. The paper's Table 1 gives orders of growth by the decay of the eigenvalues: for leverage log² n, n^(1/4t)·log n or √n·log n, for the surrogate √n·log log n, √n·log n or √n·log n.",
		},
		Findings: table1Findings(rows, r.Protocol.Name == reproduce.Published),
		Tables:   []*writeup.Table{table1Table(rows)},
		Notes: []string{
			"Means over the repetitions; of the numbers that were enough, geometric ones. Error: ‖y − f‖/‖y‖ on up to 5,000 test rows, at the same λ. Frequencies, of two columns each, are doubled from 8 to 512; > says that in some repetition 512 were not enough, and 512 stands for it. The last columns are the orders of Table 1 with natural logarithms and no constant.",
		},
	}
	for _, set := range r.Protocol.Sets {
		if c := table1Chart(rows, set); c != nil {
			d.Charts = append(d.Charts, c)
		}
	}
	d.Notes = append(d.Notes, r.Notes()...)
	return d
}

// growth is the exponent of a number in n over the rows of a set; NaN for fewer than
// three.
func growth(rows []*table1Row, set string, of func(*table1Row) float64) float64 {
	var x, y []float64
	for _, r := range rows {
		if r.data == set && r.missing == "" && of(r) > 0 {
			x, y = append(x, float64(r.n)), append(y, of(r))
		}
	}
	return slope(x, y)
}

func table1Findings(rows []*table1Row, published bool) []string {
	var exponents, numbers []string
	least, most := math.Inf(1), 0.0
	var last []*table1Row
	for i, r := range rows {
		if r.missing != "" {
			continue
		}
		if i+1 == len(rows) || rows[i+1].data != r.data || rows[i+1].missing != "" {
			last = append(last, r)
		}
	}
	if len(last) == 0 {
		return []string{"No cell is done yet."}
	}
	for _, r := range last {
		if e := growth(rows, r.data, func(r *table1Row) float64 { return r.d }); !math.IsNaN(e) {
			exponents = append(exponents, fmt.Sprintf("%s %.2f and %.2f", r.data, e, growth(rows, r.data, func(r *table1Row) float64 { return r.dd })))
		}
		if f := r.enough[plain]; f > 0 {
			if r.beyond[plain] {
				numbers = append(numbers, fmt.Sprintf("%s %.0f, where more than %.0f plain ones are needed", r.data, r.theorem, f))
				continue
			}
			ratio := r.theorem / f
			least, most = min(least, ratio), max(most, ratio)
			numbers = append(numbers, fmt.Sprintf("%s %.0f, where %.0f plain ones are enough", r.data, r.theorem, f))
		}
	}
	var out []string
	if len(exponents) > 0 {
		text := "As n grows, and the chosen λ falls, d and D grow as powers of n with the exponents " + strings.Join(exponents, ", ") + "."
		if published {
			text = "As n grows, d and D grow as powers of it with the exponents " + strings.Join(exponents, ", ") + "."
			text += " At λ = 1/√n the exponent of d is 0 for eigenvalues that fall exponentially, 1/(4t) for n·i^(−2t) and ½ for n/i; that of D, which is at least 1/λ = √n, is ½ in every regime."
		}
		out = append(out, text)
	}
	if len(numbers) > 0 {
		text := fmt.Sprintf("Frequencies that Theorem 1 asks for with the most rows: %s.", strings.Join(numbers, "; "))
		if most > 0 {
			times := fmt.Sprintf("%.0f", least)
			if m := fmt.Sprintf("%.0f", most); m != times {
				times += " to " + m
			}
			text += fmt.Sprintf(" Where enough were tried, that is %s times as many", times)
			if least > 2 {
				text += ": the theorem says what suffices in the worst case, and is no way to choose a number of features"
			}
			text += "."
		}
		out = append(out, text)
	}
	return out
}

func table1Table(rows []*table1Row) *writeup.Table {
	t := &writeup.Table{Caption: "Dimensions, and numbers of frequencies: asked for and enough",
		Head: []string{"data", "n", "reps", "λ", "d", "D", "Theorem 1", "with leverage", "exact error", "enough: RFF", "enough: leverage", "enough: surrogate", "log² n", "√n·log log n", "√n·log n"}}
	blank := writeup.Word("")
	for _, r := range rows {
		n := float64(r.n)
		line := []writeup.Entry{writeup.Word(r.data), writeup.Number("%.0f", n)}
		orders := []writeup.Entry{writeup.Number("%.0f", math.Log(n)*math.Log(n)), writeup.Number("%.0f", math.Sqrt(n)*math.Log(math.Log(n))), writeup.Number("%.0f", math.Sqrt(n)*math.Log(n))}
		if r.missing != "" {
			t.Rows = append(t.Rows, append(append(line, blank, writeup.Word(r.missing), blank, blank, blank, blank, blank, blank, blank, blank), orders...))
			continue
		}
		line = append(line, writeup.Number("%.0f", float64(r.reps)), writeup.Number("%.2g", r.lambda), writeup.Number("%.1f", r.d), writeup.Number("%.4g", r.dd), writeup.Number("%.0f", r.theorem), writeup.Number("%.0f", leverageAsks(r.d)), writeup.Number("%.4f", r.exact))
		for _, s := range table1Samplers[1:] {
			e := blank
			if f, ok := r.enough[s]; ok {
				format := "%.0f"
				if r.beyond[s] {
					format = "> %.0f"
				}
				e = writeup.Number(format, f)
			}
			line = append(line, e)
		}
		t.Rows = append(t.Rows, append(line, orders...))
	}
	return t
}

// leverageAsks is the theorem with the exact leverage scores, whose dimension is d.
func leverageAsks(d float64) float64 { return 16. / 3 * d * math.Log(16*d/0.05) }

// table1Chart has the dimensions and what was enough against n.
func table1Chart(rows []*table1Row, set string) *report.Chart {
	c := &report.Chart{Title: set + ": dimensions and frequencies", XLabel: "rows n", YLabel: "number", LogX: true, LogY: true}
	for style, s := range []struct {
		name string
		of   func(*table1Row) float64
	}{
		{"d", func(r *table1Row) float64 { return r.d }},
		{"D", func(r *table1Row) float64 { return r.dd }},
		{"Theorem 1", func(r *table1Row) float64 { return r.theorem }},
		{"enough: RFF", func(r *table1Row) float64 { return r.enough[plain] }},
		{"enough: leverage", func(r *table1Row) float64 { return r.enough[leverage] }},
		{"enough: surrogate", func(r *table1Row) float64 { return r.enough[surrogate] }},
	} {
		series := report.Series{Name: s.name, Style: style}
		for _, r := range rows {
			if v := s.of(r); r.data == set && r.missing == "" && v > 0 {
				series.Points = append(series.Points, report.Point{X: float64(r.n), Y: v})
			}
		}
		if len(series.Points) > 0 {
			c.Series = append(c.Series, series)
		}
	}
	if len(c.Series) == 0 {
		return nil
	}
	return c
}

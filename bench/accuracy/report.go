package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// cell is a row of the table.
type cell struct {
	set  string
	rows int // training rows
}

// compared are the methods beside Auto; plain is that of as many features as Auto took.
var compared = []string{"plain", "trees", "trees-tuned"}

// writeReport writes the table that is asked for.
func writeReport(a asked) error {
	r, err := readResults(a.results)
	if err != nil {
		return err
	}
	var table string
	switch a.table {
	case "ratios":
		table = ratios(r)
	case "ranks":
		table, err = ranks(r, a.published)
	case "spread":
		table = spread(r)
	default:
		err = fmt.Errorf("-table is %q: it must be ratios, ranks or spread", a.table)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(a.report, []byte(table), 0o644)
}

// ratios is a table of the mean errors over seeds, a row per set and number of training
// rows, and the ratios that matter: of the seeds that both have.
func ratios(r *results) string {
	errors := map[cell]map[string]map[uint64]float64{} // by method and seed
	for _, v := range r.all {
		c := cell{v.Set, v.Rows}
		if errors[c] == nil {
			errors[c] = map[string]map[uint64]float64{}
		}
		method := v.Method
		if a := r.find(v.Set, v.Seed, v.Most, "auto"); a != nil && method == plainOf(a) {
			method = "plain"
		}
		if errors[c][method] == nil {
			errors[c][method] = map[uint64]float64{}
		}
		errors[c][method][v.Seed] = v.Error
	}
	var b strings.Builder
	b.WriteString("| set | training rows | seeds | auto | plain | trees | trees-tuned | auto / plain | auto / tuned trees |\n|---|---|---|---|---|---|---|---|---|\n")
	ratios := map[string][]float64{}
	cells := slices.SortedFunc(maps.Keys(errors), func(a, b cell) int {
		return strings.Compare(fmt.Sprintf("%s %8d", a.set, a.rows), fmt.Sprintf("%s %8d", b.set, b.rows))
	})
	for _, c := range cells {
		e := errors[c]
		fmt.Fprintf(&b, "| %s | %d | %d |", c.set, c.rows, len(e["auto"]))
		for _, m := range append([]string{"auto"}, compared...) {
			b.WriteString(" " + number(e[m]) + " |")
		}
		for _, m := range compared {
			ratio, both := ratioOf(e["auto"], e[m])
			if both {
				ratios[m] = append(ratios[m], ratio)
			}
			switch {
			case m == "trees": // below the table only
			case both:
				fmt.Fprintf(&b, " %.3f |", ratio)
			default:
				b.WriteString(" not run |")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, m := range compared {
		if v := ratios[m]; len(v) > 0 {
			fmt.Fprintf(&b, "Geometric mean of auto / %s over %d rows of the table: %.3f; the largest is %.3f.\n", m, len(v), geometric(v), slices.Max(v))
		}
	}
	return b.String()
}

// ratioOf returns the ratio of the mean errors of the seeds that two methods have.
func ratioOf(a, b map[uint64]float64) (ratio float64, both bool) {
	var sumA, sumB float64
	for seed, v := range a {
		if w, ok := b[seed]; ok {
			sumA, sumB, both = sumA+v, sumB+w, true
		}
	}
	return sumA / sumB, both
}

func geometric(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += math.Log(x) / float64(len(v))
	}
	return math.Exp(sum)
}

// number is the mean over seeds, and their number if there are several.
func number(v map[uint64]float64) string {
	if len(v) == 0 {
		return "not run"
	}
	var mean float64
	for _, seed := range slices.Sorted(maps.Keys(v)) {
		mean += v[seed] / float64(len(v))
	}
	if len(v) == 1 {
		return fmt.Sprintf("%.4g", mean)
	}
	return fmt.Sprintf("%.4g (%d)", mean, len(v))
}

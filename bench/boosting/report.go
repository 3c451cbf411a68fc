package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// writeReport writes a table of the mean errors over seeds, a row per set and number
// of training rows, and the ratios that matter.
func writeReport(from, to string) error {
	r, err := readResults(from)
	if err != nil {
		return err
	}
	type cell struct {
		set  string
		rows int
	}
	errors := map[cell]map[string][]float64{}
	columns := []string{"auto", "quick", "plain", "trees", "trees-tuned"}
	for _, v := range r.all {
		c := cell{v.Set, v.Rows}
		if errors[c] == nil {
			errors[c] = map[string][]float64{}
		}
		errors[c][v.Method] = append(errors[c][v.Method], v.Error)
	}
	var b strings.Builder
	b.WriteString("| set | training rows | seeds | " + strings.Join(columns, " | ") + " | auto / tuned trees | auto / plain |\n|---|---|---" + strings.Repeat("|---", len(columns)+2) + "|\n")
	ratios := map[string][]float64{}
	cells := slices.SortedFunc(maps.Keys(errors), func(a, b cell) int {
		return strings.Compare(fmt.Sprintf("%s %8d", a.set, a.rows), fmt.Sprintf("%s %8d", b.set, b.rows))
	})
	for _, c := range cells {
		e := errors[c]
		fmt.Fprintf(&b, "| %s | %d | %d |", c.set, c.rows, len(e["auto"]))
		for _, m := range columns {
			b.WriteString(" " + number(e[m]) + " |")
		}
		for _, m := range []string{"trees-tuned", "plain"} {
			text := "—"
			if len(e["auto"]) > 0 && len(e[m]) > 0 {
				ratio := mean(e["auto"]) / mean(e[m])
				ratios[m] = append(ratios[m], ratio)
				text = fmt.Sprintf("%.3f", ratio)
			}
			b.WriteString(" " + text + " |")
		}
		if len(e["auto"]) > 0 && len(e["trees"]) > 0 {
			ratios["trees"] = append(ratios["trees"], mean(e["auto"])/mean(e["trees"]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, m := range []string{"trees-tuned", "trees", "plain"} {
		if v := ratios[m]; len(v) > 0 {
			fmt.Fprintf(&b, "Geometric mean of auto / %s over %d rows of the table: %.3f.\n", m, len(v), geometric(v))
		}
	}
	return os.WriteFile(to, []byte(b.String()), 0o644)
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

func geometric(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += math.Log(x) / float64(len(v))
	}
	return math.Exp(sum)
}

func number(v []float64) string {
	if len(v) == 0 {
		return "—"
	}
	return fmt.Sprintf("%.4g", mean(v))
}

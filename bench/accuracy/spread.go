package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// folds of a division that small.py makes: a test part is a quarter of its training part.
const folds = 5

// spread is a table of errors over folds, a row per set: the mean of every method, and by
// how much, with its standard error, auto is behind the best.
func spread(r *results) string {
	at := map[string]map[string]map[uint64]float64{} // error by set, method and fold
	for _, v := range r.all {
		if at[v.Set] == nil {
			at[v.Set] = map[string]map[uint64]float64{}
		}
		if at[v.Set][v.Method] == nil {
			at[v.Set][v.Method] = map[uint64]float64{}
		}
		at[v.Set][v.Method][v.Seed] = v.Error
	}
	var b strings.Builder
	methods := r.heading(&b, "folds", "auto behind the best")
	for _, set := range slices.Sorted(maps.Keys(at)) {
		auto := at[set]["auto"]
		fmt.Fprintf(&b, "| %s | %d |", set, len(auto))
		best, first := "", math.Inf(1)
		for _, m := range methods {
			e := at[set][m]
			if len(e) == 0 {
				b.WriteString(" not run |")
				continue
			}
			var mean float64
			for _, fold := range slices.Sorted(maps.Keys(e)) {
				mean += e[fold] / float64(len(e))
			}
			fmt.Fprintf(&b, " %.4g |", mean)
			if mean < first*(1-1e-12) { // as many wrong labels may be another sum
				best, first = m, mean
			}
		}
		switch {
		case best == "auto":
			b.WriteString(" it is the best |\n")
		case len(auto) == 0:
			b.WriteString(" not run |\n")
		case len(auto) == 1:
			behind, _ := paired(auto, at[set][best])
			fmt.Fprintf(&b, " %.2g of %s |\n", behind, best)
		default:
			behind, se := paired(auto, at[set][best])
			fmt.Fprintf(&b, " %.2g ± %.2g of %s |\n", behind, se, best)
		}
	}
	return b.String()
}

// paired returns the mean difference a − b over the folds that both have, and its
// standard error. The training parts of folds overlap, so their differences are not
// independent: the error is corrected by 1/n + test/train (Nadeau and Bengio, "Inference
// for the generalization error", Machine Learning 52, 2003).
func paired(a, b map[uint64]float64) (mean, se float64) {
	var d []float64
	for fold, v := range a {
		if w, ok := b[fold]; ok {
			d = append(d, v-w)
		}
	}
	slices.Sort(d) // one order of the sum
	n := float64(len(d))
	for _, v := range d {
		mean += v / n
	}
	for _, v := range d {
		se += (v - mean) * (v - mean) / max(1, n-1)
	}
	return mean, math.Sqrt(se * (1/n + 1.0/(folds-1)))
}

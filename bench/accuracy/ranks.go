package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A published figure is what others print for a method on the very same rows: the root mean
// square error, or the accuracy.
type figure struct {
	method string
	loss   float64 // the root mean square error, or the wrong labels in %
}

// readPublished reads lines of set, metric (rmse or accuracy), method, mean and sd.
func readPublished(path string) (map[string][]figure, error) {
	if path == "" {
		return nil, errors.New("ranks need the -published figures")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := map[string][]figure{}
	for i, l := range lines {
		if i == 0 {
			continue
		}
		mean, err := strconv.ParseFloat(l[3], 64)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
		}
		if math.IsNaN(mean) {
			continue // the method has no figure there
		}
		if l[1] == "accuracy" {
			mean = 100 * (1 - mean)
		}
		out[l[0]] = append(out[l[0]], figure{l[2], mean})
	}
	return out, nil
}

// loss is what ranks compare: the root mean square error of a regression, else the wrong
// labels in %.
func (v result) loss() float64 {
	if v.RMSE > 0 {
		return v.RMSE
	}
	return v.Error
}

// ranks is a table of the ranks of each measured method among the published ones, a row
// per set. A rank is one more than the number of published methods with a smaller loss than
// the mean over seeds.
func ranks(r *results, published string) (string, error) {
	figures, err := readPublished(published)
	if err != nil {
		return "", err
	}
	at := map[string]map[string][]result{} // by set and method
	var methods []string
	for _, v := range r.all {
		if at[v.Set] == nil {
			at[v.Set] = map[string][]result{}
		}
		at[v.Set][v.Method] = append(at[v.Set][v.Method], v)
		if !slices.Contains(methods, v.Method) {
			methods = append(methods, v.Method)
		}
	}
	slices.Sort(methods)
	var b strings.Builder
	b.WriteString("| set | best published |")
	for _, m := range methods {
		b.WriteString(" " + m + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(methods)) + "\n")
	sums, counts, work := map[string]float64{}, map[string]int{}, map[string]float64{}
	for _, set := range slices.Sorted(maps.Keys(at)) {
		known := figures[set]
		if known == nil {
			return "", fmt.Errorf("nothing is published for %s", set)
		}
		best := slices.MinFunc(known, func(a, b figure) int { return cmp.Compare(a.loss, b.loss) })
		fmt.Fprintf(&b, "| %s | %.4g %s |", set, best.loss, best.method)
		for _, m := range methods {
			cells := at[set][m]
			if len(cells) == 0 {
				b.WriteString(" not run |")
				continue
			}
			mean, sd := meanOf(cells)
			rank := 1
			for _, f := range known {
				if f.loss < mean*(1-1e-9) { // beyond the rounding of 100·(1 − accuracy)
					rank++
				}
			}
			fmt.Fprintf(&b, " %.4g ± %.2g (%d) |", mean, sd, rank)
			sums[m] += float64(rank)
			counts[m]++
			for _, c := range cells {
				work[m] += c.Processor / float64(len(cells))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n| method | sets | mean rank | processor seconds per set |\n|---|---|---|---|\n")
	for _, m := range methods {
		n := float64(counts[m])
		fmt.Fprintf(&b, "| %s | %d | %.2f | %.1f |\n", m, counts[m], sums[m]/n, work[m]/n)
	}
	return b.String(), nil
}

// meanOf returns the mean of the losses of cells, and their standard deviation.
func meanOf(cells []result) (mean, sd float64) {
	n := float64(len(cells))
	for _, c := range cells {
		mean += c.loss() / n
	}
	for _, c := range cells {
		sd += (c.loss() - mean) * (c.loss() - mean) / max(1, n-1)
	}
	return mean, math.Sqrt(sd)
}

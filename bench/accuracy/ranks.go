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

	"github.com/rffgo/rff/cmd/rff/compare"
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
// per set, and of how the errors that Auto expected compare with those it has. A rank is one more than the number of published methods with a smaller loss than
// the mean over seeds.
func ranks(r *results, published string) (string, error) {
	figures, err := readPublished(published)
	if err != nil {
		return "", err
	}
	at := map[string]map[string][]result{} // by set and method
	for _, v := range r.all {
		if at[v.Set] == nil {
			at[v.Set] = map[string][]result{}
		}
		at[v.Set][v.Method] = append(at[v.Set][v.Method], v)
	}
	var b strings.Builder
	methods := r.heading(&b, "best published", "auto's estimate / error")
	var shares []float64
	sums, counts, work := map[string]float64{}, map[string]int{}, map[string]float64{}
	seeds := map[string]map[uint64][]float64{} // ranks of one seed
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
			rank := rankOf(mean, known)
			fmt.Fprintf(&b, " %.4g ± %.2g (%d) |", mean, sd, rank)
			sums[m] += float64(rank)
			counts[m]++
			if seeds[m] == nil {
				seeds[m] = map[uint64][]float64{}
			}
			for _, c := range cells {
				work[m] += c.Processor / float64(len(cells))
				seeds[m][c.Seed] = append(seeds[m][c.Seed], float64(rankOf(c.loss(), known)))
			}
		}
		share := estimated(at[set]["auto"])
		if share > 0 {
			shares = append(shares, share)
			fmt.Fprintf(&b, " %.2f |\n", share)
		} else {
			b.WriteString(" – |\n")
		}
	}
	if slices.Sort(shares); len(shares) > 0 {
		fmt.Fprintf(&b, "\nOf auto's estimates over its errors the median is %.2f, the least %.2f and the largest %.2f.\n", median(shares), shares[0], shares[len(shares)-1])
	}
	b.WriteString("\n| method | sets | mean rank | of each seed alone (sets) | processor seconds per set |\n|---|---|---|---|---|\n")
	for _, m := range methods {
		n := float64(counts[m])
		var alone []string
		for _, seed := range slices.Sorted(maps.Keys(seeds[m])) {
			v := seeds[m][seed]
			mean, _ := compare.MeanSD(v)
			alone = append(alone, fmt.Sprintf("%.2f (%d)", mean, len(v)))
		}
		fmt.Fprintf(&b, "| %s | %d | %.2f | %s | %.1f |\n", m, counts[m], sums[m]/n, strings.Join(alone, ", "), work[m]/n)
	}
	return b.String(), nil
}

// rankOf returns one more than the number of figures with a smaller loss.
func rankOf(loss float64, known []figure) int {
	rank := 1
	for _, f := range known {
		if f.loss < loss*(1-1e-9) { // beyond the rounding of 100·(1 − accuracy)
			rank++
		}
	}
	return rank
}

// estimated returns the mean of the errors that Auto expected over the mean of those it has;
// 0 where it has none, or expected none.
func estimated(cells []result) float64 {
	var held, have float64
	for _, c := range cells {
		held, have = held+c.Held, have+c.Error
	}
	if have == 0 {
		return 0
	}
	return held / have
}

// median returns the median of sorted values.
func median(v []float64) float64 { return (v[(len(v)-1)/2] + v[len(v)/2]) / 2 }

// meanOf returns the mean of the losses of cells, and their standard deviation.
func meanOf(cells []result) (mean, sd float64) {
	var losses []float64
	for _, c := range cells {
		losses = append(losses, c.loss())
	}
	return compare.MeanSD(losses)
}

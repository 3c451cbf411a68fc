package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/compare"
)

// report writes the table: a row per set and number of columns, a column per sampler,
// and below it the ratios of errors to those of the first sampler.
func report(w io.Writer, file string, seconds bool) error {
	cells, err := read(file)
	if err != nil {
		return err
	}
	var samplers, names []string
	var features []int
	errors := map[string][]float64{}      // of set, columns and sampler
	byRep := map[string]map[int]float64{} // the same, of each repetition
	rows := map[string]string{}
	reps := 0
	add := func(list []string, v string) []string {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
		return list
	}
	at := func(set string, f int, sampler string) string { return fmt.Sprint(set, " ", f, " ", sampler) }
	for _, c := range cells {
		if c.Failure != "" {
			continue
		}
		names, samplers = add(names, c.Set), add(samplers, c.Sampler)
		if !slices.Contains(features, c.Features) {
			features = append(features, c.Features)
		}
		k := at(c.Set, c.Features, c.Sampler)
		errors[k] = append(errors[k], c.Error)
		if byRep[k] == nil {
			byRep[k] = map[int]float64{}
		}
		byRep[k][c.Rep] = c.Error
		reps = max(reps, len(errors[k]))
		rows[c.Set] = fmt.Sprint(c.Train)
		if c.RMSE {
			rows[c.Set] += " | RMSE"
		} else {
			rows[c.Set] += " | %"
		}
	}
	slices.Sort(names)
	slices.Sort(features)
	fmt.Fprintf(w, "| data | rows | error | columns | %s |\n|---|---|---|---|%s\n", strings.Join(samplers, " | "), strings.Repeat("---|", len(samplers)))
	logs := map[string][]float64{} // of ratios, by columns and sampler
	for _, set := range names {
		for i, f := range features {
			head := set + " | " + rows[set]
			if i > 0 {
				head = " |  | "
			}
			fmt.Fprintf(w, "| %s | %d |", head, f)
			first := byRep[at(set, f, samplers[0])]
			for _, s := range samplers {
				e := errors[at(set, f, s)]
				if len(e) == 0 {
					fmt.Fprint(w, " – |")
					continue
				}
				mean, sd := compare.MeanSD(e)
				fmt.Fprintf(w, " %s |", compare.Spread(mean, sd, len(e)))
				var own, others float64 // of the repetitions that both have
				for _, rep := range slices.Sorted(maps.Keys(first)) {
					if e, ok := byRep[at(set, f, s)][rep]; ok {
						own, others = own+e, others+first[rep]
					}
				}
				if r := math.Log(own / others); r-r == 0 {
					k := at("", f, s)
					logs[k] = append(logs[k], r)
				}
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "\nError over that of %s, of the repetitions that both have: geometric mean over sets, and sets on which it is smaller:\n\n| columns | %s |\n|---|%s\n", samplers[0], strings.Join(samplers[1:], " | "), strings.Repeat("---|", len(samplers)-1))
	for _, f := range features {
		fmt.Fprintf(w, "| %d |", f)
		for _, s := range samplers[1:] {
			l := logs[at("", f, s)]
			mean, _ := compare.MeanSD(l)
			better := 0
			for _, v := range l {
				if v < 0 {
					better++
				}
			}
			fmt.Fprintf(w, " %.3f (%d of %d) |", math.Exp(mean), better, len(l))
		}
		fmt.Fprintln(w)
	}
	if seconds {
		fmt.Fprintf(w, "\nMedian CPU seconds of choosing features and fitting, λ included, after the search:\n\n| columns | %s |\n|---|%s\n", strings.Join(samplers, " | "), strings.Repeat("---|", len(samplers)))
		for _, f := range features {
			fmt.Fprintf(w, "| %d |", f)
			for _, s := range samplers {
				var t []float64
				for _, c := range cells {
					if c.Failure == "" && c.Features == f && c.Sampler == s && c.CPU > 0 {
						t = append(t, c.CPU)
					}
				}
				slices.Sort(t)
				if len(t) == 0 {
					fmt.Fprint(w, " – |")
					continue
				}
				fmt.Fprintf(w, " %.2f |", t[len(t)/2])
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "\nRepetitions: %d at most.\n", reps)
	return nil
}

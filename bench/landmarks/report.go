package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
	"github.com/rffgo/rff/cmd/rff/compare"
)

// table has the fits of a record by set, columns and sampler.
type table struct {
	sets, samplers []string
	columns        []int
	train          map[string]int
	rmse           map[string]bool
	fits           map[place]map[int]cell // by repetition
}

type place struct {
	set     string
	columns int
	sampler string
}

// tabulate leaves out fits that failed, and the sets without.
func tabulate(cells []cell, without []string) *table {
	t := &table{train: map[string]int{}, rmse: map[string]bool{}, fits: map[place]map[int]cell{}}
	for _, c := range cells {
		if c.Failure != "" || slices.Contains(without, c.Set) {
			continue
		}
		t.train[c.Set], t.rmse[c.Set] = c.Train, c.RMSE
		if !slices.Contains(t.samplers, c.Sampler) {
			t.samplers = append(t.samplers, c.Sampler)
		}
		if !slices.Contains(t.columns, c.Features) {
			t.columns = append(t.columns, c.Features)
		}
		at := place{c.Set, c.Features, c.Sampler}
		if t.fits[at] == nil {
			t.fits[at] = map[int]cell{}
		}
		t.fits[at][c.Rep] = c
	}
	t.sets = slices.Sorted(maps.Keys(t.train))
	slices.Sort(t.columns)
	order := splitSamplers(defaultSamplers) // others, that the record has besides, behind them
	rank := func(s string) int { return (slices.Index(order, s) + len(order) + 1) % (len(order) + 1) }
	slices.SortStableFunc(t.samplers, func(a, b string) int { return rank(a) - rank(b) })
	return t
}

// parts are what a report consists of, in its order.
var parts = []string{"errors", "ratios", "repetitions", "seconds", "speed"}

// write writes a part of the report: a Markdown table.
func (t *table) write(w io.Writer, part string) {
	switch part {
	case "errors":
		t.errors(w)
	case "ratios":
		t.ratios(w)
	case "repetitions":
		t.repetitions(w)
	case "seconds":
		t.seconds(w)
	}
}

// report writes parts of the report of a file, all if none are named.
func report(w io.Writer, file string, named, without []string) error {
	cells, err := jsonl.Read[cell](file)
	if err != nil {
		return err
	}
	t := tabulate(cells, without)
	if len(t.samplers) == 0 {
		return fmt.Errorf("%s: no fits of any other set: name fewer behind -without", file)
	}
	for _, s := range without {
		if !slices.ContainsFunc(cells, func(c cell) bool { return c.Set == s }) {
			return fmt.Errorf("-without %s: %s has no fits of it", s, file)
		}
	}
	for i, part := range named {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("there is no part %q of a report: there is %s", part, strings.Join(parts, ", "))
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if part == "speed" {
			if err := reportSpeed(w, file); err != nil {
				return err
			}
			continue
		}
		t.write(w, part)
	}
	return nil
}

// head writes the head of a Markdown table: these columns, and one per sampler.
func head(w io.Writer, first, samplers []string) {
	all := slices.Concat(first, samplers)
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(all, " | "), strings.Repeat("---|", len(all)))
}

// errors writes a row per set and number of columns.
func (t *table) errors(w io.Writer) {
	head(w, []string{"data", "rows", "error", "columns"}, t.samplers)
	for _, set := range t.sets {
		for i, f := range t.columns {
			unit := "%"
			if t.rmse[set] {
				unit = "RMSE"
			}
			if i == 0 {
				fmt.Fprintf(w, "| %s | %d | %s | %d |", set, t.train[set], unit, f)
			} else {
				fmt.Fprintf(w, "|  |  |  | %d |", f)
			}
			for _, s := range t.samplers {
				fits := t.fits[place{set, f, s}]
				if len(fits) == 0 {
					fmt.Fprint(w, " – |")
					continue
				}
				var errors []float64
				for _, rep := range slices.Sorted(maps.Keys(fits)) {
					errors = append(errors, fits[rep].Error)
				}
				mean, sd := compare.MeanSD(errors)
				text := compare.Spread(mean, sd, len(errors))
				if len(errors) == 1 && mean >= 1e4 { // no power of ten beside whole numbers
					text = fmt.Sprintf("%.0f", mean)
				}
				fmt.Fprintf(w, " %s |", text)
			}
			fmt.Fprintln(w)
		}
	}
}

// ratios writes the error over that of the first sampler, of the repetitions that both
// have: the geometric mean over sets, and the number of sets on which it is smaller.
func (t *table) ratios(w io.Writer) {
	t.byColumns(w, t.samplers[1:], func(columns int, sampler string) string {
		var logs []float64
		better := 0
		for _, set := range t.sets {
			if r := t.ratio(set, columns, sampler); r-r == 0 {
				if logs = append(logs, math.Log(r)); r < 1 {
					better++
				}
			}
		}
		if len(logs) == 0 {
			return "–"
		}
		mean, _ := compare.MeanSD(logs)
		return fmt.Sprintf("%.3f (%d of %d)", math.Exp(mean), better, len(logs))
	})
}

// byColumns writes a row per number of columns, with what of says of every sampler.
func (t *table) byColumns(w io.Writer, samplers []string, of func(columns int, sampler string) string) {
	head(w, []string{"columns"}, samplers)
	for _, f := range t.columns {
		fmt.Fprintf(w, "| %d |", f)
		for _, s := range samplers {
			fmt.Fprintf(w, " %s |", of(f, s))
		}
		fmt.Fprintln(w)
	}
}

// ratio of the errors of a sampler and the first on a set, of the repetitions that both
// have; not a number if there are none.
func (t *table) ratio(set string, columns int, sampler string) float64 {
	var own, others float64
	first := t.fits[place{set, columns, t.samplers[0]}]
	fits := t.fits[place{set, columns, sampler}]
	for _, rep := range slices.Sorted(maps.Keys(fits)) {
		if o, ok := first[rep]; ok {
			own, others = own+fits[rep].Error, others+o.Error
		}
	}
	return own / others
}

// repetitions writes how many there are, over sets: the fewest and the most.
func (t *table) repetitions(w io.Writer) {
	t.byColumns(w, t.samplers, func(columns int, sampler string) string {
		var n []int
		for _, set := range t.sets {
			n = append(n, len(t.fits[place{set, columns, sampler}]))
		}
		least, most := slices.Min(n), slices.Max(n)
		if least < most {
			return fmt.Sprintf("%d–%d", least, most)
		}
		return fmt.Sprint(most)
	})
}

// seconds writes the median CPU seconds of choosing features and fitting after the
// search, over sets and repetitions.
func (t *table) seconds(w io.Writer) {
	t.byColumns(w, t.samplers, func(columns int, sampler string) string {
		var times []float64
		for _, set := range t.sets {
			for _, c := range t.fits[place{set, columns, sampler}] {
				if c.CPU > 0 {
					times = append(times, c.CPU)
				}
			}
		}
		if len(times) == 0 {
			return "–"
		}
		slices.Sort(times)
		return fmt.Sprintf("%.2g", times[len(times)/2])
	})
}

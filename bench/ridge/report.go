package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
	"strings"
)

// result is the least seconds of one shape, one element type and one number of workers.
type result struct {
	Shape, Dtype    string
	Workers, Reps   int
	Ours, Rival, CV float64 // rival and CV: 0 if they were left out
	About           string  // the rival's versions
}

// append writes r as a line of JSON to the end of a file.
func (r result) append(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(r)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// limits of ours over the rival's time, and of a cross-validation over a fit.
var (
	ratioLimit = map[string]float64{"20000,54,3456": 0.98}
	cvLimit    = map[string]float64{"59535,8,1024": 2, "10000,14,1792": 8}
)

// report writes the results in a file as Markdown.
func report(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var all []result
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no results", path)
	}
	place := map[string]int{}
	for i, s := range shapes {
		place[fmt.Sprintf("%d,%d,%d", s.n, s.d, s.s)] = i
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.Dtype != b.Dtype {
			return a.Dtype > b.Dtype
		}
		if a.Workers != b.Workers {
			return a.Workers < b.Workers
		}
		return place[a.Shape] < place[b.Shape]
	})
	fmt.Fprintf(w, "# Ridge fits against NumPy and SciPy\n\nMade by `make bench-ridge`: features, ZᵀZ, Zᵀy and the solution for one λ, in seconds, the least of %d runs of either side in turn.\n", all[0].Reps)
	fmt.Fprintf(w, "The rival makes features in blocks of 504, 2,016 or all rows, whichever is best, then SYRK, Cholesky and the solution; its cosines run on one thread, as NumPy's do.\n\n")
	fmt.Fprintf(w, "- Machine: %s, %d processors, %s/%s, %s\n- Rival: %s\n\n", cpu(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), all[0].About)
	fmt.Fprintf(w, "| type | workers | n, d, s | rff | rival | rff/rival | limit | 5-fold CV over 20 λ | CV/fit | limit |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
	over := 0
	limited := func(v, limit float64) string {
		if v > limit {
			over++
			return fmt.Sprintf("**%.2f**", v)
		}
		return fmt.Sprintf("%.2f", v)
	}
	for _, r := range all {
		limit, ok := ratioLimit[r.Shape]
		if !ok {
			limit = 0.92
		}
		fmt.Fprintf(w, "| %s | %d | %s | %.4f | %.4f | %s | %.2f |", r.Dtype, r.Workers, strings.ReplaceAll(r.Shape, ",", ", "), r.Ours, r.Rival, limited(r.Ours/r.Rival, limit), limit)
		if most := cvLimit[r.Shape]; r.CV > 0 && most > 0 {
			fmt.Fprintf(w, " %.4f | %s | %.0f |\n", r.CV, limited(r.CV/r.Ours, most), most)
		} else {
			fmt.Fprintf(w, " | | |\n")
		}
	}
	fmt.Fprintf(w, "\n%d of these are beyond their limit", over)
	if over > 0 {
		fmt.Fprintf(w, ", in bold")
	}
	fmt.Fprintf(w, ".\n")
	return nil
}

// cpu returns the name of the processor where the system gives it.
func cpu() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(b), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

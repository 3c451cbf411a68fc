package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	reports "github.com/rffgo/rff/cmd/rff/report"

	"github.com/rffgo/rff/bench/jsonl"
)

// result is one measurement, of one of three kinds.
type result struct {
	Workers int
	Ours    float64 // seconds

	// The least seconds of fits of one shape, and of the rival.
	Shape     string  `json:",omitempty"`
	Dtype     string  `json:",omitempty"`
	Reps      int     `json:",omitempty"`
	Rival, CV float64 `json:",omitempty"` // 0 if they were left out
	About     string  `json:",omitempty"` // the rival's versions

	// A streamed fit of a file.
	Stream   string  `json:",omitempty"`
	Times    int     `json:",omitempty"`
	Rows     int64   `json:",omitempty"`
	Features int     `json:",omitempty"`
	MiB      float64 `json:",omitempty"` // resident at most; of an accuracy, beyond what was before

	// The accuracy of a solver on the other half of a file.
	Accuracy string  `json:",omitempty"`
	Solver   string  `json:",omitempty"`
	Lambda   float64 `json:",omitempty"`
	Percent  float64 `json:",omitempty"`
	Budget   int64   `json:",omitempty"`
	Solved   string  `json:",omitempty"`
}

// append writes r as a line of JSON to the end of a file, if one is given.
func (r result) append(path string) error {
	if path == "" {
		return nil
	}
	return jsonl.Append(path, r)
}

// limits of ours over the rival's time, and of a cross-validation over a fit.
var (
	ratioLimit = map[string]float64{"20000,54,3456": 0.98}
	cvLimit    = map[string]float64{"59535,8,1024": 2, "10000,14,1792": 8}
)

// report writes the results in a file as Markdown.
func report(w io.Writer, path string) error {
	fits, streams, accuracies, err := readResults(path)
	if err != nil {
		return err
	}
	if len(fits) == 0 {
		return fmt.Errorf("%s has no results", path)
	}
	writeFits(w, fits)
	if len(streams) > 0 {
		writeStreams(w, streams)
	}
	if len(accuracies) > 0 {
		writeAccuracies(w, accuracies)
	}
	return nil
}

// readResults reads the lines of a file, by kind.
func readResults(path string) (fits, streams, accuracies []result, err error) {
	all, err := jsonl.Read[result](path)
	for _, r := range all {
		switch {
		case r.Stream != "":
			streams = append(streams, r)
		case r.Accuracy != "":
			accuracies = append(accuracies, r)
		default:
			fits = append(fits, r)
		}
	}
	return fits, streams, accuracies, err
}

// sortFits sorts by type, workers and shape, the shapes in the order of their list.
func sortFits(fits []result) {
	place := map[string]int{}
	for i, s := range shapes {
		place[fmt.Sprintf("%d,%d,%d", s.n, s.d, s.s)] = i
	}
	slices.SortStableFunc(fits, func(a, b result) int {
		return cmp.Or(cmp.Compare(b.Dtype, a.Dtype), cmp.Compare(a.Workers, b.Workers), cmp.Compare(place[a.Shape], place[b.Shape]))
	})
}

// writeFits writes the fits beside the rival's, with those beyond their limits in bold.
func writeFits(w io.Writer, fits []result) {
	sortFits(fits)
	fmt.Fprintf(w, "# Ridge fits against NumPy and SciPy\n\nMade by `make bench-ridge`: features, ZᵀZ, Zᵀy and the solution for one λ, in seconds, the least of 5 to 21 runs of either side in turn.\n")
	fmt.Fprintf(w, "The rival makes features in blocks of 504, 2,016 or all rows, whichever is best, then SYRK, Cholesky and the solution; its cosines run on one thread, as NumPy's do.\n\n")
	fmt.Fprintf(w, "- Machine: %s\n- Rival: %s\n\n", reports.Machine(), fits[0].About)
	fmt.Fprintf(w, "| type | workers | n, d, s | rff | rival | rff/rival | limit | 5-fold CV over 20 λ | CV/fit | limit |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
	over := 0
	limited := func(v, limit float64) string {
		if v > limit {
			over++
			return fmt.Sprintf("**%.2f**", v)
		}
		return fmt.Sprintf("%.2f", v)
	}
	for _, r := range fits {
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
}

// writeStreams writes the streamed fits of a file.
func writeStreams(w io.Writer, streams []result) {
	fmt.Fprintf(w, "\n## Streams\n\nA fit of a gzipped CSV file read as a stream, the same file several times over, in float64: resident memory of the whole process at most.\n\n| file | rows | features | workers | seconds | MiB |\n|---|---:|---:|---:|---:|---:|\n")
	for _, r := range streams {
		fmt.Fprintf(w, "| %s ×%d | %d | %d | %d | %.1f | %.0f |\n", r.Stream, r.Times, r.Rows, r.Features, r.Workers, r.Ours, r.MiB)
	}
}

// writeAccuracies writes what the solvers reach on the other half of a file.
func writeAccuracies(w io.Writer, accuracies []result) {
	fmt.Fprintf(w, "\n## Conjugate gradients\n\nAccuracy on the other half of the rows, seconds, and resident memory at most beyond that of the rows before the fit, by Cholesky and by conjugate gradients with a budget.\n\n| file | rows | features | λ | type | workers | solver | accuracy | seconds | MiB | budget, MiB |\n|---|---:|---:|---:|---|---:|---|---:|---:|---:|---:|\n")
	for _, r := range accuracies {
		budget := ""
		if r.Solver == "cg" {
			budget = fmt.Sprint(r.Budget >> 20)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %g | %s | %d | %s | %.3f %% | %.1f | %.0f | %s |\n", r.Accuracy, r.Rows, r.Features, r.Lambda, r.Dtype, r.Workers, r.Solved, r.Percent, r.Ours, r.MiB, budget)
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rffgo/rff/bench/roofline"
)

// cases are the operations of the paper's pipelines at the sizes of its data
// sets, in numbers of rows that the slowest path finishes.
var cases = []roofline.Case{
	{Op: "features", N: 5000, D: 14, S: 1792, Form: "pair"},
	{Op: "features", N: 5000, D: 14, S: 1792, Form: "cos"},
	{Op: "features", N: 20000, D: 8, S: 256, Form: "pair"},
	{Op: "features", N: 2000, D: 54, S: 3456, Form: "pair"},
	{Op: "features", N: 504, D: 784, S: 4096, Form: "pair"},
	{Op: "scores", N: 2016, D: 14, S: 3584, Form: "pair"},
	{Op: "gram", N: 5040, D: 10, S: 256, Form: "pair"},
	{Op: "gram", N: 1008, D: 14, S: 1024, Form: "pair"},
	{Op: "gram", N: 1008, D: 14, S: 1792, Form: "pair"},
	{Op: "gemm", N: 2000, D: 123, S: 1792, Form: "pair"},
	{Op: "gemm", N: 1000, D: 1000, S: 1000, Form: "pair"},
	{Op: "syrk", N: 1008, D: 1, S: 1024, Form: "pair"},
	{Op: "cholesky", N: 1, D: 1, S: 1024, Form: "pair"},
	{Op: "predict", N: 2000, D: 14, S: 1792, Form: "pair"},
}

// operations writes seconds of each case on each path, and the winner.
func operations(ctx context.Context, w io.Writer, reps int) error {
	all := roofline.Paths()
	fmt.Fprintf(w, "\n## Operations\n\nSeconds, least of %d runs, paths in turn within each row; **bold** wins. The last column is the automatic choice (native) over the winner.\n", reps)
	worst := 0.0
	for _, dtype := range []string{"f64", "f32"} {
		for _, workers := range []int{1, 2} {
			paths := all
			if workers > 1 { // the paths without vector instructions gain the same from a second one
				paths = slices.DeleteFunc(slices.Clone(all), slow)
			}
			fmt.Fprintf(w, "\n### %s, %d worker(s)\n\n| operation |", dtype, workers)
			for _, p := range paths {
				fmt.Fprintf(w, " %s |", p)
			}
			fmt.Fprintf(w, " automatic/winner |\n|---|")
			for range paths {
				fmt.Fprint(w, "---:|")
			}
			fmt.Fprint(w, "---:|\n")
			for _, c := range cases {
				c.DType, c.Workers = dtype, workers
				fmt.Fprintf(os.Stderr, "paths: %s n=%d d=%d s=%d %s, %d worker(s)\n", c.Op, c.N, c.D, c.S, dtype, workers)
				results, err := one(ctx, c, paths, reps)
				if err != nil {
					return err
				}
				best := slices.MinFunc(results, func(a, b roofline.Result) int {
					if a.SecondsMin < b.SecondsMin {
						return -1
					}
					return 1
				})
				fmt.Fprintf(w, "| %s n=%d d=%d s=%d %s |", c.Op, c.N, c.D, c.S, form(c))
				for _, r := range results {
					if r.Backend == best.Backend {
						fmt.Fprintf(w, " **%.3g** |", r.SecondsMin)
					} else {
						fmt.Fprintf(w, " %.3g |", r.SecondsMin)
					}
				}
				ratio := results[0].SecondsMin / best.SecondsMin
				worst = max(worst, ratio)
				fmt.Fprintf(w, " %.2f |\n", ratio)
			}
		}
	}
	fmt.Fprintf(w, "\nThe automatic choice is at most %.0f %% slower than the winner.\n", 100*(worst-1))
	return nil
}

// one measures a case on every path. The paths without vector instructions take
// a few runs only: they are not near the winner.
func one(ctx context.Context, c roofline.Case, paths []string, reps int) ([]roofline.Result, error) {
	var quickly, slowly []*roofline.Runner
	for _, p := range paths {
		c.Backend = p
		r, err := roofline.New(c)
		if err != nil {
			return nil, err
		}
		if slow(p) {
			slowly = append(slowly, r)
		} else {
			quickly = append(quickly, r)
		}
	}
	quick, err := roofline.Measure(ctx, quickly, reps)
	if err != nil {
		return nil, err
	}
	rest, err := roofline.Measure(ctx, slowly, 1)
	if err != nil {
		return nil, err
	}
	var results []roofline.Result
	for _, p := range paths { // in the order of the columns
		for _, r := range slices.Concat(quick, rest) {
			if r.Backend == p {
				results = append(results, r)
			}
		}
	}
	return results, nil
}

func form(c roofline.Case) string {
	if c.Op == "features" {
		return c.Form
	}
	return ""
}

// slow says whether a path has no vector instructions.
func slow(path string) bool { return path == "native-go" || path == "gonum" }

// Command integers measures fits by exact sums of integers beside those in float32 and those of
// NumPy, and writes bench/RESULTS-integers.md.
//
//	for set in adult blogfeedback cod-rna covtype cpuact eeg kddcup99 letter magic04 mnist onlinenews ujiindoorloc; do
//	  for p in f64 int12 int8; do
//	    rff compare --data $set --samplers rff --features 512 --rows 10000 --reps 5 --precision $p --json bench/out/$set.$p.json
//	  done
//	done
//	go -C bench run ./integers -compared out
//
// It takes the time of processors and of the clock, in the order float32, int12, int8, NumPy,
// NumPy, int8, int12, float32, and the least of all rounds.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 3, "times that each is measured twice")
	page := flag.String("o", "RESULTS-integers.md", "`file` to write the table to")
	compared := flag.String("compared", "", "`folder` with what rff compare --json wrote, as SET.PRECISION.json; none: no table of scores")
	most := flag.Int("workers", 2, "most workers: all numbers up to it are measured")
	python := flag.String("python", "/usr/bin/python3", "interpreter with numpy and scipy; empty: no rival")
	rounding := flag.Bool("rounding", false, "also compare ways to round on sets of RFF_DATA")
	flag.Parse()
	if err := run(context.Background(), *rounds, *most, *python, *compared, *page, *rounding); err != nil {
		fmt.Fprintln(os.Stderr, "integers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, most int, python, compared, page string, rounding bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fits by sums of integers\n\nSeconds of processors, and by the clock: the sums of all rows (features, ZᵀZ, ZᵀY), and the whole fit with one λ. Each was measured in the order float32, int12, int8, NumPy, NumPy, int8, int12, float32, %d times; the least is shown. The rate counts n·s² operations of the sums, features included, by processor seconds. [Exact sums](../docs/exact.md) says what int12 and int8 are.\n\n", rounds)
	fmt.Fprintf(&b, "- Command: `go -C bench run ./integers %s`\n- Date: %s\n- Machine: %s/%s, %d processors, %s%s\n",
		asked(), time.Now().UTC().Format("2 January 2006, 15:04 UTC"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load())
	var workers []int
	for n := range most {
		workers = append(workers, n+1)
	}
	if err := times(ctx, &b, workers, rounds, python); err != nil {
		return err
	}
	if compared != "" {
		if err := scores(&b, compared); err != nil {
			return err
		}
	}
	if rounding {
		if err := ways(ctx, &b); err != nil {
			return err
		}
	}
	return os.WriteFile(page, []byte(b.String()), 0o666)
}

// asked returns the flags that were given, but for the place of the interpreter.
func asked() string {
	var all []string
	flag.Visit(func(f *flag.Flag) {
		if f.Name != "python" {
			all = append(all, fmt.Sprintf("-%s=%s", f.Name, f.Value))
		}
	})
	return strings.Join(all, " ")
}

// load says how busy the machine was where the system tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 0 {
		return ", load " + fields[0] + " before the first measurement"
	}
	return ""
}

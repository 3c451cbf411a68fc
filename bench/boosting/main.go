// Command boosting measures krr.Auto on real data, beside plain random Fourier
// features whose kernel, bandwidth and λ are chosen by a full grid at the same
// number of features, and beside gradient-boosted trees (boosting.py) on the same
// splits.
//
//	boosting -data DIR -results FILE [-sets a,b] [-seeds 1,2,3] [-rows N] [-methods auto,quick,plain]
//	boosting -data DIR -export DIR …      write the splits for boosting.py
//	boosting -results FILE -report FILE   write the table
//
// A result is a line of JSON; what is in the file already is not measured again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff/bench/sets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "boosting:", err)
		os.Exit(1)
	}
}

// asked is what the command line asks for.
type asked struct {
	data, results, export, report string
	sets, methods                 []string
	seeds                         []uint64
	rows                          int
	budget                        time.Duration
}

func parse() (asked, error) {
	var a asked
	flag.StringVar(&a.data, "data", "", "`folder` of the data sets")
	flag.StringVar(&a.results, "results", "results.jsonl", "`file` of results, one per line; added to")
	flag.StringVar(&a.export, "export", "", "`folder` to write the splits to, for boosting.py")
	flag.StringVar(&a.report, "report", "", "`file` to write the table of the results to")
	names := flag.String("sets", strings.Join(sets.Names(), ","), "data sets")
	methods := flag.String("methods", "auto,quick,plain", "auto, quick (Auto without a budget), plain (the full grid at auto's number of features)")
	seeds := flag.String("seeds", "1", "seeds of splits and draws")
	flag.IntVar(&a.rows, "rows", 0, "most training rows; 0: all")
	flag.DurationVar(&a.budget, "budget", 30*time.Second, "budget of auto")
	flag.Parse()
	a.sets, a.methods = strings.Split(*names, ","), strings.Split(*methods, ",")
	for _, s := range strings.Split(*seeds, ",") {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return a, fmt.Errorf("-seeds: %w", err)
		}
		a.seeds = append(a.seeds, v)
	}
	return a, nil
}

func run(ctx context.Context) error {
	a, err := parse()
	if err != nil {
		return err
	}
	if a.report != "" {
		return writeReport(a.results, a.report)
	}
	known, err := readResults(a.results)
	if err != nil {
		return err
	}
	for _, name := range a.sets {
		table, err := sets.Named(ctx, name, a.data)
		if err != nil {
			return err
		}
		for _, seed := range a.seeds {
			s := split(table, seed, a.rows)
			if a.export != "" {
				if err := s.export(a.export); err != nil {
					return err
				}
				continue
			}
			for _, method := range a.methods {
				if known.has(s, method) {
					continue
				}
				r, err := measure(ctx, s, method, known, a.budget)
				if err != nil {
					return fmt.Errorf("%s, seed %d, %s: %w", name, seed, method, err)
				}
				if err := known.add(a.results, r); err != nil {
					return err
				}
				fmt.Printf("%-12s seed %d rows %6d %-6s error %8.4f  %5d features  %7.1f s  %s\n", r.Set, r.Seed, r.Rows, r.Method, r.Error, r.Features, r.Seconds, r.Note)
			}
		}
	}
	return nil
}

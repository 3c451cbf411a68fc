// Command boosting measures krr.Auto on real data, beside plain random Fourier
// features whose kernel, bandwidth and λ are chosen by a full grid at the same
// number of features, and beside gradient-boosted trees (boosting.py) on the same
// splits.
//
//	boosting -data DIR -results FILE [-sets a,b] [-seeds 1,2,3] [-rows N] [-methods auto,plain] [-for 10m]
//	boosting -data DIR -export DIR …      write the splits for boosting.py
//	boosting -results FILE -report FILE   write the table
//
// A result is a line of JSON; what is in the file already is not measured again. The
// first seed of all sets comes first. With -for no measurement starts after that time,
// and the exit code is 3 if some are left.
package main

import (
	"context"
	"errors"
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
	if err := run(ctx); errors.Is(err, errLeft) {
		os.Exit(3)
	} else if err != nil {
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
	budget, most                  time.Duration
}

var errLeft = errors.New("there is more to measure")

func parse() (asked, error) {
	var a asked
	flag.StringVar(&a.data, "data", "", "`folder` of the data sets")
	flag.StringVar(&a.results, "results", "results.jsonl", "`file` of results, one per line; added to")
	flag.StringVar(&a.export, "export", "", "`folder` to write the splits to, for boosting.py")
	flag.StringVar(&a.report, "report", "", "`file` to write the table of the results to")
	names := flag.String("sets", strings.Join(sets.Names(), ","), "data sets")
	methods := flag.String("methods", "auto,plain", "auto, quick (Auto without a budget), plain-N (the full grid at N features), plain (at auto's number of features)")
	seeds := flag.String("seeds", "1", "seeds of splits and draws")
	flag.IntVar(&a.rows, "rows", 0, "most training rows; 0: all")
	flag.DurationVar(&a.budget, "budget", 30*time.Second, "budget of auto")
	flag.DurationVar(&a.most, "for", 0, "`time` after which no measurement starts; 0: any")
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
	begin := time.Now()
	for _, seed := range a.seeds {
		for _, name := range a.sets {
			var parts *parts // read when something is to be measured
			for _, method := range a.methods {
				if a.export == "" && known.has(name, seed, a.rows, method) {
					continue
				}
				if a.most > 0 && time.Since(begin) > a.most {
					return errLeft
				}
				if parts == nil {
					table, err := sets.Named(ctx, name, a.data)
					if err != nil {
						return err
					}
					s := split(table, seed, a.rows)
					parts = &s
				}
				if a.export != "" {
					if err := parts.export(a.export); err != nil {
						return err
					}
					break
				}
				r, err := measure(ctx, *parts, method, known, a)
				if err != nil {
					return fmt.Errorf("%s, seed %d, %s: %w", name, seed, method, err)
				}
				if err := known.add(a.results, r); err != nil {
					return err
				}
				fmt.Printf("%-12s seed %d rows %6d %-10s error %8.4f  %5d features  %7.1f s  %s\n", r.Set, r.Seed, r.Rows, r.Method, r.Error, r.Features, r.Seconds, r.Note)
			}
		}
	}
	return nil
}

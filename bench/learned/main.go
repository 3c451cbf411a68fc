// Command learned measures learned features against tuned plain ones on the sets of
// the experiments, and writes bench/RESULTS-learned.md: errors, not times.
//
//	RFF_DATA=DIR go -C bench run ./learned
//
//	go -C bench run ./learned -cost 5
//
// times a search against a fit instead.
//
// Every cell that is done is a line of the file -record; a run that was stopped goes on
// where it was.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/rffgo/rff/bench/jsonl"
	"github.com/rffgo/rff/cmd/rff/sets"
)

func main() {
	c := command{}
	flag.StringVar(&c.sets, "sets", "eeg,letter,cpuact,cod-rna,magic04,covtype,adult,kddcup99,eeg~100,letter~100,cpuact~100,cod-rna~100,magic04~100,eeg~20,letter~20,cpuact~20,magic04~40,cod-rna~40", "data sets; NAME~P gives P % of the training rows each other's targets")
	flag.StringVar(&c.methods, "methods", "rff;metric;refined:epochs=20;refined:epochs=60", "samplers, with semicolons between; rff has its bandwidth tuned")
	flag.IntVar(&c.seeds, "seeds", 3, "divisions into training and test rows")
	flag.StringVar(&c.record, "record", "bench/learned/results.jsonl", "`file` that has the cells that are done")
	flag.StringVar(&c.report, "o", "bench/RESULTS-learned.md", "`file` to write the table to")
	flag.BoolVar(&c.render, "render", false, "write the table of the cells that are done, and measure none")
	reps := flag.Int("cost", 0, "time the fast metric's search against one fit, this often, and do nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := func() error { return c.run(ctx) }
	if *reps > 0 {
		do = func() error { return cost(ctx, *reps) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "learned:", err)
		os.Exit(1)
	}
}

type command struct {
	sets, methods, record, report string
	seeds                         int
	render                        bool
}

func (c *command) run(ctx context.Context) error {
	read, err := jsonl.Read[cell](c.record)
	if err != nil {
		return err
	}
	done := cells(read)
	names, methods := strings.Split(c.sets, ","), strings.Split(c.methods, ";")
	if c.render {
		return done.write(c.report, names, methods)
	}
	for _, name := range names {
		set, _, _ := strings.Cut(name, "~")
		table, err := sets.Named(ctx, set, "")
		if err != nil {
			return err
		}
		for seed := range c.seeds {
			for _, m := range methods {
				at := cell{Set: name, Method: m, Seed: uint64(seed + 1)}
				if done.has(at) {
					continue
				}
				if err := at.measure(ctx, table); err != nil {
					if errors.Is(err, context.Canceled) {
						return err
					}
					return fmt.Errorf("%s, %s, seed %d: %w", name, m, seed+1, err)
				}
				fmt.Printf("%s %s, seed %d: error %.2f %%, %s\n", at.Set, at.Method, at.Seed, at.Error, at.Outcome)
				done = append(done, at)
				if err := jsonl.Append(c.record, at); err != nil {
					return err
				}
			}
		}
	}
	return done.write(c.report, names, methods)
}

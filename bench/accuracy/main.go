// Command accuracy measures krr.Auto on real data beside other methods: plain random
// Fourier features whose kernel, bandwidth and λ a full grid chooses at the same number of
// features, and what other libraries offer (rivals.py), all on the same rows.
//
//	accuracy [-data DIR | -tasks DIR] -results FILE [-sets a,b] [-seeds 1,2] [-methods auto,plain] [-budget 30s] [-rows N] [-for 10m]
//	accuracy -data DIR -export DIR …       write the splits as tasks, for rivals.py
//	accuracy -results FILE -report FILE [-table ratios|ranks|spread] [-published FILE]
//
// The sets of the catalogue (-data) are split at random, by seed. A folder of tasks (-tasks)
// has fixed parts: see rivals.py, which also writes cells.
//
// A result is a line of JSON; what is in the file already is not measured again. The
// first seed of all sets comes first. With -for no measurement starts after that time,
// and the exit code is 3 if some are left. A set whose file or rows are refused is named, and the
// others are measured all the same; the exit code is then 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rffgo/rff/cmd/rff/sets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); errors.Is(err, errLeft) {
		os.Exit(3)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

// asked is what the command line asks for.
type asked struct {
	data, tasks, results, export string
	report, table, published     string
	sets, methods                []string
	seeds                        []uint64
	rows                         int
	budget, most                 time.Duration
}

var errLeft = errors.New("there is more to measure")

func parse() (asked, error) {
	var a asked
	flag.StringVar(&a.data, "data", "", "`folder` of the data sets of the catalogue")
	flag.StringVar(&a.tasks, "tasks", "", "`folder` of tasks, in place of the catalogue")
	flag.StringVar(&a.results, "results", "results.jsonl", "`file` of results, one per line; added to")
	flag.StringVar(&a.export, "export", "", "`folder` to write the splits to, for rivals.py")
	flag.StringVar(&a.report, "report", "", "`file` to write the table of the results to")
	flag.StringVar(&a.table, "table", "ratios", "ratios of errors, ranks among published figures, or spread over folds")
	flag.StringVar(&a.published, "published", "", "`file` of published figures, for ranks")
	names := flag.String("sets", "", "data sets; all by default")
	methods := flag.String("methods", "auto,plain", "auto, auto-60s (with another budget), quick (Auto without a budget), plain-N (the full grid at N features), plain (at auto's number of features)")
	seeds := flag.String("seeds", "1", "seeds of splits and draws")
	flag.IntVar(&a.rows, "rows", 0, "most training rows; 0: all")
	flag.DurationVar(&a.budget, "budget", 30*time.Second, "budget of auto")
	flag.DurationVar(&a.most, "for", 0, "`time` after which no measurement starts; 0: any")
	flag.Parse()
	a.methods = strings.Split(*methods, ",")
	if *names != "" {
		a.sets = strings.Split(*names, ",")
	}
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
		return writeReport(a)
	}
	return a.measureAll(ctx)
}

// refusal is an error of one task, which says nothing about others.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// measureAll measures all tasks, and says of those that are refused why.
func (a asked) measureAll(ctx context.Context) error {
	tasks, err := a.list()
	if err != nil {
		return err
	}
	known, err := readResults(a.results)
	if err != nil {
		return err
	}
	begin, refused := time.Now(), 0
	for _, t := range tasks {
		err := a.measureTask(ctx, t, known, begin)
		if err == nil {
			continue
		}
		err = fmt.Errorf("%s, seed %d: %w", t.set, t.seed, err)
		if !errors.As(err, new(refusal)) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		refused++
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d tasks were refused, as said above: mend their files, or name the other sets with -sets", refused, len(tasks))
	}
	return nil
}

// list returns the tasks, the first seed of all sets first.
func (a asked) list() ([]taskID, error) {
	var out []taskID
	if a.tasks != "" {
		var err error
		if out, err = tasksOf(a.tasks, a.sets, a.seeds); err != nil {
			return nil, err
		}
	} else {
		names := a.sets
		if names == nil {
			names = sets.Names()
		}
		for _, name := range names {
			for _, seed := range a.seeds {
				out = append(out, taskID{set: name, seed: seed})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y taskID) int { return int(x.seed) - int(y.seed) })
	return out, nil
}

// measureTask measures the methods that are not known for a task, or exports it.
func (a asked) measureTask(ctx context.Context, t taskID, known *results, begin time.Time) error {
	var p *parts // read when something is to be measured
	for _, method := range a.methods {
		if a.export == "" && known.has(t.set, t.seed, a.rows, method) {
			continue
		}
		if a.most > 0 && time.Since(begin) > a.most {
			return errLeft
		}
		if p == nil {
			read, err := t.read(ctx, a)
			if err != nil {
				return refusal{err}
			}
			p = &read
		}
		if a.export != "" {
			return p.export(a.export)
		}
		r, err := measure(ctx, *p, method, known, a)
		if err != nil {
			return refusal{fmt.Errorf("%s: %w", method, err)}
		}
		if err := known.add(a.results, r); err != nil {
			return err
		}
		fmt.Printf("%-20s seed %d rows %6d %-10s error %8.4f  %5d features  %7.1f s  %s\n", r.Set, r.Seed, r.Rows, r.Method, r.Error, r.Features, r.Processor, r.Note)
	}
	return nil
}

func (t taskID) read(ctx context.Context, a asked) (parts, error) {
	if t.folder != "" {
		return load(ctx, t.folder, t.set, t.seed)
	}
	table, err := sets.Named(ctx, t.set, a.data)
	if err != nil {
		return parts{}, err
	}
	return split(table, t.seed, a.rows), nil
}

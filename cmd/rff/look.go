package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/looks"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/message"
)

func lookCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(looking), &cobra.Command{
		Use:   "look",
		Short: "look at a part of a data set, to plan a fit of all parts",
		Long: `Reads a part of a data set and saves what a plan needs of it: ranges, means and labels, and
a sample of up to 10,000 different rows, those whose contents have the smallest hashes. rff
merge puts the looks at all parts together, and rff gram --plan --looks decides by them:
the plan is that of rff gram --plan on all rows, bit for bit, however the rows are dealt
out to parts. Only a sampler that depends on data sees the sample instead of all rows.

Columns of words, dates or ids are settled by the cells of all parts: look at the columns
first (--columns), merge these looks, and look at the rows with --like.`,
		Example: `rff look --columns --data part-1.csv --label y --output 1.columns
rff merge --output all.columns 1.columns 2.columns
rff look --like all.columns --data part-1.csv --output 1.look
rff merge --output all.look 1.look 2.look
rff gram --plan --looks all.look --features 2048 --output plan.gram`,
	})
}

// looking is rff look as the command line asks for it.
type looking struct {
	data         dataFlags
	output, like string
	columns      bool
}

func (c *looking) declare(f *flag.FlagSet) {
	c.data.declare(f, "")
	c.data.declareWeights(f)
	c.data.declareCells(f, "error", "zero")
	f.BoolVar(&c.columns, "columns", false, "look only at what kinds of cells the columns have; of a file whose columns are numbers this\nreads no more than the beginning")
	f.StringVar(&c.like, "like", "", "`file` with the merged looks at the columns of all parts")
	f.StringVar(&c.output, "output", "", "`file` to write the look to; - for standard output")
}

func (c *looking) check(f *flag.FlagSet) error {
	given := given{f}
	_, named := c.data.named()
	if c.output == "" {
		return usagef("say where the look goes: --output FILE")
	}
	if named {
		return usagef("--data: a named data set is whole, and rff gram --plan looks at it: name the files of a part")
	}
	return cmp.Or(
		given.unused(true, "is for rff gram --plan --looks, which decides by all parts", "task"),
		given.unused(c.columns, "does not go with --columns, which says how the columns are found first", "like"),
		given.unused(c.like != "", "does not go with --like: words and rules are those of "+c.like, cellFlags...),
		c.data.settle(),
		apart(places("output", c.output), append(c.data.reads(), places("like", c.like)...)...),
		c.data.rereadable("a look reads it twice, for words and dates first"),
	)
}

func (c *looking) run(ctx context.Context, s *stdio) error {
	return s.produce("output", c.output, "looking at the data", func(at *stages) (io.WriterTo, string, error) {
		c.data.say = at.note
		return sayLook(c.look(ctx, at))
	})
}

// look looks at the columns, or at the rows.
func (c *looking) look(ctx context.Context, at *stages) (*look.Look, error) {
	if c.columns {
		l, f, err := files.LookAtColumns(ctx, c.data.options, c.data.paths)
		if err != nil {
			return nil, c.data.flagged(err)
		}
		return l, c.data.suit(f)
	}
	var notes []string
	if c.like != "" {
		all, err := loadLook(c.like)
		if err == nil && all.Columns == nil {
			err = errors.New(c.like + " is a look at rows: give those at the columns, as rff look --columns makes them")
		}
		if err != nil {
			return nil, &flagError{"like", err}
		}
		schema, found, err := looks.Settle(all)
		if err != nil {
			return nil, &flagError{"like", err}
		}
		notes, c.data.options.Schema, c.data.options.Missing, c.data.options.Unseen = found, &schema, "", ""
	}
	c.data.bounded = true // the rows are read once
	set, err := c.data.openPart(ctx, at.rows(), nil)
	if err != nil {
		return nil, err
	}
	l := files.Look(set.seen)
	l.Notes = notes
	return l, nil
}

// loadLook reads the file of a look.
func loadLook(name string) (*look.Look, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := looks.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return l, nil
}

// isLook reports whether a file is one of a look.
func isLook(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 32)
	n, _ := f.Read(head)
	return looks.Is(head[:n])
}

// loadLooks reads and merges the files of looks.
func loadLooks(ctx context.Context, names []string) (*look.Look, error) {
	var all *look.Look
	for _, name := range names {
		l, err := loadLook(name)
		if err == nil && all != nil {
			if err = looks.Merge(all, l); err != nil {
				err = fmt.Errorf("%s and %s: %w", names[0], name, err)
			}
		} else {
			all = l
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sayLook says what a look has, unless there is an error.
func sayLook(l *look.Look, err error) (io.WriterTo, string, error) {
	switch {
	case err != nil:
		return nil, "", err
	case l.Columns != nil:
		return looks.File{Look: l}, message.Count(len(l.Columns), "column"), nil
	}
	return looks.File{Look: l}, message.Count(l.Rows, "row") + " of " + message.Count(len(l.Inputs), "input"), nil
}

// openLooks merges the looks at all parts and returns their data set. Its rows are those of the
// sample.
func (d *dataFlags) openLooks(ctx context.Context, names []string) (*openSet, error) {
	l, err := loadLooks(ctx, names)
	if err != nil {
		return nil, &flagError{"looks", err}
	}
	if l.Columns != nil {
		return nil, &flagError{"looks", errors.New("these are looks at columns: look at the rows of each part, with rff look --like and the merged file")}
	}
	sum, err := files.Summary(l, d.options.Task)
	if err != nil {
		return nil, &flagError{"looks", err}
	}
	d.remark(l.Notes...)
	set := d.setOf(strings.Join(names, ", "), sum, &looks.Watched{Source: sum.Sample.Source()})
	set.weighted = l.Weighted
	return set, nil
}

// noteSampled prints a note if features were chosen by the rows of looks.
func noteSampled(at *stages, set *openSet, by *samplerFlags) {
	if w, ok := set.source.(*looks.Watched); ok && w.Read && set.seen.Rows > int64(set.sample.Len()) {
		at.note("--sampler %s chose the features by the %d rows of the looks; rff gram --plan --data shows it all rows, and makes another plan", by.name, set.sample.Len())
	}
}

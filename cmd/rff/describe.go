package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/cmd/rff/files"
	"github.com/rffgo/rff/cmd/rff/sets"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/look"
)

func describeCommand(s *stdio) *cobra.Command {
	return newCommand(s, new(describing), &cobra.Command{
		Use:   "describe [FILE]",
		Short: "show what is in a data set, and what rff fit makes of each column",
		Long: `Reads a data set as rff fit reads it, with the same flags, and prints what is there: the
target and its classes, rows that repeat or lack a value, and of each column its kind
(number, words, times, or an id, which is left out), how many cells are missing, how many
values are different, and the inputs that a fit makes of it. Where rff fit would stop, the
last line says at which row and what helps. No file is written.`,
		Example: `rff describe train.csv --label y`,
		Args:    operand("data"),
	})
}

// describing has the flags of rff describe.
type describing struct {
	data dataFlags
	json bool
}

func (c *describing) declare(f *flag.FlagSet) {
	c.data.declare(f, "")
	c.data.declareWeights(f)
	c.data.declareGroups(f)
	c.data.declareCells(f, "error", "zero")
	f.BoolVar(&c.json, "json", false, "print one JSON object in place of text")
}

func (c *describing) check(*flag.FlagSet) error {
	return cmp.Or(c.data.settle(), c.data.rereadable("this reads it twice, for words and dates first"))
}

func (c *describing) run(ctx context.Context, s *stdio) error {
	at := startStages(s, "looking at the data")
	defer at.end()
	d, err := c.describe(ctx, at.rows())
	if err != nil {
		return err
	}
	at.end()
	if c.json {
		e := json.NewEncoder(s.data)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	return d.print(s.out)
}

// describe reads the data. A row that a fit refuses is left out, and the description says so.
func (c *describing) describe(ctx context.Context, progress func(int64)) (*description, error) {
	if name, ok := c.data.named(); ok {
		t, err := sets.Named(ctx, name, c.data.folder)
		if err != nil {
			return nil, err
		}
		return describeTable(ctx, t)
	}
	data := c.data
	gaps := data.options.Missing == "" || data.options.Missing == "error"
	p := &pass{names: data.paths}
	data.options.BadRow = p.refuse
	data.reading().Each = p.add
	data.say = func(format string, a ...any) { p.note(format, a...) }
	if gaps {
		data.options.Missing = rff.MissingMean // so that the pass goes on, and counts them
	}
	f, sum, err := data.scan(ctx, progress)
	var label *dataset.ParseError
	if errors.As(err, &label) && p.rows > 0 { // the columns can be read, and the target is none
		stop := err
		if p.bad != nil { // where a fit stops first
			stop = data.flagged(p.bad)
		}
		first := *p
		*p = pass{names: data.paths, stop: oneLine(stop)}
		data.options.Task, data.options.Label = dataset.Unlabelled, ""
		if g, again, e := data.scan(ctx, progress); e == nil {
			f, sum, err = g, again, nil
		} else {
			*p = first
		}
	}
	switch {
	case err != nil && p.bad != nil:
		return nil, data.flagged(p.bad)
	case err != nil:
		return nil, err
	case p.bad != nil && p.stop == "":
		p.stop = oneLine(data.flagged(p.bad))
	}
	if text := decided(sum.Coding, f.Schema().Target.Name); text != "" {
		p.note("%s", text)
	}
	p.dropped = sum.Dropped
	d := p.describe(f.Schema(), files.Survey(f))
	d.Format = files.Format(f)
	d.Target = targetOf(f.Schema().Target.Name, sum.Coding, files.Look(sum).Labels, sum.Counts)
	if gaps && d.RowsMissing > 0 && d.Stop == "" {
		d.Stop = "a row lacks a value: --missing mean puts the mean of the column there, --missing drop leaves the row out"
	}
	return d, nil
}

// describeTable describes the rows of a named set that a fit is given.
func describeTable(ctx context.Context, t *dataset.Table) (*description, error) {
	p := &pass{names: []string{t.Name}}
	if t.Train > 0 {
		p.note("%d more rows are for testing", t.Len()-t.Train)
		t = t.Head(t.Train)
	}
	labels := look.NewLabels()
	least, most := slices.Min(t.Y), slices.Max(t.Y)
	labels.Min, labels.Max = &least, &most
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		p.add(row.X)
		labels.Counts[row.Label()]++
	}
	d := p.describe(t.Source().Schema(), nil)
	d.Target = targetOf(t.Target, t.Coding, labels, labels.Counts)
	return d, nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	flag "github.com/spf13/pflag"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/dataset/teacher"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/stream"
)

// taught says which columns have the probabilities of a teacher, in place of labels.
type taught struct {
	columns     []string
	temperature float64
}

func (t *taught) declare(f *flag.FlagSet) {
	collect(f, &t.columns, "teacher", "`columns` with the probability that a larger model gives each class, in place of a label; a class is called as\nits column is, without the word probability that rff predict writes before it", addList)
	declare(f, &t.temperature, "temperature", "1", "`number` T: probabilities of --teacher are raised to 1/T and divided by their sum; above 1 they are more even", func(text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 1e-3 && v <= 1e6) {
			return 0, errors.New("must be a number from 0.001 to 1e6")
		}
		return v, nil
	})
}

// settle makes the files' rows ones without a label, if there is a teacher.
func (t *taught) settle(given given, d *dataFlags) error {
	if t.columns == nil {
		return given.unused(true, "is of no use without --teacher", "temperature")
	}
	d.options.Task = dataset.Unlabelled
	if d.options.Inputs != nil { // files are read as if these were inputs, too
		d.options.Inputs = append(d.options.Inputs, t.columns...)
	}
	_, named := d.named()
	return cmp.Or(
		given.unused(named, "does not go with a named data set, whose label is known", "teacher"),
		given.unused(true, "does not go with --teacher, whose columns are the target", "label", "labels", "task"),
		given.unused(true, "does not go with --teacher, whose rows belong to several classes: weigh them by --weights", "class-weight"),
		given.unused(true, "does not go with --teacher: measure rows that have a label by rff predict --score --label", "test"),
	)
}

// unread gives the error of a cell of the teacher's columns a remedy of theirs: files are read as if
// these were inputs, whose gaps may be filled and which may be words or left out.
func (t *taught) unread(err error) error {
	var cell *dataset.ParseError
	if !errors.As(err, &cell) || cell.Row == 0 || !slices.Contains(t.columns, cell.Name) {
		return err
	}
	own, what := *cell, "is no probability"
	if cell.Value == "" {
		what = "the probability is missing"
	}
	own.Need = what + ", which --teacher takes from every row: write it as a number, or leave such rows out (--missing drop, and --na TEXT for a word)"
	return &own
}

// rows returns the rows of a set with the teacher's probabilities as their target.
func (t *taught) rows(ctx context.Context, d *dataFlags, set *openSet) (*openSet, error) {
	out := *set
	var err error
	if out.source, err = teacher.Rows(set.source, t.columns, t.temperature); err != nil {
		return nil, &flagError{"teacher", err}
	}
	few, err := teacher.Rows(set.sample.Source(), t.columns, t.temperature)
	if err != nil {
		return nil, &flagError{"teacher", err}
	}
	out.inputs, out.coding = out.source.Schema().InputNames(), dataset.NewCoding(out.source.Schema().Target.Classes)
	sample := *set.sample
	sample.Inputs, sample.Coding, sample.X = out.inputs, out.coding, rff.Matrix{Cols: len(out.inputs), Stride: len(out.inputs)}
	var right, weight float64
	for b, err := range few.Batches(ctx) {
		if err != nil {
			return nil, t.misplaced(ctx, &out, err)
		}
		for i := range b.X.Rows {
			own, _ := classes.Of(b.Y.Row(i))
			sample.Y = append(sample.Y, float64(own))
			sample.X.Data = append(sample.X.Data, b.X.Row(i)...)
			sample.X.Rows++
			right += float64(stream.Weight(b.Weight, i) * classes.Share(b.Y.Row(i), own))
			weight += stream.Weight(b.Weight, i)
		}
	}
	d.remark(fmt.Sprintf("a row counts in each class by its probability: whoever names the likeliest class of each row has an accuracy of %.1f %%", 100*right/weight))
	var keep []int
	for j, name := range set.inputs {
		if !slices.Contains(t.columns, name) {
			keep = append(keep, j)
		}
	}
	out.sample, out.scaling = &sample, func(s dataset.Scale) rff.Scaling {
		all := set.scaling(s)
		return rff.Scaling{From: optional.At(all.From, keep), To: optional.At(all.To, keep), Shift: optional.At(all.Shift, keep), Scale: optional.At(all.Scale, keep)}
	}
	return &out, nil
}

// misplaced returns the error of the first row that a set refuses, since err counts the rows of its
// sample.
func (t *taught) misplaced(ctx context.Context, set *openSet, err error) error {
	for _, first := range set.source.Batches(ctx) {
		if first != nil {
			return rowError(first, placeOf(ctx, set.files))
		}
	}
	return err
}

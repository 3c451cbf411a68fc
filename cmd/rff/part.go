package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
)

// Opening data that are a part of a data set.

// openPart is open for a part, which may have one class only. classes are those
// of the whole data set, or nil for those of the part.
func (d *dataFlags) openPart(ctx context.Context, progress func(int64), classes []string) (*openSet, error) {
	if classes != nil {
		d.task = dataset.Classification
	}
	set, err := d.open(ctx, progress)
	var label *dataset.LabelError
	switch {
	case errors.As(err, &label) && label.Only != "":
		if set, err = d.openOneClass(ctx, progress, label.Only); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	if classes != nil {
		set.coding = dataset.NewCoding(classes)
		set.source = set.files.Source(set.coding, int64(-1))
	}
	return set, nil
}

// openOneClass is open for a part whose rows are all of one class: there is no
// coding to find, only the inputs to look at.
func (d *dataFlags) openOneClass(ctx context.Context, progress func(int64), class string) (*openSet, error) {
	say := d.say
	d.say = nil // open has said it
	f, names, err := d.files(ctx, "")
	d.say = say
	if err != nil {
		return nil, err
	}
	o, err := d.opener(ctx, nil)
	if err != nil {
		return nil, err
	}
	l, err := d.layout(ctx, o, 0)
	if err != nil {
		return nil, err
	}
	options := d.options
	options.NoLabel, options.Label, options.LabelFile, options.Weights = true, "", "", ""
	if l.format == dataset.LIBSVM {
		options.Width = f.Width()
	}
	at, err := d.columnsOf(l)
	if err != nil {
		return nil, err
	}
	if at == nil && (l.format == dataset.CSV || l.format == dataset.NPY) {
		skip := make([]int, 0, 2)
		for _, c := range []struct{ flag, name string }{{"label", d.options.Label}, {"weights", d.options.Weights}} {
			if c.name == "" {
				continue
			}
			i, err := l.find(c.flag, c.name)
			if err != nil {
				return nil, err
			}
			skip = append(skip, i)
		}
		at = slices.DeleteFunc(l.all(), func(i int) bool { return slices.Contains(skip, i) })
		if d.options.Label == "" && d.options.LabelFile == "" {
			at = at[:len(at)-1] // the label is the last of those that are left
		}
	}
	for _, i := range at {
		options.Inputs = append(options.Inputs, l.option(i))
	}
	plain, err := o.open(ctx, options)
	if err != nil {
		return nil, d.flagged(err)
	}
	sum, err := plain.Scan(ctx, dataset.AutoTask, progress)
	if err != nil {
		return nil, err
	}
	if d.say != nil {
		d.say("all rows are of class %q: rff merge adds the classes of other parts", class)
	}
	coding := dataset.NewCoding([]string{class})
	return &openSet{name: strings.Join(f.Paths(), ", "), source: f.Source(coding, sum.Rows), coding: coding,
		inputs: names, target: f.Target(), sample: sum.Sample, scaling: sum.Scaling, files: f}, nil
}

// matchTable returns a named set with the columns that a model was fitted on.
func matchTable(t *dataset.Table, want wanted) (*dataset.Table, error) {
	if t.Inputs == nil || want.inputs == nil || slices.Equal(t.Inputs, want.inputs) {
		if t.X.Cols != want.dim {
			return nil, fmt.Errorf("--data: %s has %d inputs, %s was fitted on %d", t.Name, t.X.Cols, want.what, want.dim)
		}
		return t, nil
	}
	at, err := matchNames(&layout{file: t.Name, names: t.Inputs, width: t.X.Cols}, want, nil, nil)
	if err != nil {
		return nil, err
	}
	out := *t
	out.Inputs, out.X = want.inputs, blas.NewGeneral[float64](t.X.Rows, len(at))
	for i := range t.X.Rows {
		for k, j := range at {
			out.X.Row(i)[k] = t.X.Row(i)[j]
		}
	}
	return &out, nil
}

// recodeTable returns a named set coded for other classes, or for a regression.
func recodeTable(t *dataset.Table, classes []string) (*dataset.Table, error) {
	out := *t
	out.Coding, out.Y = dataset.NewCoding(classes), make([]float64, len(t.Y))
	for i := range t.Y {
		l := dataset.Label{Value: t.Y[i], Number: true}
		if t.Coding.Task == dataset.Classification {
			l = dataset.Label{Text: []byte(t.Label(i))}
		}
		v, err := out.Coding.Value(l)
		if err != nil {
			return nil, &dataset.LabelError{File: t.Name, Row: int64(i) + 1, Need: fmt.Sprintf("label %q %v", l.String(), err)}
		}
		out.Y[i] = v
	}
	return &out, nil
}

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
	"github.com/rffgo/rff/internal/message"
)

// These functions open data that are a part of a data set.

// openPart is open for a part, which may have one class only. classes has the classes of the
// whole data set, or is nil to take those of the part.
func (d *dataFlags) openPart(ctx context.Context, progress func(int64), classes []string) (*openSet, error) {
	d.reading().Part = true
	if classes != nil {
		d.options.Task = dataset.Classification
	}
	set, err := d.open(ctx, progress)
	if err != nil {
		return nil, err
	}
	switch seen := set.coding.Classes; {
	case classes != nil:
		set.coding = dataset.NewCoding(classes)
		set.source = set.files.Source(set.coding, 0)
	case len(seen) == 1 && d.say != nil:
		d.say("all rows are of class %q: rff merge adds the classes of other parts", seen[0])
	}
	return set, nil
}

// matchTable returns a named set with the columns that a model was fitted on.
func matchTable(t *dataset.Table, s rff.Schema) (*dataset.Table, error) {
	names, at := s.Names(), make([]int, t.X.Cols)
	for k := range at {
		at[k] = k
	}
	if t.Inputs != nil && names != nil {
		at = nil
		for _, name := range names {
			if k := slices.Index(t.Inputs, name); k >= 0 {
				at = append(at, k)
			}
		}
	}
	if slices.ContainsFunc(s.Inputs, func(c rff.Column) bool { return c.Words != nil || c.Time != nil }) {
		return nil, fmt.Errorf("--data: %s holds numbers alone, and the model reads words or dates", t.Name)
	}
	if len(at) != len(s.Inputs) {
		return nil, fmt.Errorf("--data: %s has the inputs %s, the fit had %s", t.Name, message.Names(t.Inputs), message.Names(names))
	}
	out := *t
	if names != nil {
		out.Inputs = names
	}
	out.X = blas.NewGeneral[float64](t.X.Rows, len(at))
	for i := range t.X.Rows {
		for k, j := range at {
			out.X.Row(i)[k] = t.X.Row(i)[j]
		}
	}
	return &out, nil
}

// recodeTable returns a named set coded for other classes, or for a regression.
func recodeTable(ctx context.Context, t *dataset.Table, classes []string) (*dataset.Table, error) {
	out := *t
	out.Coding, out.Y = dataset.NewCoding(classes), make([]float64, len(t.Y))
	i := 0
	for row, err := range t.Rows(ctx) {
		if err == nil {
			out.Y[i], err = out.Coding.Value(row)
		}
		if err != nil {
			return nil, err
		}
		i++
	}
	return &out, nil
}

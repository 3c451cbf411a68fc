package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/dataset"
)

// Opening data that are a part of a data set.

// openPart is open for a part, which may have one class only. classes are those
// of the whole data set, or nil for those of the part.
func (d *dataFlags) openPart(ctx context.Context, progress func(int64), classes []string) (*openSet, error) {
	d.options.Part = true
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
func recodeTable(ctx context.Context, t *dataset.Table, classes []string) (*dataset.Table, error) {
	out := *t
	out.Coding, out.Y = dataset.NewCoding(classes), make([]float64, len(t.Y))
	for row, err := range t.Rows(ctx) {
		if err == nil {
			out.Y[row.Index], err = out.Coding.Value(row)
		}
		if err != nil {
			return nil, err
		}
	}
	return &out, nil
}

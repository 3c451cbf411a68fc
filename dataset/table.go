package dataset

import (
	"context"
	"fmt"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// Table is a data set in memory. It is not modified after construction; Select
// copies.
type Table struct {
	Name   string
	Inputs []string              // names of the inputs, or nil
	Target string                // name of the label
	X      blas.General[float64] // n×d
	Y      []float64             // n: the class index or the number
	Coding Coding
	// Train is the number of rows of the set's official training part, which
	// comes first; 0 when there is none.
	Train int
}

// Read reads whole files into memory. Errors: as Open's and Scan's.
func Read(ctx context.Context, o Options, task Task, paths ...string) (*Table, error) {
	f, err := Open(o, paths...)
	if err != nil {
		return nil, err
	}
	return f.Table(ctx, task)
}

// Table reads all rows.
func (f *Files) Table(ctx context.Context, task Task) (*Table, error) {
	t := &Table{Name: f.paths[0], Inputs: f.inputs, Target: f.target}
	labels := newTally()
	var pending []Label // until the task is known; Text is shared per value
	text := map[string][]byte{}
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		t.X.Data = append(t.X.Data, row.X...)
		t.X.Rows++
		if f.options.NoLabel {
			continue
		}
		l := row.Label
		labels.add(l)
		if l.Text != nil && len(text) <= maxClasses {
			b, ok := text[string(l.Text)]
			if !ok {
				b = append([]byte(nil), l.Text...)
				text[string(b)] = b
			}
			l.Text = b
		} else if l.Number {
			l.Text = nil
		} else {
			return nil, labelError(row, f.target, fmt.Errorf("is not a number, in a column of more than %d different values", maxClasses))
		}
		pending = append(pending, l)
	}
	t.X.Cols, t.X.Stride = f.width, f.width
	if f.options.NoLabel {
		return t, nil
	}
	var err error
	if t.Coding, _, err = labels.coding(f.paths[0], task); err != nil {
		return nil, err
	}
	t.Y = make([]float64, len(pending))
	for i, l := range pending {
		if t.Y[i], err = t.Coding.Encode(l); err != nil {
			return nil, labelError(Row{Label: l, Place: Place{File: f.paths[0], Row: int64(i) + 1}}, f.target, err)
		}
	}
	return t, nil
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.X.Rows }

// Select returns a table of the rows with these indices, in that order.
func (t *Table) Select(rows []int) *Table {
	out := &Table{Name: t.Name, Inputs: t.Inputs, Target: t.Target, Coding: t.Coding,
		X: blas.NewGeneral[float64](len(rows), t.X.Cols), Y: make([]float64, len(rows))}
	for i, r := range rows {
		copy(out.X.Row(i), t.X.Row(r))
		out.Y[i] = t.Y[r]
	}
	return out
}

// Source returns the rows as a stream with one target, as Coding has it. It has
// methods Labels and Rows, as that of Files.
func (t *Table) Source() rff.Source { return (*tableSource)(t) }

type tableSource Table

func (t *tableSource) Dims() (in, targets int) { return t.X.Cols, 1 }
func (t *tableSource) Labels() []string        { return t.Coding.Classes }
func (t *tableSource) Rows() int64             { return int64(t.X.Rows) }

func (t *tableSource) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		y := blas.General[float64]{Rows: len(t.Y), Cols: 1, Stride: 1, Data: t.Y}
		for at := 0; at < t.X.Rows; at += batchRows {
			if err := ctx.Err(); err != nil {
				yield(rff.Batch{}, context.Cause(ctx))
				return
			}
			end := min(at+batchRows, t.X.Rows)
			if !yield(rff.Batch{First: int64(at), X: t.X.RowRange(at, end), Y: y.RowRange(at, end)}, nil) {
				return
			}
		}
	}
}

// OneVsRest returns data with its class index, in the one target it must have,
// turned into scores to learn: −1 and +1 for two classes, else one column per
// class, +1 for the class of the row and −1 elsewhere. With fewer than two
// classes it returns data.
func OneVsRest(data rff.Source, classes int) rff.Source {
	if classes < 2 {
		return data
	}
	return &oneVsRest{data, classes}
}

type oneVsRest struct {
	rff.Source
	classes int
}

func (o *oneVsRest) Dims() (in, targets int) {
	in, _ = o.Source.Dims()
	if o.classes == 2 {
		return in, 1
	}
	return in, o.classes
}

func (o *oneVsRest) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		_, targets := o.Dims()
		for b, err := range o.Source.Batches(ctx) {
			if err != nil {
				yield(b, err)
				return
			}
			y := blas.NewGeneral[float64](b.Y.Rows, targets)
			for i := range y.Rows {
				row, k := y.Row(i), int(b.Y.Row(i)[0])
				for j := range row {
					row[j] = -1
				}
				if o.classes == 2 {
					row[0] = float64(2*k - 1)
				} else {
					row[k] = 1
				}
			}
			b.Y = y
			if !yield(b, nil) {
				return
			}
		}
	}
}

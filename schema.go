package rff

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
)

// Schema says what the columns of rows are. It is a value: who changes one changes a
// copy, and its slices must not be modified.
type Schema struct {
	Inputs []Column // at least one
	Target Target
	Rows   int64 // how many there are, or 0 if that is not known
}

// Column is one column of inputs. The zero Column is one of numbers, without a name.
type Column struct {
	Name string // "": it has none
}

// Target is what a model learns to predict.
type Target struct {
	Name    string // of its column, or ""
	Columns int    // of Batch.Y; 0: the rows have no targets
	// Classes are the labels of a classification, whose targets are codes: two classes
	// have one column, −1 for Classes[0] and +1 for Classes[1]; more have one column
	// each, +1 for the rows of the class and −1 for the others. nil: a regression.
	Classes []string
}

// Columns returns a column of numbers for each name.
func Columns(names ...string) []Column {
	c := make([]Column, len(names))
	for i, name := range names {
		c[i].Name = name
	}
	return c
}

// Dims returns the number of inputs and of targets in a Batch.
func (s Schema) Dims() (in, targets int) { return len(s.Inputs), s.Target.Columns }

// Names returns the names of the inputs, or nil if none has one.
func (s Schema) Names() []string {
	names, any := make([]string, len(s.Inputs)), false
	for i, c := range s.Inputs {
		names[i], any = c.Name, any || c.Name != ""
	}
	if !any {
		return nil
	}
	return names
}

// WithSchema returns the rows of data under another schema: to name columns, or to say
// that targets are those of classes. If s does not say how many rows there are, they
// are as many as data says. Every reading counts the rows, and ends with a
// *DegenerateDataError if they are not as many as the schema says or as an earlier
// reading gave. The error is a *ParameterError if s has another number of inputs or of
// targets than data.
func WithSchema(data Source, s Schema) (Source, error) {
	if err := given("data", data == nil); err != nil {
		return nil, err
	}
	have := data.Schema()
	in, targets := s.Dims()
	if wantIn, want := have.Dims(); in != wantIn || targets != want {
		return nil, &ParameterError{Name: "schema", Value: fmt.Sprintf("%d inputs and %d targets", in, targets), Need: fmt.Sprintf("the data have %d and %d", wantIn, want)}
	}
	if s.Rows == 0 {
		s.Rows = have.Rows
	}
	d := &described{data: data, schema: s}
	d.rows.Store(s.Rows)
	return d, nil
}

type described struct {
	data   Source
	schema Schema
	rows   atomic.Int64 // those of the schema or of the first whole reading, or 0
}

func (d *described) Schema() Schema { return d.schema }

func (d *described) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		var n int64
		for b, err := range d.data.Batches(ctx) {
			n += int64(b.X.Rows)
			if !yield(b, err) || err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Batch{}, err)
			return
		}
		if d.rows.CompareAndSwap(0, n) {
			return
		}
		if want := d.rows.Load(); n != want {
			yield(Batch{}, &DegenerateDataError{What: "a result", Why: fmt.Sprintf("a reading of the data gave %d rows, and there were %d: a Source must give the same rows whenever it is read; keep rows that can be read only once in a file or in memory", n, want)})
		}
	}
}

package dataset

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
	"github.com/rffgo/rff/internal/numeral"
	"github.com/rffgo/rff/internal/optional"
	"github.com/rffgo/rff/internal/scaling"
)

// Table is a data set in memory. It is not modified after construction; Select
// copies.
type Table struct {
	Name   string
	Inputs []string   // names of the inputs, or nil
	Target string     // name of the label
	X      rff.Matrix // n×d
	Y      []float64  // n: the class index or the number
	Coding Coding
	// Weights and Groups of the rows, n each, or nil if Options name no column for them.
	Weights []float64
	Groups  []uint64
	// Train is the number of rows of the set's official training part, which comes first. It
	// is 0 if there is none.
	Train int

	schema rff.Schema // of the files it was read from, or zero
	index  []int64    // number of each row among all rows of the files; nil: rows in order
	first  int64      // number of the first row if index is nil
	files  []fileRows
}

// fileRows says which row of a Table is the first of a file.
type fileRows struct {
	name  string
	first int64
}

// Read reads whole files into memory. The errors are those of Open and Scan.
func Read(ctx context.Context, o Options, paths ...string) (*Table, error) {
	f, err := Open(ctx, o, paths...)
	if err != nil {
		return nil, err
	}
	return f.Table(ctx)
}

// Table reads all rows. Sparse text (LIBSVM) that would take more than 256 times its own size
// and more than 16 MiB gives a *ParseError. Source can stream such text.
func (f *Files) Table(ctx context.Context) (*Table, error) {
	l := f.layout
	t := &Table{Name: l.paths[0], Inputs: l.inputs, Target: l.target}
	labels, kept := newTally(), &keptRows{most: math.MaxInt64, packed: newPackedRows(l.width)}
	means := f.options.Missing == rff.MissingMean && f.options.fill == nil
	var read places
	var drops int64
	for row, err := range f.counted(ctx, means || f.options.Missing == rff.MissingNaN, &drops) {
		if err != nil {
			return nil, err
		}
		if err := f.dense(row); err != nil {
			return nil, err
		}
		at := read.of(row)
		if n := int64(kept.rows); t.index == nil && at != n { // a row was left out before this one
			for i := range n {
				t.index = append(t.index, i)
			}
			t.index = slices.Grow(t.index, 1)
		}
		if t.index != nil {
			t.index = append(t.index, at)
		}
		label := 0
		if !l.noLabel {
			label = labels.read(row)
		}
		if !kept.add(&f.options, row, label, labels) {
			return nil, labelError(row, l.target, fmt.Errorf("is not a number, in a column of more than %d different values", classes.Most))
		}
	}
	if kept.rows == 0 {
		return nil, f.noRows(drops)
	}
	t.files, t.schema, t.Weights, t.Groups = read.files, f.schema, kept.weights, kept.groups
	t.X = kept.packed.matrix(kept.rows, l.width)
	if means {
		t.schema = inside.Observed(f.schema, fillMeans(t.X), nil, nil)
	}
	if l.noLabel {
		return t, nil
	}
	var err error
	if t.Coding, _, err = labels.coding(l.paths[0], f.options.Task, f.options.ours.Part); err != nil {
		return nil, err
	}
	if err := kept.code(t.Coding, labels); err != nil {
		return nil, &ParseError{Place: Place{File: l.paths[0]}, Need: "a label " + err.Error()}
	}
	t.Y = kept.y
	return t, nil
}

// dense returns an error if the rows of sparse text up to this one are too
// large for a Table.
func (f *Files) dense(row Row) error {
	bytes := 8 * row.Place.Row * int64(f.layout.width)
	limit := max(tableBytes, tableRatio*row.textBytes)
	if row.textBytes > 0 && bytes > limit {
		return tooMuch(row.Place.File, row.Place.Line, fmt.Sprintf("bytes as a table, from %d bytes of sparse text", row.textBytes), bytes, limit, false)
	}
	return nil
}

// places numbers the rows of files, and counts rows that were left out.
type places struct {
	files []fileRows
	last  int64 // number of the row before, or −1
	row   int64 // number of that row in its file
}

// of returns the number of a row. Rows must be given in their order.
func (p *places) of(row Row) int64 {
	if n := len(p.files); n == 0 {
		p.files = append(p.files, fileRows{row.Place.File, 0})
	} else if p.files[n-1].name != row.Place.File || row.Place.Row <= p.row {
		p.files = append(p.files, fileRows{row.Place.File, p.last + 1})
	}
	p.row = row.Place.Row
	p.last = p.files[len(p.files)-1].first + p.row - 1
	return p.last
}

// place is cmd/rff/files.Place.
func (t *Table) place(i int) Place {
	at := t.first + int64(i)
	if t.index != nil {
		at = t.index[i]
	}
	p := Place{File: t.Name, Row: at + 1}
	for _, f := range t.files {
		if f.first <= at {
			p = Place{File: f.name, Row: at - f.first + 1}
		}
	}
	return p
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.X.Rows }

// Matrix returns the inputs as a gonum matrix that shares them.
func (t *Table) Matrix() *mat.Dense {
	return mat.NewDense(t.X.Rows, t.X.Cols, t.X.Data)
}

// Label returns the label of row i: the class, or the number as text.
func (t *Table) Label(i int) string {
	if t.Coding.Task == Classification {
		return t.Coding.Classes[int(t.Y[i])]
	}
	return numeral.Format(t.Y[i])
}

// Head returns the first n rows, which it shares with t.
func (t *Table) Head(n int) *Table { return t.rows(0, n) }

// Tail returns the rows from n on, which it shares with t.
func (t *Table) Tail(n int) *Table { return t.rows(n, t.X.Rows) }

// rows returns rows from … to−1, which it shares with t.
func (t *Table) rows(from, to int) *Table {
	c := *t
	c.X, c.Train = t.X.RowRange(from, to), 0
	c.index, c.Y = optional.Range(t.index, from, to), optional.Range(t.Y, from, to)
	c.Weights, c.Groups = optional.Range(t.Weights, from, to), optional.Range(t.Groups, from, to)
	c.first += int64(from)
	return &c
}

// Rows yields the rows with their labels.
func (t *Table) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for i := range t.X.Rows {
			if i%1024 == 0 && ctx.Err() != nil {
				yield(Row{}, context.Cause(ctx))
				return
			}
			r := Row{X: t.X.Row(i), Weight: 1, Place: t.place(i), target: t.Target}
			if t.Weights != nil {
				r.Weight = t.Weights[i]
			}
			if t.Groups != nil {
				r.group = t.Groups[i]
			}
			if t.Coding.Task == Classification {
				r.label = look.Label{Text: []byte(t.Coding.Classes[int(t.Y[i])])}
			} else if t.Y != nil {
				r.label = look.Label{Value: t.Y[i], Number: true}
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Scaled returns a copy with s applied to the inputs.
func (t *Table) Scaled(s rff.Scaling) *Table {
	c := *t
	c.schema = rff.Schema{} // t's describes the inputs before scaling
	c.X = blas.NewGeneral[float64](t.X.Rows, t.X.Cols)
	scaling.BentRows(s.From, s.To, s.Shift, s.Scale, c.X, t.X)
	return &c
}

// Select returns a table of the rows with these indices, in that order.
func (t *Table) Select(rows []int) *Table {
	out := &Table{Name: t.Name, Inputs: t.Inputs, Target: t.Target, Coding: t.Coding,
		X: dense.Pick(t.X, rows), Y: optional.At(t.Y, rows),
		Weights: optional.At(t.Weights, rows), Groups: optional.At(t.Groups, rows), schema: t.schema, index: optional.At(t.index, rows), files: t.files}
	if t.index == nil {
		for _, r := range rows {
			out.index = append(out.index, t.first+int64(r))
		}
	}
	return out
}

// Source returns the rows as a stream, with the targets that Coding makes of their labels.
func (t *Table) Source() rff.Source { return (*tableSource)(t) }

type tableSource Table

func (t *tableSource) Schema() rff.Schema {
	s := t.schema
	if in, _ := s.Dims(); in != t.X.Cols || s.Names() != nil && !slices.Equal(s.InputNames(), t.Inputs) { // the table's fields were changed
		s = rff.Schema{Inputs: rff.Columns(t.Inputs...)}
		if t.Inputs == nil {
			s.Inputs = make([]rff.Column, t.X.Cols)
		}
	}
	s.Target.Name = t.Target
	return learning(s, t.Coding, t.Y == nil, int64(t.X.Rows))
}
func (t *tableSource) Matrix() *mat.Dense { return (*Table)(t).Matrix() }

func (t *tableSource) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		in, targets := t.Schema().Dims()
		rows := rowsOf(in+targets, batchValues, batchRows)
		y := blas.NewGeneral[float64](rows, targets)
		for at := 0; at < t.X.Rows; at += rows {
			if err := ctx.Err(); err != nil {
				yield(rff.Batch{}, context.Cause(ctx))
				return
			}
			part := (*Table)(t).rows(at, min(at+rows, t.X.Rows))
			for i, v := range part.Y {
				t.Coding.encode(y.Row(i), v)
			}
			if !yield(rff.Batch{First: int64(at), X: part.X, Y: y.RowRange(0, part.X.Rows), Weight: part.Weights, Group: part.Groups}, nil) {
				return
			}
		}
	}
}

// Accuracy returns the share of rows whose label equals the one in labels. It panics unless
// labels has one per row.
func (t *Table) Accuracy(labels []string) float64 {
	if len(labels) != t.Len() {
		panic("dataset: one label per row is needed")
	}
	right := 0
	for i, label := range labels {
		if label == t.Label(i) {
			right++
		}
	}
	return float64(right) / float64(len(labels))
}

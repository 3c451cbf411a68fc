package dataset

import (
	"context"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/look"
)

// Summary is the result of one pass over a data set.
type Summary struct {
	Rows   int64
	Coding Coding
	Counts map[string]int64 // rows per class, for classification

	// Dropped is the number of rows that rff.MissingDrop left out, and Missing the number of
	// rows that lack an input.
	Dropped, Missing int64
	// Sample is enough for bandwidths and quantiles. It has all rows if there are at most
	// 10,000 and they take at most 40 MiB. Otherwise it has as many different rows, each
	// different row with the same chance, and repeats frequent ones until it has at most
	// twice as many. It depends on the contents of the rows and not on their order.
	Sample *Table

	// These are per input. The mean is over the rows that have the input, or 0 if none has
	// it, and the standard deviation is the one that divides by n.
	min, max, mean, std []float64

	look  *look.Look
	fill  []float64 // the values for missing inputs with the rule rff.MissingMean, or nil
	files *Files    // with fill
	kept  *keptRows
}

// Scan reads everything once, and settles how labels are taken. A row of weight 0 has no say in
// this: it is left out of all that the Summary has. progress, if not nil, is
// called now and then with the number of rows read so far. The error is one of those of Open,
// or a *ParseError if nothing can be learned from the labels.
func (f *Files) Scan(ctx context.Context, progress func(rows int64)) (*Summary, error) {
	if f.options.Missing == rff.MissingNaN {
		return nil, &rff.ParameterError{Name: "Missing", Value: rff.MissingNaN, Need: "has no means or ranges: scan with another rule"}
	}
	l := look.New(f.schema)
	l.Weighted, l.Grouped = f.options.Weights != "", f.options.Groups != ""
	labels := newTally()
	kept := f.options.keep(f.layout.width)
	for row, err := range f.counted(ctx, true, &l.Dropped) {
		if err != nil {
			return nil, err
		}
		l.Add(&look.Row{X: row.X, Label: row.label, Weight: row.Weight, Group: row.group, File: row.Place.File, Number: row.Place.Row}, row.Missing)
		if each := f.options.ours.Each; each != nil {
			each(row.X)
		}
		label := 0
		if !f.layout.noLabel {
			label = labels.read(row)
		}
		if kept != nil && !kept.add(&f.options, row, label, labels) {
			kept = nil
		}
		if progress != nil && l.Rows%4096 == 0 {
			progress(l.Rows)
		}
	}
	l.Labels = labels.counts()
	s, err := f.summary(l, labels)
	if err == nil && kept != nil && (f.layout.noLabel || kept.code(s.Coding, labels) == nil) { // otherwise a new pass finds the bad row
		s.kept = kept
	}
	return s, err
}

// summary returns the Summary of what a look found. The look is at the files, or at the parts
// of a data set that f stands for, and labels has their labels.
func (f *Files) summary(l *look.Look, labels *tally) (*Summary, error) {
	if l.Rows == 0 && !f.options.ours.Part {
		return nil, f.noRows(l.Dropped)
	}
	d := f.layout.width
	s := &Summary{Rows: l.Rows, Missing: l.Missing, Dropped: l.Dropped, min: make([]float64, d), max: make([]float64, d), mean: make([]float64, d), std: make([]float64, d),
		files: f, look: l}
	for j := range l.Inputs {
		m := &l.Inputs[j]
		s.min[j], s.max[j], s.mean[j], s.std[j] = m.Min, m.Max, m.Mean(), m.Std(l.Rows)
	}
	if f.options.Missing == rff.MissingMean {
		s.fill = slices.Clone(s.mean)
		s.files = f.filled(s.fill)
	}
	drawn := l.Sample.Drawn()
	s.Sample = f.sample(l, drawn, s.fill)
	s.Sample.schema = inside.Observed(f.schema, s.fill, s.min, s.max)
	if f.layout.noLabel {
		return s, nil
	}
	var err error
	if s.Coding, s.Counts, err = labels.coding(f.layout.paths[0], f.options.Task, f.options.ours.Part); err != nil {
		return nil, err
	}
	s.Sample.Coding, s.Sample.Y = s.Coding, make([]float64, len(drawn))
	for i, r := range drawn {
		label := textLabel([]byte(r.Label))
		if s.Sample.Y[i], err = s.Coding.value(label); err != nil {
			return nil, labelError(Row{label: label, Place: s.Sample.place(i)}, f.layout.target, err)
		}
	}
	return s, nil
}

// sample returns the drawn rows as a table. If fill is not nil, it replaces missing inputs.
func (f *Files) sample(l *look.Look, drawn []look.Sampled, fill []float64) *Table {
	d := f.layout.width
	t := &Table{Name: f.layout.paths[0], Inputs: f.layout.inputs, Target: f.layout.target, X: blas.NewGeneral[float64](len(drawn), d)}
	names := map[string]int64{} // a number for each file, from 0
	for i, r := range drawn {
		if _, known := names[r.File]; !known {
			names[r.File] = int64(len(names)) << 48
			t.files = append(t.files, fileRows{r.File, names[r.File]})
		}
		t.index = append(t.index, names[r.File]+r.Number-1)
		copy(t.X.Row(i), r.X)
		if fill != nil {
			fillRow(t.X.Row(i), fill)
		}
		if l.Weighted {
			t.Weights = append(t.Weights, r.Weight)
		}
		if l.Grouped {
			t.Groups = append(t.Groups, r.Group)
		}
	}
	return t
}

// filled is cmd/rff/files.Filled.
func (f *Files) filled(fill []float64) *Files {
	c := *f
	c.options.fill = slices.Clone(fill)
	c.schema = inside.Observed(f.schema, fill, nil, nil)
	return &c
}

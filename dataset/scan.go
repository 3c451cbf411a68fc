package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/reservoir"
	"github.com/rffgo/rff/internal/scaling"
)

// Summary is what one pass over a data set finds.
type Summary struct {
	Rows   int64
	Min    []float64 // per input
	Max    []float64
	Mean   []float64 // over the rows that have the input; 0 where none has
	Std    []float64 // of the rows as they are: divided by n
	Coding Coding
	Counts map[string]int64 // rows per class, for classification

	// Dropped counts the rows left out with rff.MissingDrop, Missing those that lack an
	// input.
	Dropped, Missing int64
	// Sample has at most 10,000 rows and 40 MiB, each row as likely as any other, drawn
	// with a fixed seed: enough for bandwidths and quantiles.
	Sample *Table

	fill  []float64 // what stands for missing inputs with the rule rff.MissingMean, or nil
	files *Files    // with fill
	kept  *keptRows
}

// Scan reads everything once, and settles how labels are taken. progress, if not
// nil, is called now and then with the rows read so far. Errors: as Open's; a
// *ParseError where nothing can be learned from the labels.
func (f *Files) Scan(ctx context.Context, progress func(rows int64)) (*Summary, error) {
	d := f.layout.width
	if f.options.Missing == rff.MissingNaN {
		return nil, &rff.ParameterError{Name: "Missing", Value: rff.MissingNaN, Need: "has no means or ranges: scan with another rule"}
	}
	s := &Summary{Min: make([]float64, d), Max: make([]float64, d), Mean: make([]float64, d), Std: make([]float64, d), files: f}
	m := moments{Summary: s}
	labels := newTally()
	sample := newSample(d)
	var read places
	kept := f.options.keep(d)
	for row, err := range f.rows(ctx, true, &s.Dropped) {
		if err != nil {
			return nil, err
		}
		m.add(row)
		drawn := row.Index
		row.Index = read.of(row)
		sample.draw(drawn, row)
		label := 0
		if !f.layout.noLabel {
			label = labels.read(row)
		}
		if kept != nil && !kept.add(&f.options, row, label, labels) {
			kept = nil
		}
		if progress != nil && s.Rows%4096 == 0 {
			progress(s.Rows)
		}
	}
	if s.Rows == 0 {
		return nil, &ParseError{Place: Place{File: f.layout.paths[0]}, Need: fmt.Sprintf("all of the %d rows lack a value, and were left out", s.Dropped)}
	}
	m.finish()
	if f.options.Missing == rff.MissingMean {
		s.fill = slices.Clone(s.Mean)
		s.files = f.Filled(s.fill)
		sample.fill(s.fill)
	}
	s.Sample = sample.table(f)
	s.Sample.files, s.Sample.schema = read.files, f.schema.Observed(s.fill, s.Min, s.Max)
	s.kept = kept
	if f.layout.noLabel {
		return s, nil
	}
	if err := s.code(labels, sample.labels); err != nil {
		return nil, err
	}
	return s, nil
}

// code settles how the labels are taken, and codes those of the sample and of the rows kept.
func (s *Summary) code(labels *tally, sample []Label) (err error) {
	f := s.files
	if s.Coding, s.Counts, err = labels.coding(f.layout.paths[0], f.options.Task, f.options.ours.Part); err != nil {
		return err
	}
	s.Sample.Coding, s.Sample.Y = s.Coding, make([]float64, len(sample))
	for i, l := range sample {
		if s.Sample.Y[i], err = s.Coding.value(l); err != nil {
			return labelError(Row{Label: l, Place: s.Sample.Place(i)}, f.layout.target, err)
		}
	}
	if s.kept != nil && s.kept.code(s.Coding, labels) != nil {
		s.kept = nil // a pass names the row
	}
	return nil
}

// moments takes rows into the counts, ranges, means and deviations of a Summary, whose Std
// has sums of squares until they are finished.
type moments struct {
	*Summary
	present []int64   // rows that have each input, from the first that lacks one on
	huge    []float64 // sums of squares of deviations times scaling.Small
}

// add takes a row.
func (s *moments) add(row Row) {
	s.Rows++
	if row.Missing {
		s.Missing++
		if s.present == nil {
			s.present = slices.Repeat([]int64{s.Rows - 1}, len(s.Min))
		}
	}
	n, inv := s.Rows, 1/float64(s.Rows)
	if s.present == nil && n > 1 {
		d := len(s.Min)
		lowest, highest, mean, std := s.Min[:d], s.Max[:d], s.Mean[:d], s.Std[:d]
		for j, v := range row.X[:d] { // the common case of the loop below
			delta := v - mean[j]
			if !(math.Abs(delta) < 0x1p500) {
				s.observe(j, v, n, inv)
				continue
			}
			if v < lowest[j] {
				lowest[j] = v
			}
			if v > highest[j] {
				highest[j] = v
			}
			m := mean[j] + float64(delta*inv)
			mean[j] = m
			std[j] += float64(delta * (v - m))
		}
		return
	}
	for j, v := range row.X {
		if s.present != nil {
			if v != v {
				continue
			}
			s.present[j]++
			n, inv = s.present[j], 1/float64(s.present[j])
		}
		s.observe(j, v, n, inv)
	}
}

// observe takes value v of input j, as the n-th of that input; inv is 1/n. Deviations whose
// squares are beyond the numbers go to huge. It is Welford's update, each product rounded by
// itself so that no platform fuses it.
func (s *moments) observe(j int, v float64, n int64, inv float64) {
	if n == 1 || v < s.Min[j] {
		s.Min[j] = v
	}
	if n == 1 || v > s.Max[j] {
		s.Max[j] = v
	}
	delta := v - s.Mean[j]
	if !(math.Abs(delta) < 0x1p500) {
		if s.huge == nil {
			s.huge = make([]float64, len(s.Min))
		}
		small, mean := float64(v*scaling.Small), float64(s.Mean[j]*scaling.Small)
		delta = small - mean
		s.Mean[j] = (mean + float64(delta*inv)) / scaling.Small
		s.huge[j] += float64(delta * (small - float64(s.Mean[j]*scaling.Small)))
		return
	}
	s.Mean[j] += float64(delta * inv)
	s.Std[j] += float64(delta * (v - s.Mean[j]))
}

// finish makes standard deviations of the sums of squares.
func (s *moments) finish() {
	for j := range s.Std {
		if s.huge == nil || s.huge[j] == 0 {
			s.Std[j] = math.Sqrt(s.Std[j] / float64(s.Rows))
			continue
		}
		squares := s.huge[j] + float64(float64(s.Std[j]*scaling.Small)*scaling.Small)
		s.Std[j] = math.Sqrt(squares/float64(s.Rows)) / scaling.Small
	}
}

// sampleRows are the rows of a sample that grows to its bound.
type sampleRows struct {
	d, most int // inputs, and rows at most
	slot    func(row int64) int
	x       []float64
	labels  []Label
	weights []float64
	groups  []uint64
	index   []int64
}

func newSample(d int) *sampleRows {
	most := reservoir.Most(d)
	return &sampleRows{d: d, most: most, slot: reservoir.Slots(most)}
}

// draw takes row n of the data, counted from 0, if the lot falls on it.
func (s *sampleRows) draw(n int64, row Row) {
	if n < int64(s.most) {
		s.add(row)
	} else if k := s.slot(n); k >= 0 {
		copy(s.x[k*s.d:], row.X)
		s.labels[k], s.weights[k], s.groups[k], s.index[k] = row.Label.clone(), row.Weight, row.Group, row.Index
	}
}

// add appends a row. The memory of the sample doubles as it grows, and from an eighth of
// the bound on is the bound itself, so that no more than an eighth is held twice.
func (s *sampleRows) add(row Row) {
	if n := len(s.x) + s.d; n > cap(s.x) {
		to := max(2*cap(s.x), n)
		if to > s.most*s.d/8 {
			to = s.most * s.d
		}
		x := make([]float64, len(s.x), to)
		copy(x, s.x)
		s.x = x
	}
	s.x = append(s.x, row.X...)
	s.labels = append(s.labels, row.Label.clone())
	s.weights = append(s.weights, row.Weight)
	s.groups = append(s.groups, row.Group)
	s.index = append(s.index, row.Index)
}

// fill puts values where inputs are missing.
func (s *sampleRows) fill(values []float64) {
	for i := 0; i < len(s.x); i += s.d {
		fillRow(s.x[i:i+s.d], values)
	}
}

// table returns the rows, of files f, with their weights and groups where f has them.
func (s *sampleRows) table(f *Files) *Table {
	t := &Table{index: s.index, Name: f.layout.paths[0], Inputs: f.layout.inputs, Target: f.layout.target,
		X: blas.General[float64]{Rows: len(s.x) / s.d, Cols: s.d, Stride: s.d, Data: s.x}}
	if f.options.Weights != "" {
		t.Weights = s.weights
	}
	if f.options.Groups != "" {
		t.Groups = s.groups
	}
	return t
}

// Filled returns the files with fill, one value per input, in place of missing
// values: Summary.Mean.
func (f *Files) Filled(fill []float64) *Files {
	c := *f
	c.options.fill = slices.Clone(fill)
	c.schema = f.schema.Observed(fill, nil, nil)
	return &c
}

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
	Mean   []float64
	Std    []float64 // of the rows as they are: divided by n
	Coding Coding
	Counts map[string]int64 // rows per class, for classification

	// TargetMin and TargetMax are the range of a numeric label.
	TargetMin, TargetMax float64
	// Fill is what stands for missing inputs with the rule rff.MissingMean, the mean of
	// the rows that have them (0 where none has): Files.Filled. Dropped counts the rows
	// left out with rff.MissingDrop, Missing those that lack an input.
	Fill             []float64
	Dropped, Missing int64
	// Sample has at most 10,000 rows and 40 MiB, each row as likely as any
	// other, drawn with a fixed seed: enough for bandwidths and quantiles.
	Sample *Table

	files *Files // with Fill
	kept  *keptRows
}

// Scan reads everything once, and settles how labels are taken. progress, if not
// nil, is called now and then with the rows read so far. Errors: as Open's; a
// *ParseError where nothing can be learned from the labels.
func (f *Files) Scan(ctx context.Context, progress func(rows int64)) (*Summary, error) {
	d := f.layout.Width
	s := &Summary{Min: make([]float64, d), Max: make([]float64, d), Mean: make([]float64, d), Std: make([]float64, d)}
	labels := newTally()
	most := reservoir.Most(d)
	var sample sampleRows
	var read places
	kept := f.options.keep(d)
	var huge []float64 // sums of squares of deviations times scaling.Small
	slot := reservoir.Slots(most)
	if f.options.Missing == rff.MissingNaN {
		return nil, &rff.ParameterError{Name: "Missing", Value: rff.MissingNaN, Need: "has no means or ranges: scan with another rule"}
	}
	var present []int64 // rows that have each input, from the first that lacks one on
	for row, err := range f.rows(ctx, true, &s.Dropped) {
		if err != nil {
			return nil, err
		}
		s.Rows++
		if row.Missing {
			s.Missing++
			if present == nil {
				present = slices.Repeat([]int64{s.Rows - 1}, d)
			}
		}
		n, inv := s.Rows, 1/float64(s.Rows)
		lowest, highest, mean, std := s.Min[:d], s.Max[:d], s.Mean[:d], s.Std[:d]
		if present == nil && n > 1 {
			for j, v := range row.X[:d] { // the common case of the loop below
				delta := v - mean[j]
				if !(math.Abs(delta) < 0x1p500) {
					huge = s.observe(j, v, n, inv, huge)
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
		} else {
			for j, v := range row.X {
				if present != nil {
					if v != v {
						continue
					}
					present[j]++
					n, inv = present[j], 1/float64(present[j])
				}
				huge = s.observe(j, v, n, inv, huge)
			}
		}
		drawn := row.Index
		row.Index = read.of(row)
		if drawn < int64(most) {
			sample.add(row, d, most)
		} else if k := slot(drawn); k >= 0 {
			sample.set(k, row, d)
		}
		label := 0
		if !f.layout.NoLabel {
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
		return nil, &ParseError{File: f.layout.Paths[0], Need: fmt.Sprintf("all of the %d rows lack a value, and were left out", s.Dropped)}
	}
	s.files = f
	if f.options.Missing == rff.MissingMean {
		s.Fill = slices.Clone(s.Mean)
		s.files = f.Filled(s.Fill)
		for i := 0; i < len(sample.x); i += d {
			fillRow(sample.x[i:i+d], s.Fill)
		}
	}
	for j := range s.Std {
		if huge == nil || huge[j] == 0 {
			s.Std[j] = math.Sqrt(s.Std[j] / float64(s.Rows))
			continue
		}
		squares := huge[j] + float64(float64(s.Std[j]*scaling.Small)*scaling.Small)
		s.Std[j] = math.Sqrt(squares/float64(s.Rows)) / scaling.Small
	}
	s.Sample = &Table{index: sample.index, files: read.files, Name: f.layout.Paths[0], Inputs: f.layout.Inputs, Target: f.layout.Target, schema: f.schema.Observed(s.Fill, s.Min, s.Max),
		X: blas.General[float64]{Rows: len(sample.x) / d, Cols: d, Stride: d, Data: sample.x}}
	if f.options.Weights != "" {
		s.Sample.Weights = sample.weights
	}
	if f.options.Groups != "" {
		s.Sample.Groups = sample.groups
	}
	s.TargetMin, s.TargetMax = labels.min, labels.max
	s.kept = kept
	if f.layout.NoLabel {
		return s, nil
	}
	var err error
	if s.Coding, s.Counts, err = labels.coding(f.layout.Paths[0], f.options.Task, f.options.Part); err != nil {
		return nil, err
	}
	s.Sample.Coding, s.Sample.Y = s.Coding, make([]float64, len(sample.labels))
	for i, l := range sample.labels {
		if s.Sample.Y[i], err = s.Coding.value(l); err != nil {
			return nil, labelError(Row{Label: l, Place: s.Sample.Place(i)}, f.layout.Target, err)
		}
	}
	if kept != nil {
		if err := kept.code(s.Coding, labels); err != nil {
			s.kept = nil // a pass names the row
		}
	}
	return s, nil
}

// observe takes value v of input j into ranges, means and squares of deviations, as the
// n-th of that input; inv is 1/n. huge has the squares times scaling.Small of deviations
// whose squares are beyond the numbers. It is Welford's update, each product rounded by
// itself so that no platform fuses it.
func (s *Summary) observe(j int, v float64, n int64, inv float64, huge []float64) []float64 {
	if n == 1 || v < s.Min[j] {
		s.Min[j] = v
	}
	if n == 1 || v > s.Max[j] {
		s.Max[j] = v
	}
	delta := v - s.Mean[j]
	if !(math.Abs(delta) < 0x1p500) {
		if huge == nil {
			huge = make([]float64, len(s.Min))
		}
		small, mean := float64(v*scaling.Small), float64(s.Mean[j]*scaling.Small)
		delta = small - mean
		s.Mean[j] = (mean + float64(delta*inv)) / scaling.Small
		huge[j] += float64(delta * (small - float64(s.Mean[j]*scaling.Small)))
		return huge
	}
	s.Mean[j] += float64(delta * inv)
	s.Std[j] += float64(delta * (v - s.Mean[j]))
	return huge
}

// sampleRows are the rows of a sample that grows to its bound.
type sampleRows struct {
	x       []float64
	labels  []Label
	weights []float64
	groups  []uint64
	index   []int64
}

// add appends a row of width d to a sample of at most most rows. Its memory doubles
// as it grows, and from an eighth of the bound on is the bound itself, so that no
// more than an eighth is held twice.
func (s *sampleRows) add(row Row, d, most int) {
	if n := len(s.x) + d; n > cap(s.x) {
		to := max(2*cap(s.x), n)
		if to > most*d/8 {
			to = most * d
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

// set puts a row in place of the one at k.
func (s *sampleRows) set(k int, row Row, d int) {
	copy(s.x[k*d:], row.X)
	s.labels[k], s.weights[k], s.groups[k], s.index[k] = row.Label.clone(), row.Weight, row.Group, row.Index
}

package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
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
	// Fill is what stands for missing inputs with the rule MissingMean, the mean of
	// the rows that have them (0 where none has): Files.Filled. Dropped counts the rows
	// left out with MissingDrop, Missing those that lack an input.
	Fill             []float64
	Dropped, Missing int64
	// Sample has at most SampleRows rows and 40 MiB, each row as likely as any
	// other, drawn with a fixed seed: enough for bandwidths and quantiles.
	Sample *Table
}

// SampleRows bounds Summary.Sample; above 524 inputs it has fewer rows.
const SampleRows = 10000

// Scan reads everything once. task settles how labels are taken. progress, if
// not nil, is called now and then with the rows read so far. Errors: as Open's,
// and *LabelError.
func (f *Files) Scan(ctx context.Context, task Task, progress func(rows int64)) (*Summary, error) {
	d := f.width
	s := &Summary{Min: make([]float64, d), Max: make([]float64, d), Mean: make([]float64, d), Std: make([]float64, d)}
	labels := newTally()
	most := rowsOf(d, sampleValues, SampleRows)
	var sample sampleRows
	// Algorithm R (Vitter 1985): row i replaces a sampled one with probability
	// most/(i+1).
	rng := rand.New(rand.NewPCG(0x5ca1ab1e, 0))
	if f.options.Missing == MissingNaN {
		return nil, &rff.ParameterError{Name: "Missing", Value: MissingNaN, Need: "has no means or ranges: scan with another rule"}
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
		// Welford's update, each product rounded by itself so that no platform
		// fuses it.
		n, inv := s.Rows, 1/float64(s.Rows)
		for j, v := range row.X {
			if present != nil {
				if v != v {
					continue
				}
				present[j]++
				n, inv = present[j], 1/float64(present[j])
			}
			if n == 1 || v < s.Min[j] {
				s.Min[j] = v
			}
			if n == 1 || v > s.Max[j] {
				s.Max[j] = v
			}
			delta := v - s.Mean[j]
			s.Mean[j] += float64(delta * inv)
			s.Std[j] += float64(delta * (v - s.Mean[j]))
		}
		if row.Index < int64(most) {
			sample.add(row, d, most)
		} else if k := rng.Int64N(row.Index + 1); k < int64(most) {
			sample.set(int(k), row, d)
		}
		if !f.noLabel {
			labels.add(row.Label)
		}
		if progress != nil && s.Rows%4096 == 0 {
			progress(s.Rows)
		}
	}
	if s.Rows == 0 {
		return nil, &ParseError{File: f.paths[0], Need: fmt.Sprintf("all of the %d rows lack a value, and were left out", s.Dropped)}
	}
	if f.options.Missing == MissingMean {
		s.Fill = slices.Clone(s.Mean)
		for i := 0; i < len(sample.x); i += d {
			fillRow(sample.x[i:i+d], s.Fill)
		}
	}
	for j := range s.Std {
		s.Std[j] = math.Sqrt(s.Std[j] / float64(s.Rows))
	}
	s.Sample = &Table{Name: f.paths[0], Inputs: f.inputs, Target: f.target,
		X: blas.General[float64]{Rows: len(sample.x) / d, Cols: d, Stride: d, Data: sample.x}}
	if f.options.Weights != "" {
		s.Sample.Weights = sample.weights
	}
	if f.options.Groups != "" {
		s.Sample.Groups = sample.groups
	}
	s.TargetMin, s.TargetMax = labels.min, labels.max
	if f.noLabel {
		return s, nil
	}
	var err error
	if s.Coding, s.Counts, err = labels.coding(f.paths[0], task); err != nil {
		return nil, err
	}
	s.Sample.Coding, s.Sample.Y = s.Coding, make([]float64, len(sample.labels))
	for i, l := range sample.labels {
		if s.Sample.Y[i], err = s.Coding.Value(l); err != nil {
			return nil, labelError(Row{Label: l, Place: Place{File: f.paths[0]}}, f.target, err)
		}
	}
	return s, nil
}

// sampleRows are the rows of a sample that grows to its bound.
type sampleRows struct {
	x       []float64
	labels  []Label
	weights []float64
	groups  []uint64
}

// add appends a row of width d to a sample of at most most rows. The values grow
// by doubling, and near the end at once to the bound: no more than an eighth of
// it is held twice.
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
}

// set puts a row in place of the one at k.
func (s *sampleRows) set(k int, row Row, d int) {
	copy(s.x[k*d:], row.X)
	s.labels[k], s.weights[k], s.groups[k] = row.Label.clone(), row.Weight, row.Group
}

package dataset

import (
	"context"
	"fmt"
	"iter"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
)

// Scale is a way of scaling inputs, fitted on training rows.
type Scale uint8

// The ways of scaling. A column that is constant among the training rows is
// mapped to 0.
const (
	// Robust is Standard for columns without heavy tails and is not spoilt by
	// a few wild values: the median goes to 0, and the distance between the
	// 0.5 % and the 99.5 % quantile to that of a standard normal, 5.15. A column
	// that holds one value but for less than a tenth of its rows is scaled so
	// that most of the others go to at most 5.15.
	Robust Scale = iota
	// Standard maps to mean 0 and standard deviation 1 (divided by n).
	Standard
	// MinMax maps to [0, 1].
	MinMax
	// Unscaled leaves the inputs as they are.
	Unscaled
)

var scaleNames = [...]string{"robust", "standard", "minmax", "none"}

func (s Scale) String() string { return scaleNames[s] }

// ParseScale returns the way of scaling of that name.
func ParseScale(name string) (Scale, error) {
	for i, n := range scaleNames {
		if n == name {
			return Scale(i), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown scaling %q: one of robust, standard, minmax, none", name)
}

// FitScaling fits s to the rows of x.
func FitScaling(s Scale, x blas.General[float64]) rff.Scaling {
	if s == Unscaled {
		return rff.Scaling{}
	}
	out := rff.Scaling{Shift: make([]float64, x.Cols), Scale: make([]float64, x.Cols)}
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Data[i*x.Stride+j]
		}
		out.Shift[j], out.Scale[j] = fitColumn(s, column)
	}
	return out
}

// fitColumn returns shift and scale; it sorts v.
func fitColumn(s Scale, v []float64) (shift, scale float64) {
	switch s {
	case Robust:
		return scaling.Robust(v)
	case MinMax:
		return scaling.MinMax(v)
	}
	return scaling.Standard(v)
}

// Scaling fits s to all rows; Robust to Sample.
func (s *Summary) Scaling(by Scale) rff.Scaling {
	switch by {
	case Unscaled:
		return rff.Scaling{}
	case Robust:
		x := s.Sample.X
		out := rff.Scaling{Shift: make([]float64, x.Cols), Scale: make([]float64, x.Cols)}
		column := make([]float64, x.Rows)
		for j := range x.Cols {
			for i := range column {
				column[i] = x.Row(i)[j]
			}
			out.Shift[j], out.Scale[j] = scaling.RobustSample(column, s.Min[j], s.Max[j])
		}
		return out
	}
	out := rff.Scaling{Shift: make([]float64, len(s.Min)), Scale: make([]float64, len(s.Min))}
	for j := range s.Min {
		switch {
		case s.Min[j] == s.Max[j]:
			out.Shift[j], out.Scale[j] = s.Min[j], 1
		case by == MinMax:
			out.Shift[j], out.Scale[j] = s.Min[j], scaling.Divisor(s.Max[j]-s.Min[j])
		default:
			out.Shift[j], out.Scale[j] = s.Mean[j], scaling.Divisor(s.Std[j])
		}
	}
	return out
}

// Scaled returns data with s applied to its inputs.
func Scaled(data rff.Source, s rff.Scaling) rff.Source {
	if s.IsIdentity() {
		return data
	}
	return &scaled{data, s}
}

type scaled struct {
	rff.Source
	scaling rff.Scaling
}

func (s *scaled) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		var x blas.General[float64]
		for b, err := range s.Source.Batches(ctx) {
			if err == nil {
				if x.Rows < b.X.Rows {
					x = blas.NewGeneral[float64](b.X.Rows, b.X.Cols)
				}
				scaling.Rows(s.scaling.Shift, s.scaling.Scale, x.RowRange(0, b.X.Rows), b.X)
				b.X = x.RowRange(0, b.X.Rows)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

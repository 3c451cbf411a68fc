package dataset

import (
	"context"
	"iter"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/scaling"
)

// Scale is a way of scaling inputs that is fitted on training rows. "" is Robust. Functions
// that take a Scale panic for other words.
type Scale string

// The ways of scaling. A column that is constant among the training rows is mapped to 0, and
// so is every value that it has later. The constant says nothing about the target, and
// another value would otherwise put a row far from all others.
const (
	// Robust maps the median to 0, and the distance between the 0.5 % and the 99.5 %
	// quantile to 5.15, the distance that a standard normal has. It is much like Standard
	// for columns without heavy tails, and a few wild values do not spoil it. If less than a
	// tenth of the rows differ from the median, nine tenths of their values come to lie
	// within 5.15 of it.
	Robust Scale = "robust"
	// Standard maps to mean 0 and standard deviation 1 (divided by n).
	Standard Scale = "standard"
	// MinMax maps to [0, 1].
	MinMax Scale = "minmax"
	// Unscaled leaves the inputs as they are.
	Unscaled Scale = "none"
)

// FitScaling fits the way of scaling by to the rows of x.
func FitScaling(by Scale, x rff.Matrix) rff.Scaling {
	if by = by.known(); by == Unscaled {
		return rff.Scaling{}
	}
	fit := map[Scale]func(v []float64) (shift, scale float64){Robust: scaling.Robust, Standard: scaling.Standard, MinMax: scaling.MinMax}[by]
	return inside.FitColumns(context.Background(), x, func(_ int, v []float64) (shift, scale float64) { return fit(v) }, rangeOf)
}

// Scaling fits the way of scaling by to all rows, but takes the quantiles of Robust from
// Sample.
func (s *Summary) Scaling(by Scale) rff.Scaling {
	switch by.known() {
	case Unscaled:
		return rff.Scaling{}
	case Robust:
		return inside.FitColumns(context.Background(), s.Sample.X, func(j int, v []float64) (shift, scale float64) {
			return scaling.RobustSample(v, s.min[j], s.max[j])
		}, func(j int, _ []float64) (low, high float64) { return s.min[j], s.max[j] })
	}
	out := rff.Scaling{Shift: make([]float64, len(s.min)), Scale: make([]float64, len(s.min))}
	for j := range s.min {
		switch {
		case s.min[j] == s.max[j]:
			out.Shift[j], out.Scale[j] = s.min[j], 1
			out.From, out.To = scaling.Hold(out.From, out.To, len(s.min), j, s.min[j])
		case by == MinMax:
			out.Shift[j], out.Scale[j] = s.min[j], scaling.Divisor(s.max[j]-s.min[j])
		default:
			out.Shift[j], out.Scale[j] = s.mean[j], scaling.Divisor(s.std[j])
		}
	}
	return out
}

// known returns the way of scaling that s stands for.
func (s Scale) known() Scale {
	switch s {
	case "":
		return Robust
	case Robust, Standard, MinMax, Unscaled:
		return s
	}
	panic("dataset: unknown Scale")
}

// rangeOf returns the range of a column of rows.
func rangeOf(_ int, column []float64) (low, high float64) {
	if len(column) == 0 {
		return 0, 1 // nothing is known
	}
	return slices.Min(column), slices.Max(column)
}

// Scaled returns data with s applied to its inputs, which then are plain numbers. A model
// that is fitted to them predicts from scaled rows. With krr.Settings.Scaling a model
// predicts from raw rows.
func Scaled(data rff.Source, s rff.Scaling) rff.Source {
	if inside.IsIdentity(s) {
		return data
	}
	schema := data.Schema()
	in, _ := schema.Dims()
	names := schema.InputNames()
	schema.Missing, schema.Unseen, schema.Inputs = "", "", make([]rff.Column, in)
	for j := range names {
		schema.Inputs[j].Name = names[j]
	}
	return &scaled{data, schema, s}
}

type scaled struct {
	rff.Source
	schema  rff.Schema
	scaling rff.Scaling
}

func (s *scaled) Schema() rff.Schema { return s.schema }

func (s *scaled) Batches(ctx context.Context) iter.Seq2[rff.Batch, error] {
	var x blas.General[float64]
	return inside.Batches(ctx, s.Source, func(b *rff.Batch) error {
		if x.Rows < b.X.Rows {
			x = blas.NewGeneral[float64](b.X.Rows, b.X.Cols)
		}
		to := x.RowRange(0, b.X.Rows)
		scaling.BentRows(s.scaling.From, s.scaling.To, s.scaling.Shift, s.scaling.Scale, to, b.X)
		b.X = to
		return nil
	})
}

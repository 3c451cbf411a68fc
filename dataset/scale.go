package dataset

import (
	"context"
	"iter"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
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

// FitScaling fits the way of scaling by to the rows of x, each of which counts once: a caller with
// weights leaves out rows of weight 0, and repeats those that are to count more.
func FitScaling(by Scale, x rff.Matrix) rff.Scaling {
	if by = by.known(); by == Unscaled {
		return rff.Scaling{}
	}
	fit := map[Scale]func(v []float64) (shift, scale float64){Robust: scaling.Robust, Standard: scaling.Standard, MinMax: scaling.MinMax}[by]
	column := make([]float64, x.Rows)
	return fitColumns(x.Cols, func(j int) (shift, scale, low, high float64) {
		if high = 1; x.Rows > 0 { // otherwise nothing is known
			dense.Column(column, x, j)
			low, high = slices.Min(column), slices.Max(column)
		}
		shift, scale = fit(column)
		return shift, scale, low, high
	})
}

// Scaling fits the way of scaling by to all rows, but takes the quantiles of Robust from
// Sample. A row counts once, whatever its weight, as in all that a Summary has: a row of weight 2 is
// two rows to the sums of a fit, and here one (docs/explain/sums.md, What is summed).
func (s *Summary) Scaling(by Scale) rff.Scaling {
	if by = by.known(); by == Unscaled {
		return rff.Scaling{}
	}
	column := make([]float64, s.Sample.X.Rows)
	return fitColumns(len(s.min), func(j int) (shift, scale, low, high float64) {
		low, high = s.min[j], s.max[j]
		switch {
		case by == Robust:
			dense.Column(column, s.Sample.X, j)
			shift, scale = scaling.RobustSample(column, low, high)
		case by == MinMax || low == high:
			shift, scale = low, scaling.Divisor(high-low)
		default:
			shift, scale = s.mean[j], scaling.Divisor(s.std[j])
		}
		return shift, scale, low, high
	})
}

// fitColumns returns the scaling that fit finds for every column, whose range it returns as well. A
// column of one value is held at it.
func fitColumns(columns int, fit func(j int) (shift, scale, low, high float64)) rff.Scaling {
	s := rff.Scaling{Shift: make([]float64, columns), Scale: make([]float64, columns)}
	for j := range columns {
		var low, high float64
		if s.Shift[j], s.Scale[j], low, high = fit(j); low == high {
			s.From, s.To = scaling.Hold(s.From, s.To, columns, j, low)
		}
	}
	return s
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

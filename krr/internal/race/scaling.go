package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/trial"
)

// inputScaling is a way of scaling inputs that a search chooses from.
type inputScaling struct {
	name string
	rff.Scaling
	bent int // inputs that each trial bends
}

// bentInputs returns the number of inputs that a scaling bends, besides those that it holds.
func bentInputs(s rff.Scaling) (n int) {
	for _, from := range s.From {
		if len(from) > 1 {
			n++
		}
	}
	return n
}

// plainScalings and bentScalings are how many of scalings there may be.
const plainScalings, bentScalings = 2, 3

// scalings returns the ways that differ for these rows: robust; standard; clipped,
// which is robust after confining columns to what 99 of 100 rows have; ranks, which
// takes the quantiles of a column to those of a normal; logs, which takes logarithms if some
// column spans orders of magnitude. The last three bend columns, and are left out without bend. The error
// is that of ctx.
func scalings(ctx context.Context, e blas.Engine, rows *trial.Rows, bend bool) ([]inputScaling, error) {
	var robust, standard, clip, ranks, logs rff.Scaling
	var heavy, many, wide bool
	e.Each(3, func(_ blas.Engine, i int) {
		switch {
		case i == 0:
			if robust = rows.RobustScaling(ctx); bend {
				logs, wide = logScaling(ctx, rows, robust)
			}
		case i == 1:
			standard = rows.StandardScaling(ctx)
		case bend:
			clip, ranks, heavy, many = rankScaling(ctx, rows)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := []inputScaling{{name: "robust", Scaling: robust}, {name: "standard", Scaling: standard}}
	if !bend {
		return out, nil
	}
	clip.Shift, clip.Scale = robust.Shift, robust.Scale
	for j, held := range robust.From {
		if held != nil {
			clip.From[j], clip.To[j] = held, robust.To[j]
		}
	}
	if heavy {
		out = append(out, inputScaling{name: "clipped", Scaling: clip})
	}
	if many {
		out = append(out, inputScaling{name: "ranks", Scaling: ranks})
	}
	if wide {
		out = append(out, inputScaling{name: "logs", Scaling: logs})
	}
	return out, nil
}

// rankScaling returns the scaling by ranks, and the points that confine columns. heavy reports whether
// values of some column lie far beyond these, and many whether some column has more than two values.
// The scaling is of no use if ctx is done.
func rankScaling(ctx context.Context, rows *trial.Rows) (clip, ranks rff.Scaling, heavy, many bool) {
	in := rows.X.Cols
	clip, ranks = rff.Scaling{From: make([][]float64, in), To: make([][]float64, in)}, rff.Scaling{From: make([][]float64, in), To: make([][]float64, in)}
	column := make([]float64, rows.X.Rows)
	for j := 0; j < in && ctx.Err() == nil; j++ {
		dense.Column(column, rows.X, j)
		slices.Sort(column)
		from, to := rankPoints(column)
		if len(from) == 1 { // one point would hold a column that varies in other rows than these
			from, to = withEnds(from, to, rows.Low[j], rows.High[j])
		}
		ranks.From[j], ranks.To[j] = from, to
		many = many || len(from) > 2
		low, high := scaling.Quantile(column, outer), scaling.Quantile(column, 1-outer)
		// A column that has one value in all but a few rows has no such quantiles.
		if low < high && (rows.Low[j] < low || high < rows.High[j]) {
			clip.From[j], clip.To[j] = []float64{low, high}, []float64{low, high}
			heavy = heavy || rows.High[j]-high > heavyTail*(high-low) || low-rows.Low[j] > heavyTail*(high-low)
		}
	}
	return clip, ranks, heavy, many
}

// withEnds adds low and high, where they lie beyond the points, with the most extreme ranks.
func withEnds(from, to []float64, low, high float64) (_, _ []float64) {
	if low < from[0] {
		from, to = slices.Insert(from, 0, low), slices.Insert(to, 0, portable.NormalQuantile(extreme))
	}
	if high > from[len(from)-1] {
		from, to = append(from, high), append(to, portable.NormalQuantile(1-extreme))
	}
	return from, to
}

// rankPoints returns the points that take the values of a sorted column to the
// normal quantiles of their mean ranks.
func rankPoints(column []float64) (from, to []float64) {
	n := len(column)
	due, step := 0, n/rankKnots
	for i := 0; i < n; {
		next := i + 1
		for next < n && column[next] == column[i] {
			next++
		}
		if i == 0 || next == n || next > due { // the ends, and about rankKnots between them
			p := float64(i+next) / float64(2*n)
			from = append(from, column[i])
			to = append(to, portable.NormalQuantile(min(max(p, extreme), 1-extreme)))
			due = next + step
		}
		i = next
	}
	return from, to
}

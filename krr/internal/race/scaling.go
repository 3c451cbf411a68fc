package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/schedule"
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

// scalingWays are the ways to scale a column, those that bend it last.
var scalingWays = [plainScalings + bentScalings]struct {
	name string
	of   func(column) columnScaling
}{{"robust", column.robust}, {"standard", column.standard}, {"clipped", column.clipped}, {"ranks", column.ranks}, {"logs", column.logs}}

// scalings returns the ways that differ for these rows: robust; standard; clipped,
// which is robust after confining columns to what 99 of 100 rows have; ranks, which
// takes the quantiles of a column to those of a normal; logs, which takes logarithms if some
// column spans orders of magnitude. The last three bend columns, and are left out without bend. The error
// is that of ctx.
func scalings(ctx context.Context, e blas.Engine, rows *trial.Rows, bend bool) (out []inputScaling, err error) {
	ways := scalingWays[:plainScalings]
	if bend {
		ways = scalingWays[:]
	}
	in, all := rows.X.Cols, make([][]columnScaling, len(ways))
	for i := range all {
		all[i] = make([]columnScaling, in)
	}
	parts := schedule.Workers(e.Workers)
	e.Each(parts, func(_ blas.Engine, part int) {
		values := make([]float64, rows.X.Rows)
		for j := part; j < in && ctx.Err() == nil; j += parts {
			dense.Column(values, rows.X, j)
			slices.Sort(values)
			for i, way := range ways {
				all[i][j] = way.of(column{values, rows.Low[j], rows.High[j]})
			}
		}
	})
	for i, way := range ways {
		if i < plainScalings || slices.ContainsFunc(all[i], func(c columnScaling) bool { return c.worth }) {
			out = append(out, inputScaling{name: way.name, Scaling: scalingOf(all[i])})
		}
	}
	return out, ctx.Err()
}

// scalingOf returns the scaling of columns by one way.
func scalingOf(columns []columnScaling) (s rff.Scaling) {
	for j, c := range columns {
		if c.scale != 0 {
			s.Shift, s.Scale = append(s.Shift, c.shift), append(s.Scale, c.scale)
		}
		if c.from != nil {
			if s.From == nil {
				s.From, s.To = make([][]float64, len(columns)), make([][]float64, len(columns))
			}
			s.From[j], s.To[j] = c.from, c.to
		}
	}
	return s
}

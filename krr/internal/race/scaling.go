package race

import (
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/trial"
)

// inputScaling is a way of scaling inputs that a search chooses from.
type inputScaling struct {
	name string
	rff.Scaling
}

// scalings returns the ways that differ for these rows: robust; standard; clipped,
// which is robust after confining columns to what 99 of 100 rows have; ranks, which
// takes the quantiles of a column to those of a normal; logs, which takes logarithms if some
// column spans orders of magnitude; and at last levels, which has a column per value of columns of
// few values beside the ranks.
func scalings(rows *trial.Rows) []inputScaling {
	robust := inputScaling{"robust", rows.RobustScaling()}
	out := []inputScaling{robust, {"standard", rows.StandardScaling()}}
	x := rows.X
	clip, ranks := robust.Scaling, rff.Scaling{From: make([][]float64, x.Cols), To: make([][]float64, x.Cols)}
	clip.From, clip.To = make([][]float64, x.Cols), make([][]float64, x.Cols)
	column := make([]float64, x.Rows)
	heavy, many := false, false
	copy(clip.From, robust.From) // columns that are held
	copy(clip.To, robust.To)
	for j := range x.Cols {
		rows.Column(column, j)
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
	if heavy {
		out = append(out, inputScaling{"clipped", clip})
	}
	if many {
		out = append(out, inputScaling{"ranks", ranks})
	}
	if logs, wide := logScaling(rows, robust.Scaling); wide {
		out = append(out, inputScaling{"logs", logs})
	}
	if levels, some := levelScaling(rows, ranks); some {
		out = append(out, inputScaling{levelsName, levels})
	}
	return out
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

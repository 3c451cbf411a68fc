package search

import (
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/krr/internal/sample"
)

// inputScaling is a way of scaling inputs that a search chooses from.
type inputScaling struct {
	name string
	rff.Scaling
}

// scalings returns the ways that differ for these rows: robust; standard; clipped,
// which is robust after confining columns to what 99 of 100 rows have; ranks, which
// takes the quantiles of a column to those of a normal; logs, of columns that span
// orders of magnitude.
func scalings(rows *sample.Rows) []inputScaling {
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
		ranks.From[j], ranks.To[j] = from, to
		many = many || len(from) > 2
		low, high := scaling.Quantile(column, 0.005), scaling.Quantile(column, 0.995)
		// Columns that hold one value but for a few rows have no such quantiles.
		if low < high && (rows.Low[j] < low || high < rows.High[j]) {
			clip.From[j], clip.To[j] = []float64{low, high}, []float64{low, high}
			heavy = heavy || rows.High[j]-high > (high-low)/4 || low-rows.Low[j] > (high-low)/4
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
	return out
}

// rankKnots is the most points of a column that is replaced by its ranks.
const rankKnots = 100

// rankPoints returns the points that take the values of a sorted column to the
// normal quantiles of their mean ranks, of which the most extreme are those of
// ranks ½/1000 and 1 − ½/1000.
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
			to = append(to, portable.NormalQuantile(min(max(p, 0.0005), 0.9995)))
			due = next + step
		}
		i = next
	}
	return from, to
}

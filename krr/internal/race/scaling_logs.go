package race

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/trial"
)

// logScaling takes every column with no negative value, and with logLevels different values or
// more, to log(1 + v/u), where u is the smallest value above 0. It scales all columns robustly.
// wide reports whether some column spans orders of magnitude. The scaling is of no use if ctx is done.
func logScaling(ctx context.Context, rows *trial.Rows, robust rff.Scaling) (logs rff.Scaling, wide bool) {
	x := rows.X
	logs = rff.Scaling{Shift: slices.Clone(robust.Shift), Scale: slices.Clone(robust.Scale), From: make([][]float64, x.Cols), To: make([][]float64, x.Cols)}
	copy(logs.From, robust.From) // columns that are held
	copy(logs.To, robust.To)
	column := make([]float64, x.Rows)
	for j := 0; j < x.Cols && ctx.Err() == nil; j++ {
		dense.Column(column, rows.X, j)
		slices.Sort(column)
		levels := slices.Compact(slices.Clone(column))
		if rows.Low[j] < 0 || len(levels) < logLevels {
			continue
		}
		if high := rows.High[j]; high > levels[len(levels)-1] { // rows outside the sample reach further
			levels = append(levels, high)
		}
		some := column[len(column)-positive(column):]
		unit, high := some[0], levels[len(levels)-1]
		if math.IsInf(high/unit, 1) {
			continue
		}
		wide = wide || high > wideSpan*some[len(some)/2]
		logs.From[j], logs.To[j] = logPoints(levels, unit)
		for i, v := range column {
			column[i] = log(v, unit)
		}
		logs.Shift[j], logs.Scale[j] = scaling.RobustSample(column, column[0], log(high, unit))
	}
	return logs, wide
}

// positive returns the number of values beyond 0 of a sorted column.
func positive(column []float64) int {
	at, _ := slices.BinarySearch(column, math.SmallestNonzeroFloat64)
	return len(column) - at
}

// log returns the number that takes the place of v ≥ 0.
func log(v, unit float64) float64 { return portable.Log(1 + v/unit) }

// logPoints returns points of log(1 + v/u) at some of the sorted levels, the ends
// among them.
func logPoints(levels []float64, unit float64) (from, to []float64) {
	last := len(levels) - 1
	step := (log(levels[last], unit) - log(levels[0], unit)) / logKnots
	for i, v := range levels {
		l := log(v, unit)
		if i == 0 || i == last || l >= to[len(to)-1]+step {
			from, to = append(from, v), append(to, l)
		}
	}
	return from, to
}

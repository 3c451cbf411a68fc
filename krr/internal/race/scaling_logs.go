package race

import (
	"math"
	"slices"

	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
)

// logs takes a column with no negative value, and with logLevels different values or more, to
// log(1 + v/u), where u is the smallest value above 0, and scales it robustly, as any other. It is
// worth a try if the column spans orders of magnitude.
func (c column) logs() columnScaling {
	levels := slices.Compact(slices.Clone(c.values))
	if c.low < 0 || len(levels) < logLevels {
		return c.robust()
	}
	if c.high > levels[len(levels)-1] { // rows outside the sample reach further
		levels = append(levels, c.high)
	}
	some := c.values[len(c.values)-positive(c.values):]
	unit, high := some[0], levels[len(levels)-1]
	if math.IsInf(high/unit, 1) {
		return c.robust()
	}
	logarithms := make([]float64, len(c.values))
	for i, v := range c.values {
		logarithms[i] = log(v, unit)
	}
	s := columnScaling{worth: high > wideSpan*some[len(some)/2]}
	s.from, s.to = logPoints(levels, unit)
	s.shift, s.scale = scaling.RobustSample(logarithms, logarithms[0], log(high, unit))
	return s
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

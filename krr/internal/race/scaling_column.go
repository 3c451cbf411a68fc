package race

import (
	"slices"

	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/scaling"
)

// column is a column of the rows, sorted, and its range in all rows, of which they are a sample.
type column struct {
	values    []float64
	low, high float64
}

// columnScaling is how a way scales a column: see rff.Scaling. A scale of 0 leaves it as it is bent.
type columnScaling struct {
	shift, scale float64
	from, to     []float64
	worth        bool // whether the column makes a way that bends columns worth a try
}

func (c column) robust() columnScaling { return c.held(scaling.RobustSample(c.values, c.low, c.high)) }

func (c column) standard() columnScaling { return c.held(scaling.Standard(c.values)) }

// held returns a scaling that does not bend the column, unless it has one value in all rows. It is then held at it.
func (c column) held(shift, scale float64) columnScaling {
	s := columnScaling{shift: shift, scale: scale}
	if c.low == c.high {
		s.from, s.to = []float64{c.low}, []float64{c.low}
	}
	return s
}

// clipped confines the column. It is worth a try if values lie far beyond.
func (c column) clipped() columnScaling {
	s := c.robust()
	low, high := scaling.Quantile(c.values, outer), scaling.Quantile(c.values, 1-outer)
	// A column that has one value in all but a few rows has no such quantiles.
	if low < high && (c.low < low || high < c.high) {
		s.from, s.to = []float64{low, high}, []float64{low, high}
		s.worth = c.high-high > heavyTail*(high-low) || low-c.low > heavyTail*(high-low)
	}
	return s
}

// ranks is worth a try for more than two values.
func (c column) ranks() columnScaling {
	from, to := rankPoints(c.values)
	if len(from) == 1 { // one point would hold a column that varies in other rows than these
		from, to = withEnds(from, to, c.low, c.high)
	}
	return columnScaling{from: from, to: to, worth: len(from) > 2}
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

package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// A name at the end of a curve is nameHeight pixels high, and takes at most mostMargin pixels to
// the right.
const (
	nameHeight = 13
	mostMargin = 136
)

// margin is the width of the names at the ends, to the right of the picture.
func (c *Chart) margin() int {
	if !c.Ends {
		return 0
	}
	longest := 0
	for _, s := range c.Series {
		longest = max(longest, len([]rune(s.Name)))
	}
	return min(mostMargin, 16+6*longest)
}

// ends writes the name of each curve beside its last point. Names that would touch are
// moved apart, in the order of the curves, and a line leads to each.
func (c *Chart) ends(b *strings.Builder, x, y *axis, edge float64) {
	type name struct {
		series     int
		fromX, own float64 // of the last point
		at         float64
	}
	var names []name
	for i, s := range c.Series {
		if n := len(s.Points); n > 0 {
			py := y.at(s.Points[n-1].Y)
			names = append(names, name{i, x.at(s.Points[n-1].X), py, py})
		}
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.own, b.own) })
	// Least squares under the order: names that would touch are pooled around their mean.
	type pool struct{ sum, n float64 }
	var pools []pool
	for i, n := range names {
		now := pool{n.own - float64(i*nameHeight), 1}
		for k := len(pools) - 1; k >= 0 && pools[k].sum/pools[k].n > now.sum/now.n; k-- {
			now = pool{now.sum + pools[k].sum, now.n + pools[k].n}
			pools = pools[:k]
		}
		pools = append(pools, now)
	}
	i := 0
	for _, p := range pools {
		for range int(p.n) {
			lowest := float64(height - bottom - (len(names)-1-i)*nameHeight)
			names[i].at = min(lowest, max(p.sum/p.n, top)+float64(i*nameHeight))
			i++
		}
	}
	for _, n := range names {
		s := c.Series[n.series]
		fmt.Fprintf(b, `<g style="--c: %s"><path class="lead" d="M%.1f %.1fL%.1f %.1fL%.1f %.1f"/><text class="end" x="%.1f" y="%.1f">%s</text></g>`,
			colorOf(s.Style), n.fromX+5, n.own, max(n.fromX+5, edge), n.own, edge+9, n.at, edge+12, n.at+4, html.EscapeString(brief(s.Name)))
	}
}

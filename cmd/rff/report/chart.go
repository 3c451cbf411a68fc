package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Chart is a line chart.
type Chart struct {
	ID     string    `json:"-"` // unique on the page
	Title  string    `json:"title"`
	XLabel string    `json:"x"` // with the unit
	YLabel string    `json:"y"`
	Most   float64   `json:"-"` // the end of the y axis; 0: as the points have it
	Lines  []float64 `json:"-"` // heights of lines across the picture, as at 0 or 1
	Wide   bool      `json:"-"` // it has a row of the page for itself
	Ends   bool      `json:"-"` // name the curves at their right ends
	LogX   bool      `json:"-"`
	LogY   bool      `json:"-"`
	Note   string    `json:"-"` // below the picture
	Keys   bool      `json:"-"` // name the curves above it
	Dodge  float64   `json:"-"` // pixels between the points of two curves at the same x
	Series []Series  `json:"series"`
}

// Series is one curve.
type Series struct {
	Name   string  `json:"name"`
	Style  int     `json:"-"` // of colour, marker and dashes
	Points []Point `json:"points"`
	Apart  bool    `json:"-"` // points without a curve
	Bare   bool    `json:"-"` // a curve without points
	Cloud  bool    `json:"-"` // many points, as dots
}

// Point is a value with a spread, drawn as a bar of ± Spread.
type Point struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Spread float64 `json:"spread"`
}

// A chart is drawn as wide as it appears on a wide page, so that its letters can still be read
// on a telephone.
const (
	width, height = 460, 320
	left, right   = 66, 12
	top, bottom   = 12, 50
)

// axis maps values to pixels.
type axis struct {
	lo, hi   float64 // of the transformed values
	log      bool
	from, to float64 // pixels
	ticks    []float64
}

func (a *axis) transform(v float64) float64 {
	if a.log {
		return math.Log2(v)
	}
	return v
}

func (a *axis) at(v float64) float64 {
	return a.from + (a.transform(v)-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

// newAxis returns an axis that covers the values, with some room and round ticks. Values must be
// positive for a logarithmic axis.
func newAxis(values []float64, log bool, from, to float64, exact bool) *axis {
	a := &axis{log: log, from: from, to: to}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo > hi {
		lo, hi = 1, 2
	}
	switch {
	case exact: // one tick per distinct value, as for numbers of features
		seen := map[float64]bool{}
		for _, v := range values {
			if !seen[v] {
				seen[v] = true
				a.ticks = append(a.ticks, v)
			}
		}
	case log:
		a.ticks = logTicks(lo, hi, 1, 2, 5)
		if len(a.ticks) < 4 {
			a.ticks = logTicks(lo, hi, 1, 2, 3, 5, 7)
		}
		if len(a.ticks) > 8 {
			var tens []float64
			for _, t := range a.ticks {
				if l := math.Log10(t); math.Abs(l-math.Round(l)) < 1e-9 {
					tens = append(tens, t)
				}
			}
			a.ticks = nil
			for i := 0; i < len(tens); i += (len(tens) + 7) / 8 {
				a.ticks = append(a.ticks, tens[i])
			}
		}
	default:
		step := niceStep((hi - lo) / 5)
		for k := math.Floor(lo / step); k*step < hi+step*0.9999; k++ { // sums of steps would miss 0
			a.ticks = append(a.ticks, k*step)
		}
		lo, hi = min(lo, a.ticks[0]), max(hi, a.ticks[len(a.ticks)-1])
	}
	a.lo, a.hi = a.transform(lo), a.transform(hi)
	if a.hi-a.lo < 1e-9 {
		a.lo, a.hi = a.lo-0.5, a.hi+0.5
	}
	if log {
		room := 0.06 * (a.hi - a.lo)
		a.lo, a.hi = a.lo-room, a.hi+room
		a.ticks = slices.DeleteFunc(a.ticks, func(t float64) bool { return a.transform(t) < a.lo || a.transform(t) > a.hi })
		if step := niceStep((hi - lo) / 4); len(a.ticks) < 2 && !exact && hi > lo { // within an octave or so
			a.ticks = nil
			for t := math.Ceil(lo/step) * step; t <= hi; t += step {
				a.ticks = append(a.ticks, t)
			}
		}
	}
	return a
}

// logTicks returns the products of powers of ten with numbers, near lo to hi.
func logTicks(lo, hi float64, numbers ...float64) (ticks []float64) {
	for d := math.Floor(math.Log10(lo)); d <= math.Ceil(math.Log10(hi)); d++ {
		for _, m := range numbers {
			if t := m * math.Pow(10, d); t >= lo*0.8 && t <= hi*1.25 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v {
			return m * p
		}
	}
	return 10 * p
}

// label writes a tick with six digits, in few letters: beside it stands the title of the axis, or
// the edge of the picture.
func label(v float64) string {
	text := strconv.FormatFloat(v, 'g', 6, 64)
	v, err := strconv.ParseFloat(text, 64) // without what is left of sums
	if size := math.Abs(v); err != nil || v == 0 || size >= 1e-3 && size < 1e5 {
		return text
	}
	power := strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(strconv.FormatFloat(v, 'e', -1, 64))
	if len(text) < len(power) {
		return text
	}
	return power
}

// The text of a chart names at most mostSaid points of a curve.
const mostSaid = 50

// text says in words what the chart shows.
func (c *Chart) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s.", c.YLabel, c.XLabel)
	for _, s := range c.Series {
		if len(s.Points) > mostSaid {
			fmt.Fprintf(&b, " %s: %d points.", s.Name, len(s.Points))
			continue
		}
		fmt.Fprintf(&b, " %s:", s.Name)
		for k, p := range s.Points {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s at %s", short(p.Y), short(p.X))
		}
		b.WriteByte('.')
	}
	return b.String()
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// yTitle is the title of the y axis. It says if the axis is logarithmic, because the distance of
// a point from the lower end of such an axis means nothing.
func (c *Chart) yTitle() string {
	if c.LogY {
		return c.YLabel + ", logarithmic"
	}
	return c.YLabel
}

// svg draws the chart.
func (c *Chart) svg() string {
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			xs = append(xs, p.X)
			ys = append(ys, p.Y-p.Spread, p.Y+p.Spread)
		}
	}
	ys = append(ys, c.Lines...)
	edge := float64(width - right - c.margin())
	x := newAxis(xs, c.LogX, left, edge, c.LogX && integers(xs))
	y := newAxis(ys, c.LogY, height-bottom, top, false)
	if c.Most > 0 && y.hi > c.Most && !c.LogY {
		y.hi = c.Most
		y.ticks = slices.DeleteFunc(y.ticks, func(t float64) bool { return t > c.Most })
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-labelledby="%s-title %s-text"><title id="%s-title">%s</title><desc id="%s-text">%s</desc>`,
		width, height, c.ID, c.ID, c.ID, html.EscapeString(c.Title), c.ID, html.EscapeString(c.text()))
	for _, t := range y.ticks {
		py := y.at(t)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%g" y2="%.1f"/><text class="tick" x="%d" y="%.1f" text-anchor="end">%s</text>`,
			left, py, edge, py, left-7, py+4, label(t))
	}
	for _, t := range x.ticks {
		px := x.at(t)
		fmt.Fprintf(&b, `<line class="mark" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text class="tick" x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			px, height-bottom, px, height-bottom+4, px, height-bottom+18, label(t))
	}
	fmt.Fprintf(&b, `<line class="axis" x1="%d" y1="%d" x2="%g" y2="%d"/>`, left, height-bottom, edge, height-bottom)
	for _, v := range c.Lines {
		fmt.Fprintf(&b, `<line class="axis" x1="%d" y1="%.1f" x2="%g" y2="%.1f"/>`, left, y.at(v), edge, y.at(v))
	}
	fmt.Fprintf(&b, `<text class="name" x="%g" y="%d" text-anchor="middle">%s</text>`, (left+edge)/2, height-8, html.EscapeString(c.XLabel))
	fmt.Fprintf(&b, `<text class="name" x="14" y="%d" text-anchor="middle" transform="rotate(-90 14 %d)">%s</text>`, (top+height-bottom)/2, (top+height-bottom)/2, html.EscapeString(c.yTitle()))
	for i := range c.Series {
		c.curve(&b, i, x, y)
	}
	if c.Ends {
		c.ends(&b, x, y, edge)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// curve draws a curve with its points.
func (c *Chart) curve(b *strings.Builder, i int, x, y *axis) {
	s := c.Series[i]
	shift := c.Dodge * (float64(i) - float64(len(c.Series)-1)/2)
	var path strings.Builder
	for k, p := range s.Points {
		op := "L"
		if k == 0 || s.Cloud {
			op = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", op, x.at(p.X)+shift, y.at(p.Y))
		if s.Cloud {
			path.WriteString("h0")
		}
	}
	fmt.Fprintf(b, `<g style="--c: %s">`, colorOf(s.Style))
	if s.Cloud {
		fmt.Fprintf(b, `<path class="cloud" d="%s"/>`, path.String())
	} else if !s.Apart {
		fmt.Fprintf(b, `<path class="curve" stroke-dasharray="%s" d="%s"/>`, dashes[s.Style%len(dashes)], path.String())
	}
	for _, p := range s.Points {
		if s.Bare || s.Cloud {
			break
		}
		px := x.at(p.X) + shift
		if p.Spread > 0 {
			high, low := max(float64(top), y.at(p.Y+p.Spread)), min(float64(height-bottom), y.at(p.Y-p.Spread))
			fmt.Fprintf(b, `<path class="spread" d="M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f"/>`, px, high, px, low, px-2.5, high, px+2.5, high, px-2.5, low, px+2.5, low)
		}
		fmt.Fprintf(b, `<g><title>%s: %s at %s</title>%s</g>`, html.EscapeString(s.Name), short(p.Y), short(p.X), marker(s.Style, px, y.at(p.Y)))
	}
	b.WriteString(`</g>`)
}

func integers(v []float64) bool {
	for _, x := range v {
		if x != math.Trunc(x) {
			return false
		}
	}
	return true
}

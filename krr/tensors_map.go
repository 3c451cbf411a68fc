package krr

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// addScaling stores an input scaling.
func (t *tensors) addScaling(s rff.Scaling) {
	t.Add("scaling.shift", s.Shift)
	t.Add("scaling.scale", s.Scale)
	if s.From == nil {
		return
	}
	points := make([]int, len(s.From))
	for j := range points {
		points[j] = len(s.From[j])
	}
	t.AddInts("scaling.points", points)
	t.Add("scaling.from", slices.Concat(s.From...))
	t.Add("scaling.to", slices.Concat(s.To...))
}

// scalingText returns a text that is the same for equal scalings only.
func scalingText(s rff.Scaling) string {
	text := fmt.Sprintf("%x %x", s.Shift, s.Scale)
	if s.From != nil {
		text += fmt.Sprintf(" %x %x", s.From, s.To)
	}
	return text
}

// readPoints reads the points by which a scaling bends columns.
func (p *parsed) readPoints(dim int) (from, to [][]float64) {
	points, n := p.Ints("scaling.points", dim), 0
	for _, k := range points {
		if k < 0 || k > math.MaxInt32 {
			p.Bad("a column is bent at %d points", k)
		}
		n += max(0, k)
	}
	from, to = make([][]float64, dim), make([][]float64, dim)
	if n == 0 {
		return from, to
	}
	x, y := p.Vector("scaling.from", n), p.Vector("scaling.to", n)
	if p.Err() != nil {
		return nil, nil
	}
	for j, k := range points {
		if k > 0 {
			from[j], to[j], x, y = x[:k:k], y[:k:k], x[k:], y[k:]
		}
	}
	return from, to
}

func (p *parsed) readScaling(dim int) (s rff.Scaling) {
	s.Shift, s.Scale = p.Optional("scaling.shift", dim), p.Optional("scaling.scale", dim)
	if p.Has("scaling.points") {
		s.From, s.To = p.readPoints(dim)
	}
	if err := inside.CheckScaling(s, dim); err != nil {
		p.Bad("%v", err)
	}
	return s
}

// readPrecision returns the precision that the file names.
func (p *parsed) readPrecision() (*stream.Precision, error) {
	name := Precision(p.Meta["precision"])
	d, err := name.described()
	if err != nil || name == "" {
		return nil, p.Bad("unknown precision %q", name)
	}
	return d, nil
}

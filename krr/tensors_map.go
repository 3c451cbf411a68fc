package krr

import (
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/stream"
)

// readFeatures reads the map.
func (p *parsed) readFeatures() (*rff.Map, error) {
	m, err := mapfile.Map(p.File)
	if err == nil && older(p.Meta["version"], versionOfTrees(m)) {
		return nil, p.Bad("format version %q does not go with its trees", p.Meta["version"])
	}
	return m, err
}

// versionOfTrees returns the least version of a file that has a map, or "" if the map has no trees.
func versionOfTrees(m *rff.Map) (version string) {
	if inside.Trees(m) == 0 {
		return ""
	}
	version = treesVersion
	for _, b := range inside.Spec(m).Blocks {
		switch {
		case b.Trees == nil:
		case b.Trees.Tanh:
			return tanhVersion
		case b.Trees.Width != nil:
			version = ownVersion
		}
	}
	return version
}

// addScaling stores an input scaling.
func (t *tensors) addScaling(s rff.Scaling) {
	t.Add("scaling.shift", s.Shift)
	t.Add("scaling.scale", s.Scale)
	if s.From == nil {
		return
	}
	t.Meta["version"] = bentVersion
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
	version := p.Meta["version"]
	if bent := p.Has("scaling.points"); bent != (version == bentVersion) && older(version, schemaVersion) {
		p.Bad("format version %q does not go with its scaling", version)
	} else if bent {
		s.From, s.To = p.readPoints(dim)
	}
	if err := inside.CheckScaling(s, dim); err != nil {
		p.Bad("%v", err)
	}
	return s
}

// readPrecision returns the precision of sums of the features of m, or of a model (m is nil). same
// reports whether the file names that precision, and not one that another has replaced since.
func (p *parsed) readPrecision(m *rff.Map) (d *stream.Precision, same bool, err error) {
	name := Precision(p.Meta["precision"])
	if d, err = name.described(); err != nil || name == "" {
		return nil, false, p.Bad("unknown precision %q", name)
	}
	if m != nil {
		d = d.For(m)
	}
	return d, nameOf(d) == name, nil
}

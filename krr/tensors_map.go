package krr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/safetensors"
)

// mapPrefix is before the names that a map gives its texts and arrays.
const mapPrefix = "map."

// addMap stores what a map says it is.
func (t *tensors) addMap(m *rff.Map) {
	texts, arrays := mapfile.Of(m)
	for key, text := range texts {
		t.Meta[mapPrefix+key] = text
	}
	for _, a := range arrays {
		t.List = append(t.List, safetensors.Tensor{Name: mapPrefix + a.Name, Shape: a.Shape, F64: a.Float, I64: a.Int})
	}
}

// readMap rebuilds a map, which checks itself against its fingerprint.
func (p *parsed) readMap() (*rff.Map, error) {
	texts := map[string]string{}
	for key, text := range p.Meta {
		if name, ok := strings.CutPrefix(key, mapPrefix); ok {
			texts[name] = text
		}
	}
	var arrays []mapfile.Tensor
	for _, a := range p.Tensors() {
		if name, ok := strings.CutPrefix(a.Name, mapPrefix); ok {
			arrays = append(arrays, mapfile.Tensor{Name: name, Shape: a.Shape, Float: a.F64, Int: a.I64})
		}
	}
	m, err := mapfile.Map(texts, arrays)
	if err != nil {
		return nil, p.Bad("its feature map is not valid: %v", err)
	}
	return m, nil
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

// scalingText tells scalings apart.
func scalingText(s rff.Scaling) string {
	text := fmt.Sprintf("%x %x", s.Shift, s.Scale)
	if s.From != nil {
		text += fmt.Sprintf(" %x %x", s.From, s.To)
	}
	return text
}

// readPoints reads what columns are bent by.
func (p *parsed) readPoints(dim int) (from, to [][]float64, err error) {
	points, err := p.Ints("scaling.points", dim)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for _, k := range points {
		if k < 0 || k > math.MaxInt32 {
			return nil, nil, p.Bad("a column is bent at %d points", k)
		}
		n += k
	}
	from, to = make([][]float64, dim), make([][]float64, dim)
	if n == 0 {
		return from, to, nil
	}
	x, err := p.Vector("scaling.from", n)
	if err != nil {
		return nil, nil, err
	}
	y, err := p.Vector("scaling.to", n)
	if err != nil {
		return nil, nil, err
	}
	for j, k := range points {
		if k > 0 {
			from[j], to[j], x, y = x[:k:k], y[:k:k], x[k:], y[k:]
		}
	}
	return from, to, nil
}

func (p *parsed) readScaling(dim int) (s rff.Scaling, err error) {
	if s.Shift, err = p.Optional("scaling.shift", dim); err != nil {
		return s, err
	}
	if s.Scale, err = p.Optional("scaling.scale", dim); err != nil {
		return s, err
	}
	version := p.Meta["version"]
	if bent := p.Has("scaling.points"); bent != (version == bentVersion) && version != schemaVersion && version != timesVersion {
		return s, p.Bad("format version %q does not go with its scaling", version)
	} else if bent {
		if s.From, s.To, err = p.readPoints(dim); err != nil {
			return s, err
		}
	}
	if err := inside.CheckScaling(s, dim); err != nil {
		return s, p.Bad("%v", err)
	}
	return s, nil
}

// readPrecision returns the precision of a map, whose sums perhaps change their basis, and
// whether it was as it is now.
func (p *parsed) readPrecision(changed bool) (d *stream.Precision, same bool, err error) {
	name := Precision(p.Meta["precision"])
	if d, err = name.described(changed); err != nil || name == "" {
		return nil, false, p.Bad("unknown precision %q", name)
	}
	return d, nameOf(d) == name, nil
}

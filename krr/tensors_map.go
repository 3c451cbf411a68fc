package krr

import (
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/mapfile"
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
}

func (p *parsed) readScaling(dim int) (s rff.Scaling, err error) {
	if s.Shift, err = p.Optional("scaling.shift", dim); err != nil {
		return s, err
	}
	if s.Scale, err = p.Optional("scaling.scale", dim); err != nil {
		return s, err
	}
	if err := s.Check(dim); err != nil {
		return s, p.Bad("%v", err)
	}
	return s, nil
}

func parsePrecision(s string) (Precision, bool) {
	switch s {
	case "float64":
		return Float64, true
	case "float32":
		return Float32, true
	}
	return 0, false
}

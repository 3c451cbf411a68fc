package krr

import (
	"strings"

	"github.com/rffgo/rff"
)

// mapPrefix is before the names that a map gives its texts and arrays.
const mapPrefix = "map."

// addMap stores what a map says it is.
func (t *tensors) addMap(m *rff.Map) {
	texts, arrays := m.Tensors()
	for key, text := range texts {
		t.meta[mapPrefix+key] = text
	}
	for _, a := range arrays {
		t.list = append(t.list, tensor{name: mapPrefix + a.Name, shape: a.Shape, f64: a.Float, i64: a.Int})
	}
}

// readMap rebuilds a map, which checks itself against its fingerprint.
func (p *parsed) readMap() (*rff.Map, error) {
	texts := map[string]string{}
	for key, text := range p.meta {
		if name, ok := strings.CutPrefix(key, mapPrefix); ok {
			texts[name] = text
		}
	}
	var arrays []rff.Tensor
	for key, e := range p.list {
		if name, ok := strings.CutPrefix(key, mapPrefix); ok {
			a := rff.Tensor{Name: name, Shape: e.Shape, Int: e.i64}
			if e.Dtype == "F64" {
				a.Float = [][]float64{e.f64}
			}
			arrays = append(arrays, a)
		}
	}
	m, err := rff.MapFromTensors(texts, arrays)
	if err != nil {
		return nil, p.bad("its feature map is not valid: %v", err)
	}
	return m, nil
}

// addScaling stores an input scaling.
func (t *tensors) addScaling(s rff.Scaling) {
	t.add("scaling.shift", s.Shift)
	t.add("scaling.scale", s.Scale)
}

func (p *parsed) readScaling(dim int) (s rff.Scaling, err error) {
	if s.Shift, err = p.optional("scaling.shift", dim); err != nil {
		return s, err
	}
	if s.Scale, err = p.optional("scaling.scale", dim); err != nil {
		return s, err
	}
	if err := s.Check(dim); err != nil {
		return s, p.bad("%v", err)
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

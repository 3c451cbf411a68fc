package rff

import (
	"math"
	"strconv"
)

// Scaling is a map of each input column, x → (bent(x) − Shift)/Scale. Package
// dataset fits it to training rows, and a model applies it to the rows it predicts.
// Its slices must not be modified. The zero Scaling changes nothing.
type Scaling struct {
	// From and To bend columns: column j goes through the points (From[j][k],
	// To[j][k]), straight between them and constant beyond, for heavy tails that are
	// clipped (two points), replaced by ranks (many), or held at the one value that they
	// had in training (one). From[j] ascends. nil, or nil for a column: nothing is bent.
	From, To [][]float64
	Shift    []float64 // one per column, nil for zeros
	Scale    []float64 // one per column, nil for ones; a constant column has 1, which maps it to 0
}

// IsIdentity reports whether s has neither points, shifts nor scales.
func (s Scaling) IsIdentity() bool { return s.From == nil && s.Shift == nil && s.Scale == nil }

// Held returns the columns that are held at one value: what they hold changes nothing.
func (s Scaling) Held() []int {
	var held []int
	for j, from := range s.From {
		if len(from) == 1 {
			held = append(held, j)
		}
	}
	return held
}

// Check returns a *ParameterError unless s has dim shifts and dim scales, or none,
// all finite and no scale zero.
func (s Scaling) Check(dim int) error {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"shift", s.Shift}, {"scale", s.Scale}} {
		if v.values != nil && len(v.values) != dim {
			return &ParameterError{Name: v.name, Value: len(v.values), Need: "needs one value for each of the " + strconv.Itoa(dim) + " columns"}
		}
		for j, x := range v.values {
			if math.IsNaN(x) || math.IsInf(x, 0) || (v.name == "scale" && x == 0) {
				return &ParameterError{Name: v.name + "[" + strconv.Itoa(j) + "]", Value: x, Need: "must be finite, and a scale not zero"}
			}
		}
	}
	return s.checkPoints(dim)
}

// checkPoints checks From and To.
func (s Scaling) checkPoints(dim int) error {
	if s.From == nil && s.To == nil {
		return nil
	}
	if len(s.From) != dim || len(s.To) != dim {
		return &ParameterError{Name: "from and to", Value: len(s.From), Need: "needs points for each of the " + strconv.Itoa(dim) + " columns"}
	}
	for j, from := range s.From {
		if len(s.To[j]) != len(from) {
			return &ParameterError{Name: "to[" + strconv.Itoa(j) + "]", Value: len(s.To[j]), Need: "needs as many points as from: " + strconv.Itoa(len(from))}
		}
		for k, x := range from {
			if y := s.To[j][k]; x-x != 0 || y-y != 0 || (k > 0 && !(from[k-1] < x)) {
				return &ParameterError{Name: "from[" + strconv.Itoa(j) + "]", Value: x, Need: "points must be finite and ascend"}
			}
		}
	}
	return nil
}

package rff

import (
	"math"
	"strconv"
)

// Scaling is an affine map of each input column, x → (x − Shift)/Scale. Package
// dataset fits it to training rows, and a model applies it to the rows it predicts.
// Its slices must not be modified. The zero Scaling changes nothing.
type Scaling struct {
	Shift []float64 // one per column, nil for zeros
	Scale []float64 // one per column, nil for ones; a constant column has 1, which maps it to 0
}

// IsIdentity reports whether s has neither shifts nor scales.
func (s Scaling) IsIdentity() bool { return s.Shift == nil && s.Scale == nil }

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
	return nil
}

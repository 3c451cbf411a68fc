package inside

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/reach"
)

// Width returns the number of inputs that a column becomes.
func Width(c rff.Column) int { return hook.Width(c) }

// Title names column i of a schema for people: by its name, or its number.
func Title(s rff.Schema, i int) string { return hook.Title(s, i) }

// CheckSchema returns a *rff.ParameterError unless s is the schema of in inputs of a map.
func CheckSchema(s rff.Schema, in int) error { return hook.CheckSchema(s, in) }

// Observed returns s with what was seen in rows: what stands for missing values, and the
// least and the largest number, one of each for every input of a map. nil: not known.
func Observed(s rff.Schema, fill, low, high []float64) rff.Schema {
	if fill == nil && low == nil {
		return s
	}
	s.Inputs = slices.Clone(s.Inputs)
	at := 0
	for i := range s.Inputs {
		c := &s.Inputs[i]
		to := at + Width(*c)
		if fill != nil {
			c.Fill = slices.Clone(fill[at:to])
		}
		if c.Words == nil && low != nil && low[at] <= high[at] { // of times, that of the first input
			c.Range = []float64{low[at], high[at]}
		}
		at = to
	}
	return s
}

// IsIdentity reports whether a scaling has neither points, shifts nor scales.
func IsIdentity(s rff.Scaling) bool { return s.From == nil && s.Shift == nil && s.Scale == nil }

// Held returns the columns that are held at one value: what they hold changes nothing.
func Held(s rff.Scaling) []int {
	var held []int
	for j, from := range s.From {
		if len(from) == 1 {
			held = append(held, j)
		}
	}
	return held
}

// CheckScaling returns a *rff.ParameterError unless s has dim
// shifts and dim scales, or none, all finite and no scale zero.
func CheckScaling(s rff.Scaling, dim int) error {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"shift", s.Shift}, {"scale", s.Scale}} {
		if v.values != nil && len(v.values) != dim {
			return &rff.ParameterError{Name: v.name, Value: len(v.values), Need: "needs one value for each of the " + strconv.Itoa(dim) + " columns"}
		}
		for j, x := range v.values {
			if math.IsNaN(x) || math.IsInf(x, 0) || (v.name == "scale" && x == 0) {
				return &rff.ParameterError{Name: v.name + "[" + strconv.Itoa(j) + "]", Value: x, Need: "must be finite, and a scale not zero"}
			}
		}
	}
	return checkPoints(s, dim)
}

// checkPoints checks From and To.
func checkPoints(s rff.Scaling, dim int) error {
	if s.From == nil && s.To == nil {
		return nil
	}
	if len(s.From) != dim || len(s.To) != dim {
		return &rff.ParameterError{Name: "from and to", Value: len(s.From), Need: "needs points for each of the " + strconv.Itoa(dim) + " columns"}
	}
	for j, from := range s.From {
		if len(s.To[j]) != len(from) {
			return &rff.ParameterError{Name: "to[" + strconv.Itoa(j) + "]", Value: len(s.To[j]), Need: "needs as many points as from: " + strconv.Itoa(len(from))}
		}
		for k, x := range from {
			if y := s.To[j][k]; x-x != 0 || y-y != 0 || (k > 0 && !(from[k-1] < x)) {
				return &rff.ParameterError{Name: "from[" + strconv.Itoa(j) + "]", Value: x, Need: "points must be finite and ascend"}
			}
		}
	}
	return nil
}

// HeaviestWeight is the largest weight of a row that sums of any precision hold. The smallest is
// one over it.
const HeaviestWeight = 0x1p100

// CheckValues returns a *rff.ValueError for a number of b that cannot be used: an input or, if
// targets is set, a target that is not finite, or a weight that no sums hold.
func CheckValues(b rff.Batch, targets bool) error {
	if err := CheckFinite("input", b.X, b.First); err != nil {
		return err
	}
	if targets {
		if err := CheckFinite("target", b.Y, b.First); err != nil {
			return err
		}
	}
	for i, w := range b.Weight {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &rff.ValueError{Row: b.First + int64(i), Column: "weight", Value: w, Need: "must be finite and not negative"}
		}
		if w > HeaviestWeight || w != 0 && w < 1/HeaviestWeight {
			return &rff.ValueError{Row: b.First + int64(i), Column: "weight", Value: w,
				Need: fmt.Sprintf("sums hold weights from %.2g to %.2g: rescale the weights", 1/HeaviestWeight, HeaviestWeight)}
		}
	}
	return nil
}

// CheckFinite returns a *rff.ValueError for the first NaN or infinity of x, whose columns are inputs or
// targets and whose rows are rows first, first+1, … of the data.
func CheckFinite(what string, x blas.General[float64], first int64) error {
	if i, j := dense.NotFinite(x); i >= 0 {
		return &rff.ValueError{Row: first + int64(i), Column: what + " " + strconv.Itoa(j+1), Value: x.Row(i)[j], Need: reach.Finite}
	}
	return nil
}

// CheckPositive returns a *rff.ParameterError unless a parameter is positive and finite.
func CheckPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return &rff.ParameterError{Name: name, Value: v, Need: "must be positive and finite"}
	}
	return nil
}

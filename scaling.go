package rff

import (
	"math"
	"strconv"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
)

// Scaling is a map of each input column, x → (bent(x) − Shift)/Scale: what
// fitting a min-max or standard scaling on training rows gives, and what a model
// applies to raw rows. Its slices must not be modified. The zero Scaling is the
// identity.
type Scaling struct {
	// From and To bend columns: column j goes through the points (From[j][k],
	// To[j][k]), straight between them and constant beyond, for heavy tails that are
	// clipped (two points) or replaced by ranks (many). From[j] ascends. nil, or nil
	// for a column: nothing is bent.
	From, To [][]float64
	Shift    []float64 // one per column, nil for zeros
	Scale    []float64 // one per column, nil for ones; a constant column has 1, which maps it to 0
}

// IsIdentity reports whether s has neither shift nor scale.
func (s Scaling) IsIdentity() bool { return s.From == nil && s.Shift == nil && s.Scale == nil }

// Check returns a *ParameterError unless s fits dim columns, with finite shifts
// and finite positive or negative scales.
func (s Scaling) Check(dim int) error {
	for _, v := range []struct {
		name   string
		values []float64
	}{{"shift", s.Shift}, {"scale", s.Scale}} {
		if v.values != nil && len(v.values) != dim {
			return &ParameterError{v.name, len(v.values), "needs one value for each of the " + strconv.Itoa(dim) + " columns"}
		}
		for j, x := range v.values {
			if math.IsNaN(x) || math.IsInf(x, 0) || (v.name == "scale" && x == 0) {
				return &ParameterError{v.name + "[" + strconv.Itoa(j) + "]", x, "must be finite, and a scale not zero"}
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
		return &ParameterError{"from and to", len(s.From), "needs points for each of the " + strconv.Itoa(dim) + " columns"}
	}
	for j, from := range s.From {
		if len(s.To[j]) != len(from) {
			return &ParameterError{"to[" + strconv.Itoa(j) + "]", len(s.To[j]), "needs as many points as from: " + strconv.Itoa(len(from))}
		}
		for k, x := range from {
			if y := s.To[j][k]; x-x != 0 || y-y != 0 || (k > 0 && !(from[k-1] < x)) {
				return &ParameterError{"from[" + strconv.Itoa(j) + "]", x, "points must be finite and ascend"}
			}
		}
	}
	return nil
}

// Row writes the scaled row x to dst, which may be x. It panics if the lengths differ.
func (s Scaling) Row(dst, x []float64) { scaleRow(s, dst, x) }

// ApplyScaling writes the scaled rows of x to dst, which may be x. The
// arithmetic is float64 for every element type. It panics if the sizes differ.
func ApplyScaling[T blas.Float](s Scaling, dst, x blas.General[T]) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols {
		panic(errScaling)
	}
	for i := range x.Rows {
		scaleRow(s, dst.Row(i), x.Row(i))
	}
}

func scaleRow[T blas.Float](s Scaling, dst, x []T) {
	if len(dst) != len(x) || (s.Shift != nil && len(s.Shift) != len(x)) || (s.Scale != nil && len(s.Scale) != len(x)) || (s.From != nil && (len(s.From) != len(x) || len(s.To) != len(x))) {
		panic(errScaling)
	}
	if s.From != nil {
		scaling.Bent(s.From, s.To, s.Shift, s.Scale, dst, x)
		return
	}
	scaling.Row(s.Shift, s.Scale, dst, x)
}

package rff_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
)

// At the limit of an input the spacing of numbers at ωx is a radian to some: 2π in
// the units of 2^(bits of the mantissa).
func TestInputLimits(t *testing.T) {
	m, err := rff.FromFrequencies(mat.NewDense(1, 2, []float64{2, -0.5}), nil, nil, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	for single, bits := range map[bool]float64{false: 52, true: 23} {
		for j, w := range []float64{2, 0.5} {
			if got, want := m.InputLimits(single)[j], 2*math.Pi*math.Exp2(bits)/w; math.Abs(got/want-1) > 1e-15 {
				t.Errorf("input %d, single %v: %v, want %v", j, single, got, want)
			}
		}
	}
}

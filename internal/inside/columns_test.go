package inside_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// A column of one point is held.
func TestHeld(t *testing.T) {
	s := rff.Scaling{From: [][]float64{{1}, {2}, nil, {1, 3}}}
	if held := inside.Held(s); !slices.Equal(held, []int{0, 1}) {
		t.Error(held)
	}
}

func TestScaling(t *testing.T) {
	s := rff.Scaling{Shift: []float64{1, 2}, Scale: []float64{2, -4}}
	if err := inside.CheckScaling(s, 2); err != nil {
		t.Fatal(err)
	}
	var id rff.Scaling
	if !inside.IsIdentity(id) || inside.IsIdentity(s) || inside.CheckScaling(id, 7) != nil {
		t.Error("the zero scaling is not the identity")
	}
	for _, bad := range []rff.Scaling{{Shift: []float64{1}}, {Scale: []float64{0, 1}}, {Scale: []float64{math.NaN(), 1}}, {Shift: []float64{1, math.Inf(1)}}} {
		var p *rff.ParameterError
		if err := inside.CheckScaling(bad, 2); !errors.As(err, &p) {
			t.Errorf("%v passes: %v", bad, err)
		}
	}
}

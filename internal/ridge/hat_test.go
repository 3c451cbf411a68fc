package ridge

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

// Rows may be in float32 where that moves no leverage by more than 2⁻⁸: not for a λ
// below, of however many beside it.
func TestHatIsRough(t *testing.T) {
	d := []float64{.01, .2, .7, 2, 9}
	s, _ := spectral(t, d, 1, 100)
	square := 0.0 // of a row, in the mean
	for _, v := range d {
		square += v / float64(s.Rows)
	}
	moves := func(lambda float64) float64 { // a leverage of 1
		row := math.Sqrt(float64(len(d))) * 0x1p-24 * math.Sqrt(square)
		return 2 * row / math.Sqrt(s.W*lambda)
	}
	least := 1.0
	for moves(least/2) <= 0x1p-8 {
		least /= 2
	}
	for _, c := range []struct {
		lambdas []float64
		rough   bool
	}{{[]float64{least, 1}, true}, {[]float64{1, least / 2}, false}, {[]float64{least / 2, 1}, false}} {
		h, err := NewHat(context.Background(), blas.Engine{}, s, c.lambdas)
		if err != nil {
			t.Fatal(err)
		}
		if h.Rough != c.rough {
			t.Errorf("λ from %g on, which moves a leverage by %.2g: rough is %v", min(c.lambdas[0], c.lambdas[1]), moves(min(c.lambdas[0], c.lambdas[1])), h.Rough)
		}
	}
}

// A hat of a system that has no factor leaves it as it was: it has the same solutions and hats after
// it as before.
func TestHatLeavesSystem(t *testing.T) {
	ctx, lambdas := context.Background(), []float64{1e-3, 1}
	s, _ := spectral(t, []float64{-.5, -1e-9, 0, 1e-3, .7, 2, 9}, 2, 40)
	solve := func() blas.General[float64] {
		coef, _, info, err := s.SolveEigen(blas.Engine{}, lambdas[0], Solved{})
		if err != nil || info.Method != Eigen {
			t.Fatal(info, err)
		}
		return coef
	}
	want := solve()
	hat := func() *Hat {
		h, err := NewHat(ctx, blas.Engine{}, s, lambdas)
		if err != nil || h.Solved[0].Method != Eigen {
			t.Fatal(h, err)
		}
		return h
	}
	first := hat()
	basis := slices.Clone(first.Basis.Data)
	if got := solve(); !slices.Equal(got.Data, want.Data) {
		t.Errorf("after a hat the coefficients are %v, and were %v", got.Data, want.Data)
	}
	if again := hat(); !slices.Equal(again.Basis.Data, basis) || !slices.Equal(first.Basis.Data, basis) {
		t.Error("a second hat has another basis, or changes the first")
	}
}

package ridge

import (
	"context"
	"math"
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

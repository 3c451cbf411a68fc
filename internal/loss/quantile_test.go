package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

// The smooth loss has the derivatives of its values, is at most half its width above the
// corner, and approaches it; the loss of all levels is that of each.
func TestPinball(t *testing.T) {
	all, _, err := Parse("quantile:0.1,0.5,0.97", 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, level := range all.Traits().Levels {
		for _, f := range []float64{-40, -3, -0.3, 0, 0.2, 1.7, 5} {
			at := func(width, f float64) (value, slope float64) {
				var v, s [1]float64
				Pinball{level, width}.Row([]float64{f}, []float64{0.2}, v[:], s[:])
				return v[0], s[0]
			}
			corner, _ := at(0, f)
			if want := max(level*(0.2-f), (1-level)*(f-0.2)); math.Abs(corner-want) > 1e-15 {
				t.Errorf("level %g: %g at %g, want %g", level, corner, f, want)
			}
			var value, slope [3]float64
			all.Row([]float64{f, f, f}, []float64{0.2, 0.2, 0.2}, value[:], slope[:])
			if value[k] != corner {
				t.Errorf("level %g: %g at %g among others, want %g", level, value[k], f, corner)
			}
			for _, width := range []float64{1, 1e-2} {
				const h = 1e-6
				v, s := at(width, f)
				up, above := at(width, f+h)
				down, below := at(width, f-h)
				p := Pinball{level, width}
				// Third derivatives are at most 1/width², times h².
				if d := (up-down)/(2*h) - s; math.Abs(d) > 1e-7 {
					t.Errorf("%+v at %g: the slope is off by %g", p, f, d)
				}
				bend := p.Bend([]float64{f}, []float64{0.2})
				if d := (above-below)/(2*h) - bend; math.Abs(d) > 1e-5/width || bend > p.Curvature(0) {
					t.Errorf("%+v at %g: the second derivative is off by %g", p, f, d)
				}
				if v < corner || v > corner+width/2 || s <= -level || s >= 1-level {
					t.Errorf("%+v at %g: %g and the slope %g, with a corner %g", p, f, v, s, corner)
				}
				// What the corner is above the line of the slope through the target.
				if d := p.Excess(f, 0.2) - (corner - s*(f-0.2)); math.Abs(d) > 1e-14*max(1, math.Abs(f)) {
					t.Errorf("%+v at %g: the excess is off by %g", p, f, d)
				}
			}
		}
	}
}

// The best constants are quantiles of the weighted targets.
func TestConstantQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 5000
	l, _, err := Parse("quantile:0.001,0.3,0.9999", 3)
	if err != nil {
		t.Fatal(err)
	}
	y, w := blas.NewGeneral[float64](n, 3), make([]float64, n)
	order := make([]int, n)
	for i := range n {
		order[i], w[i] = i, float64(1+i%3)
		for k := range 3 {
			y.Row(i)[k] = 1e3 + 7*rng.NormFloat64()
		}
	}
	score, _ := Constant(l, y, w)
	for k, level := range l.Traits().Levels {
		slices.SortFunc(order, func(a, b int) int {
			if y.Row(a)[k] < y.Row(b)[k] {
				return -1
			}
			return 1
		})
		var sum float64
		for _, i := range order {
			if sum += w[i]; sum > level*9999 { // all weights
				if math.Abs(score[k]-y.Row(i)[k]) > 1e-9 {
					t.Errorf("level %g: %g, want %g", level, score[k], y.Row(i)[k])
				}
				break
			}
		}
	}
}

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

// Where θ is exact, a row that does not move keeps it, and its second derivative is that of the
// loss. Where θ has turned past what the distance says, the row counts less; one that moves far
// turns θ nearly to the end, but never to it.
func TestTurn(t *testing.T) {
	p := Pinball{0.3, 0.5}
	for _, d := range []float64{-2, -0.1, 0, 0.4, 3} {
		at := p.Turn(Turn{}, d)
		want := p.Bend([]float64{d}, []float64{0})
		for _, bend := range []float64{at.Bend(), p.Turn(at, d).Bend()} {
			if !(math.Abs(bend-want) < 1e-15) {
				t.Errorf("at %g: second derivative %g, want %g", d, bend, want)
			}
		}
		// In the equation θ√(d² + w²) = d linearised at d, θ changes by h·(1 − θd/√)/√.
		const h = 1e-6
		moved := p.Turn(at, d+h)
		if got := moved.theta - at.theta; !(math.Abs(got-2*h*want) < 1e-15) {
			t.Errorf("at %g: θ turns by %g, want %g", d, got, 2*h*want)
		}
		for _, by := range []float64{-1e6, 1e6} {
			end := at
			for range 5 {
				end = p.Turn(end, d+by)
				if theta := math.Abs(end.theta); theta >= 1 || !(end.Bend() > 0) {
					t.Errorf("from %g by %g: θ = %g, second derivative %g", d, by, end.theta, end.Bend())
				}
			}
			if !(end.theta*by > 0.99*math.Abs(by)) {
				t.Errorf("from %g by %g: θ = %g", d, by, end.theta)
			}
		}
	}
	narrow := Pinball{0.3, 1e-3}
	far := narrow.Turn(narrow.Turn(Turn{}, 1), -1) // θ has turned most of the way, from 1
	if bend := far.Bend(); !(bend > 0.01) {
		t.Errorf("a row that changed its side has the second derivative %g", bend)
	}
}

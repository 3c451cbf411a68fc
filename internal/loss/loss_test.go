package loss

import (
	"math"
	"testing"

	"github.com/rffgo/rff/blas"
)

// A loss's derivatives are those of its values, and its second derivatives at most those
// that it says.
func TestDerivatives(t *testing.T) {
	const h = 1e-5
	for _, name := range []string{"logistic", "squared-hinge", "smoothed-hinge", "huber:0.73", "expectile:0.2", "poisson"} {
		for _, y := range [][]float64{{1}, {-1}, {-1, 1, -1}} {
			l, _, err := Parse(name, len(y))
			if err != nil {
				t.Fatal(err)
			}
			if l.Traits().Counts {
				for k := range y {
					y[k] = max(0, y[k])
				}
			}
			at := func(score []float64) (sum float64, slope []float64) {
				value := make([]float64, len(y))
				slope = make([]float64, len(y))
				l.Row(score, y, value, slope)
				for _, v := range value {
					sum += v
				}
				return sum, slope
			}
			for _, f := range []float64{-40, -3, -0.3, 0.2, 1.7, 5} {
				score := []float64{f, f / 2, -f}[:len(y)]
				_, slope := at(score)
				bend := 0.0
				for k := range score {
					up, down := append([]float64(nil), score...), append([]float64(nil), score...)
					up[k] += h
					down[k] -= h
					high, above := at(up)
					low, below := at(down)
					// Values of up to 100 with 16 digits, over h; third derivatives times h².
					if d := (high-low)/(2*h) - slope[k]; math.Abs(d) > 1e-8*max(1, high) {
						t.Errorf("%s at %v of %v: slope %d is %g, differences give %g more", name, score, y, k, slope[k], d)
					}
					second := (above[k] - below[k]) / (2 * h)
					own := second
					if _, ok := l.(huber); ok { // of a quadratic with this slope here, and its least value at the target
						own = slope[k] / (score[k] - y[k])
					}
					bend += own / float64(len(y))
					if !l.Traits().Counts && second > l.Curvature(0)*(1+1e-6) {
						t.Errorf("%s at %v: second derivative %g, above %g", name, score, second, l.Curvature(0))
					}
				}
				if own := l.Bend(score, y); math.Abs(own-bend) > 1e-6*max(1, bend) {
					t.Errorf("%s at %g of %v: mean second derivative %g, differences give %g", name, f, y, own, bend)
				}
			}
		}
	}
}

// A deviance is never negative, and has the digits that its mean has: an error of ε of the mean is
// one of y·r·ε of the deviance, with r = mean/y − 1. Where r is large, the terms of the deviance
// round, too.
func TestDevianceOfLargeCounts(t *testing.T) {
	l, _, err := Parse("poisson", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range []float64{1e-250, 1e-8, 1, 7, 1e3, 1e8, 1e12, 1e15, 1e300} {
		for _, off := range []float64{0, 1e-17, -1e-12, 1e-9, -3e-7, 1e-4, -.01, .2, -.2499, .3749, -.26, .38, 5, -.999} {
			const ulp = 0x1p-52
			score := math.Log(y * (1 + off))
			r := (math.Exp(score) - y) / y
			gap, tolerance := r-math.Log1p(r), ulp*math.Abs(score)
			if off > -.25 && off < .375 {
				tolerance = 3*ulp*math.Abs(r) + ulp*ulp
			}
			if math.Abs(r) < .01 { // Σ (−r)ᵏ/k from k = 2
				gap = 0
				for k := 10.0; k > 1; k-- {
					gap += math.Pow(-r, k) / k
				}
			}
			var value, slope [1]float64
			l.Row([]float64{score}, []float64{y}, value[:], slope[:])
			if value[0] < 0 || math.Abs(value[0]/y-gap) > tolerance+8*ulp*gap {
				t.Errorf("count %g, mean %g: half a deviance of %g, want %g", y, y*(1+r), value[0], y*gap)
			}
		}
	}
}

// The constant of a loss is where its slopes cancel, for targets of any size.
func TestConstant(t *testing.T) {
	for name, targets := range map[string][]float64{
		"logistic": {1, -1, -1, 1, -1}, "squared-hinge": {1, -1, -1, 1, -1}, "smoothed-hinge": {1, -1, -1, 1, -1},
		"huber:0.5": {1e-6, 3, -2, 0.1, 40}, "expectile:0.9": {1e9, 3e9, 2e9, 5e9, 4e9}, "poisson": {0, 2e-8, 3e-8, 0, 1e-8},
	} {
		l, _, err := Parse(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		y, w := blas.General[float64]{Rows: 5, Cols: 1, Stride: 1, Data: targets}, []float64{1, 2, 0.5, 1, 3}
		score, mean := Constant(l, y, w)
		var sum, size, at, all float64
		for i, v := range targets {
			var value, slope [1]float64
			l.Row(score, []float64{v}, value[:], slope[:])
			sum, size = sum+w[i]*slope[0], size+w[i]*math.Abs(slope[0])
			at, all = at+w[i]*value[0], all+w[i]
		}
		// The root has as many digits as scores and slopes.
		if math.Abs(sum) > 1e-9*size || math.Abs(mean[0]-at/all) > 1e-12*math.Abs(mean[0]) {
			t.Errorf("%s: at %g slopes add up to %g of %g; mean %g, want %g", name, score[0], sum, size, mean[0], at/all)
		}
	}
	// Rows of one class have no best score: slopes are next to nothing at that one.
	l, _, _ := Parse("logistic", 1)
	score, mean := Constant(l, blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1}}, []float64{1, 1})
	if !(score[0] > 3 && score[0] < 100 && mean[0] > 0 && mean[0] < 0.01) {
		t.Errorf("one class: score %g, loss %g", score[0], mean[0])
	}
}

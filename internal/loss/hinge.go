package loss

// squaredHinge is max(0, 1 − yf)² for classes y = ±1. With several classes it sets each against
// the others.
type squaredHinge struct{}

func (squaredHinge) String() string { return "squared-hinge" }

func (squaredHinge) Traits() Traits { return Traits{Classes: true} }

func (squaredHinge) Curvature(float64) float64 { return 2 }

func (squaredHinge) Row(score, y, value, slope []float64) {
	for t, f := range score {
		short := max(0, 1-float64(y[t]*f))
		value[t], slope[t] = short*short, -2*y[t]*short
	}
}

// smoothedHinge is a smooth form of the hinge loss max(0, 1 − m) of margins m = yf: it is ½
// less than that for m ≤ 0, and ½(1 − m)² between 0 and 1 (Rennie and Srebro, "Loss functions
// for preference levels", 2005).
type smoothedHinge struct{}

func (smoothedHinge) String() string { return "smoothed-hinge" }

func (smoothedHinge) Traits() Traits { return Traits{Classes: true} }

func (smoothedHinge) Curvature(float64) float64 { return 1 }

func (smoothedHinge) Row(score, y, value, slope []float64) {
	for t, f := range score {
		short := max(0, 1-float64(y[t]*f))
		inner := min(short, 1)
		value[t], slope[t] = float64(inner*inner/2)+(short-inner), -y[t]*inner
	}
}

func (squaredHinge) Bend(score, y []float64) float64 {
	return share(len(y), 2, func(t int) bool { return y[t]*score[t] < 1 })
}

func (smoothedHinge) Bend(score, y []float64) float64 {
	return share(len(y), 1, func(t int) bool { m := y[t] * score[t]; return m > 0 && m < 1 })
}

// share returns v times the share of those of n targets for which is holds.
func share(n int, v float64, is func(t int) bool) float64 {
	var sum float64
	for t := range n {
		if is(t) {
			sum += v
		}
	}
	return sum / float64(n)
}

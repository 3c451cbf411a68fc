package loss

// squaredHinge is max(0, 1 − yf)² for classes y = ±1. With several classes it sets each against
// the others. A target between −1 and 1 has the mean of both losses by its probability.
type squaredHinge struct{}

func (squaredHinge) String() string { return "squared-hinge" }

func (squaredHinge) Traits() Traits { return Traits{Classes: true} }

func (squaredHinge) Curvature(float64) float64 { return 2 }

func (squaredHinge) Row(score, y, value, slope []float64) {
	for t, f := range score {
		s := sidesOf(y[t], f)
		value[t], slope[t] = float64(s.p*s.up*s.up)+float64(s.q*s.down*s.down), 2*(float64(s.q*s.down)-float64(s.p*s.up))
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
		s := sidesOf(y[t], f)
		up, down := min(s.up, 1), min(s.down, 1)
		value[t] = float64(s.p*(float64(up*up/2)+(s.up-up))) + float64(s.q*(float64(down*down/2)+(s.down-down)))
		slope[t] = float64(s.q*down) - float64(s.p*up)
	}
}

// sides are how much the margins of a score are short of 1 for the class 1 (up) and for the class −1
// (down), and the probabilities p and q of these classes.
type sides struct{ up, down, p, q float64 }

func sidesOf(y, f float64) sides {
	return sides{max(0, 1-f), max(0, 1+f), (1 + y) / 2, (1 - y) / 2}
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

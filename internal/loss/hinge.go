package loss

// squaredHinge is max(0, 1 − yf)² for classes y = ±1. With several classes it sets each against
// the others. A target between −1 and 1 has the mean of both losses by its probability.
type squaredHinge struct{}

func (squaredHinge) String() string { return "squared-hinge" }

func (squaredHinge) Traits() Traits { return Traits{Classes: true} }

func (squaredHinge) Curvature(float64) float64 { return 2 }

func (squaredHinge) Row(score, y, value, slope []float64) {
	for t, f := range score {
		value[t], slope[t] = sides(y[t], f, func(short float64) (value, slope float64) { return short * short, 2 * short })
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
		value[t], slope[t] = sides(y[t], f, func(short float64) (value, slope float64) {
			inner := min(short, 1)
			return float64(inner*inner/2) + (short - inner), inner
		})
	}
}

// sides returns the mean of the losses of a score f for the classes −1 and 1, and its slope, by
// the probabilities that the target y gives them. of returns the loss of a margin that is short of 1
// by that much, and its slope.
func sides(y, f float64, of func(short float64) (value, slope float64)) (value, slope float64) {
	low, down := of(max(0, 1+f))
	high, up := of(max(0, 1-f))
	p, q := (1+y)/2, (1-y)/2
	return float64(p*high) + float64(q*low), float64(q*down) - float64(p*up)
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

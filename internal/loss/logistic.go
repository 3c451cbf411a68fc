package loss

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
)

// logistic is log(1 + e^(−yf)) for two classes y = ±1. It is −log of the probability of the
// row's class, where f is the log odds of the second class. A row with probabilities has the
// mean of the losses of both classes.
type logistic struct{}

func (logistic) String() string { return "logistic" }

func (logistic) Traits() Traits { return Traits{Classes: true, Probabilities: true} }

func (logistic) Curvature(float64) float64 { return 0.25 }

func (logistic) Row(score, y, value, slope []float64) {
	first, second := classes.Share(y, 0), classes.Share(y, 1)
	f := score[0]
	e := portable.Exp(-math.Abs(f)) // at most 1
	value[0] = float64(first*max(f, 0)) + float64(second*max(-f, 0)) + log1p(e)
	more, less := 1/(1+e), e/(1+e) // the probabilities of the likelier class by the score, and of the other
	if f < 0 {
		more, less = less, more
	}
	slope[0] = float64(first*more) - float64(second*less)
}

// log1p returns log(1 + e) for e in [0, 1], with the digits of a small e.
func log1p(e float64) float64 {
	u := 1 + e
	if u == 1 {
		return e
	}
	return portable.Log(u) * (e / (u - 1)) // the factor corrects, to first order, what the sum has rounded off
}

// softmax is −log of the probability of the class of a row, e^(f_own)/Σ e^(f_k), or the mean of
// that over the classes by their probabilities.
type softmax struct{}

func (softmax) String() string { return "logistic" }

func (softmax) Traits() Traits { return Traits{Classes: true, Joint: true, Probabilities: true} }

// Curvature is Böhning's bound: for the scores of all K classes, ½(I − 11ᵀ/K) is above every
// matrix of second derivatives.
func (softmax) Curvature(float64) float64 { return 0.5 }

func (softmax) Row(score, y, value, slope []float64) {
	copy(slope, score)
	most, rest := portable.Softmax(slope)
	clear(value)
	for k := range slope {
		if p := classes.Share(y, k); p > 0 {
			slope[k] -= p
			value[k] = float64(p * (most - score[k] + rest))
		}
	}
}

// logShares writes the logarithms of the shares of the classes, with their mean subtracted. It
// counts half a row more in every class.
func logShares(score []float64, y blas.General[float64], w []float64) {
	var mean float64
	for i := range score {
		score[i] = 0.5
	}
	for i, wi := range w {
		for k := range score {
			score[k] += float64(wi * classes.Share(y.Row(i), k))
		}
	}
	for k, v := range score {
		score[k] = portable.Log(v)
		mean += score[k] / float64(len(score))
	}
	for k := range score {
		score[k] -= mean
	}
}

func (logistic) Bend(score, _ []float64) float64 {
	e := portable.Exp(-math.Abs(score[0]))
	return e / float64((1+e)*(1+e))
}

func (softmax) Bend(score, _ []float64) float64 {
	portable.Softmax(score)
	return (1 - dense.SumSquares(score)) / float64(len(score))
}

package loss

import (
	"cmp"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
)

// poisson is half the deviance of counts y whose mean is e^f: e^f − yf less its least
// value, y − y·log y.
type poisson struct{}

func (poisson) String() string { return "poisson" }

func (poisson) Traits() Traits { return Traits{Counts: true} }

// Curvature is the mean at a score: the second derivative has no bound.
func (poisson) Curvature(score float64) float64 { return portable.Exp(score) }

func (poisson) Row(score, y, value, slope []float64) {
	for t, f := range score {
		mean := portable.Exp(f)
		value[t], slope[t] = halfDeviance(mean, f, y[t]), mean-y[t]
	}
}

// halfDeviance returns e^f − yf less its least value, of which mean is e^f. Near a large count
// these share most digits, so that it takes the relative difference r of mean and count: y·(r −
// log(1+r)).
func halfDeviance(mean, f, y float64) float64 {
	if y == 0 {
		return mean
	}
	if r := (mean - y) / y; r > -.25 && r < .375 { // where LogGap is
		return float64(y * portable.LogGap(r))
	}
	return mean - float64(y*f) - (y - float64(y*portable.Log(y)))
}

func (poisson) Bend(score, _ []float64) (mean float64) {
	for _, f := range score {
		mean += portable.Exp(f) / float64(len(score))
	}
	return mean
}

// logMeans writes the logarithms of the means of the targets. If all counts of a target are 0,
// it takes one half for their sum.
func logMeans(score []float64, y blas.General[float64], w []float64) {
	var rows float64
	clear(score)
	for i, wi := range w {
		rows += wi
		dense.AddTimes(score, wi, y.Row(i))
	}
	for t, sum := range score {
		score[t] = portable.Log(cmp.Or(sum, 0.5) / rows)
	}
}

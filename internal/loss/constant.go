package loss

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Column returns the loss of one column of scores of a loss that is not joint.
func Column(l Loss, column int) Loss {
	if q, ok := l.(quantile); ok {
		return q.of(column)
	}
	return l
}

// Constant returns the best constant score per target for rows with targets y and weights w,
// and the mean loss per target at this score.
func Constant(l Loss, y blas.General[float64], w []float64) (score, mean []float64) {
	score, mean = make([]float64, y.Cols), make([]float64, y.Cols)
	switch {
	case l.Traits().Joint:
		logShares(score, y, w)
	case l.Traits().Counts:
		logMeans(score, y, w)
	default:
		for t := range score {
			own := Column(l, t)
			score[t] = root(func(at float64) float64 {
				var sum float64
				var value, slope [1]float64
				for i, wi := range w {
					own.Row([]float64{at}, y.Row(i)[t:t+1], value[:], slope[:])
					sum += float64(wi * slope[0])
				}
				return sum
			}, l.Traits().Differences)
		}
	}
	var sum float64
	value, slope := make([]float64, y.Cols), make([]float64, y.Cols)
	for i, wi := range w {
		l.Row(score, y.Row(i), value, slope)
		sum += wi
		dense.AddTimes(mean, wi, value)
	}
	for t := range mean {
		mean[t] /= sum
	}
	return score, mean
}

// root returns the zero of an increasing function. If it may not exist, root returns the end
// beyond which the function is close to zero: rows of a single class, for instance, have no
// best score.
func root(f func(float64) float64, exists bool) float64 {
	at := f(0)
	if at == 0 {
		return 0
	}
	sign := 1.0
	if at > 0 {
		sign = -1
	}
	near, far := 0.0, 1.0
	for sign*f(sign*far) < 0 {
		if near, far = far, 2*far; far > 0x1p1000 || !exists && math.Abs(f(sign*near)) < 0x1p-10*math.Abs(at) {
			return sign * near
		}
	}
	for near == 0 && far > 0x1p-1000 { // a root of any size, to as many digits
		if half := far / 2; sign*f(sign*half) < 0 {
			near = half
		} else {
			far = half
		}
	}
	for range 60 {
		if middle := near + float64((far-near)/2); sign*f(sign*middle) < 0 {
			near = middle
		} else {
			far = middle
		}
	}
	return sign * far
}

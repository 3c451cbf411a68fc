package trial

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/classes"
)

// Loss gives three numbers for the scores of a held-out row: the loss by which trials are
// compared, a proper score that breaks ties, and the error that a report tells.
type Loss func(scores, y []float64) (loss, proper, told float64)

// Squares is the squared error, summed over targets.
func Squares(scores, y []float64) (loss, proper, told float64) {
	for t, v := range scores {
		d := y[t] - v
		loss += float64(d * d)
	}
	return loss, loss, loss
}

// ramp is the width of the range of margins in which the loss of a classification is neither 0
// nor 1. A count of wrong labels alone says little about few rows, and squared errors measure
// something else.
const ramp = 0.5

// WrongLabels is a smoothed count of wrong labels, with the squared error to break ties;
// reports tell the plain count.
func WrongLabels(scores, y []float64) (loss, proper, told float64) {
	margin := classes.Margin(scores, y)
	own, _ := classes.Of(y)
	if classes.Decode(scores) != own {
		told = 1
	}
	_, proper, _ = Squares(scores, y)
	return min(1, max(0, 0.5-margin/(2*ramp))), proper, told
}

// Ranges are the range and the variance of every target of some rows.
type Ranges struct{ Low, High, Variance []float64 }

// RangesOf returns the ranges of targets, and whether some target varies. The variance of a
// target that does not vary is set to 1.
func RangesOf(y blas.General[float64]) (r Ranges, varies bool) {
	r = Ranges{make([]float64, y.Cols), make([]float64, y.Cols), make([]float64, y.Cols)}
	for t := range y.Cols {
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for i := range y.Rows {
			v := y.Row(i)[t]
			lo, hi = min(lo, v), max(hi, v)
			mean += v / float64(y.Rows)
		}
		for i := range y.Rows {
			d := y.Row(i)[t] - mean
			r.Variance[t] += float64(d*d) / float64(y.Rows)
		}
		r.Low[t], r.High[t] = lo, hi
		if v := r.Variance[t]; lo < hi && v > 0 && !math.IsInf(v, 1) {
			varies = true
		} else {
			r.Variance[t] = 1 // nothing to explain
		}
	}
	return r, varies
}

// SquaredError returns the loss of a regression: the squared error over the variance,
// a mean over targets, of predictions that are confined to the range of the targets if
// clipped is set.
func (r Ranges) SquaredError(clipped bool) Loss {
	return func(scores, y []float64) (loss, proper, told float64) {
		for t, v := range scores {
			if clipped {
				v = min(max(v, r.Low[t]), r.High[t])
			}
			d := y[t] - v
			loss += float64(d*d) / r.Variance[t] / float64(len(y))
		}
		return loss, loss, loss
	}
}

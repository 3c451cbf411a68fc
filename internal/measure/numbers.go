package measure

import "math"

// Numbers adds up the errors of predicted numbers, row by row.
type Numbers struct {
	n         int64
	sum       float64 // of the weights
	ss, mean  float64 // of the truth
	rss, absE float64
}

// Add adds a row.
func (s *Numbers) Add(truth, predicted, weight float64) {
	s.n++
	if weight == 0 {
		return
	}
	e := truth - predicted
	s.rss += float64(weight * float64(e*e))
	s.absE += float64(weight * math.Abs(e))
	// Welford's update of the spread of the truth.
	s.sum += weight
	d := truth - s.mean
	s.mean += float64(d * (weight / s.sum))
	s.ss += float64(weight * float64(d*(truth-s.mean)))
}

// Regression is how well predicted numbers do, in the unit of the target.
type Regression struct {
	Rows      int64
	RMSE, MAE float64
	// R2 is the share of the variance of these rows that is explained, NaN if they have
	// none; Spread is the root mean square error of predicting their mean.
	R2, Spread float64
}

// Result returns the measures of the rows so far.
func (s *Numbers) Result() Regression {
	r := Regression{Rows: s.n, RMSE: math.Sqrt(s.rss / s.sum), MAE: s.absE / s.sum, R2: math.NaN(), Spread: math.Sqrt(s.ss / s.sum)}
	if s.ss > 0 {
		r.R2 = 1 - s.rss/s.ss
	}
	return r
}

package measure

import (
	"math"
	"math/rand/v2"
)

// Numbers adds up the errors of predicted numbers, row by row.
type Numbers struct {
	n         int64
	sum       float64 // of the weights
	ss, mean  float64 // of the truth
	rss, absE float64
	used      int64 // rows of positive weight
	points    [][2]float64
	draw      *rand.Rand
}

// mostPoints is how many rows are kept for figures.
const mostPoints = 1000

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
	s.used++
	if len(s.points) < mostPoints {
		s.points = append(s.points, [2]float64{predicted, truth})
		return
	}
	if s.draw == nil {
		s.draw = rand.New(rand.NewPCG(1, 1))
	}
	if k := s.draw.Int64N(s.used); k < mostPoints {
		s.points[k] = [2]float64{predicted, truth}
	}
}

// Regression is how well predicted numbers do, in the unit of the target.
type Regression struct {
	Rows      int64
	RMSE, MAE float64
	// R2 is the share of the variance of these rows that is explained, NaN if they have
	// none; Spread is the root mean square error of predicting their mean.
	R2, Spread float64
	Points     [][2]float64 // prediction and truth of some of the rows, drawn at random
}

// Result returns the measures of the rows so far.
func (s *Numbers) Result() Regression {
	r := Regression{Rows: s.n, RMSE: math.Sqrt(s.rss / s.sum), MAE: s.absE / s.sum, R2: math.NaN(), Spread: math.Sqrt(s.ss / s.sum), Points: s.points}
	if s.ss > 0 {
		r.R2 = 1 - s.rss/s.ss
	}
	return r
}

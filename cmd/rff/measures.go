package main

import (
	"fmt"
	"math"
)

// How well predictions do, in the words that fit, predict and compare share.

// accuracyText is the measure of a classification.
func accuracyText(share float64) string { return fmt.Sprintf("accuracy %.2f %%", 100*share) }

// errorText is the measures of a regression, in the unit of the target.
func errorText(r2, rmse, mae float64, target string) string {
	unit := "the target"
	if target != "" {
		unit = fmt.Sprintf("%q", target)
	}
	if math.IsNaN(r2) { // all targets are alike
		return fmt.Sprintf("RMSE %.5g, MAE %.5g in the unit of %s", rmse, mae, unit)
	}
	return fmt.Sprintf("R² %.4f, RMSE %.5g, MAE %.5g in the unit of %s", r2, rmse, mae, unit)
}

// errorSums sums up the errors of predictions.
type errorSums struct {
	n         int64
	ss, mean  float64 // of the labels
	rss, absE float64
}

func (s *errorSums) add(truth, predicted float64) {
	e := truth - predicted
	s.rss += float64(e * e)
	s.absE += math.Abs(e)
	// Welford's update of the spread of the labels.
	s.n++
	d := truth - s.mean
	s.mean += d / float64(s.n)
	s.ss += float64(d * (truth - s.mean))
}

func (s *errorSums) text(target string) string {
	n, r2 := float64(s.n), math.NaN()
	if s.ss > 0 {
		r2 = 1 - s.rss/s.ss
	}
	return errorText(r2, math.Sqrt(s.rss/n), s.absE/n, target)
}

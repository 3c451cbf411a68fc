// Package loss has the convex losses that a fit may have in place of squares, one file
// each.
package loss

import (
	"fmt"
	"strconv"
)

// Loss is a convex loss of the scores of a row.
type Loss interface {
	// String returns the text that Parse reads.
	String() string
	Traits() Traits
	// Row writes the loss of a row with targets y at these scores to value, and its
	// derivatives by the scores to slope: one element per target each. The losses of the
	// targets add up to that of the row.
	Row(score, y, value, slope []float64)
	// Bend returns the mean of the second derivatives by the scores of the row, or of those
	// that a step should reckon with. It may overwrite the scores.
	Bend(score, y []float64) float64
	// Curvature returns about the largest second derivative by a score near that one: it
	// bounds all of them, if they have a bound.
	Curvature(score float64) float64
}

// Traits are what a loss says of itself.
type Traits struct {
	Classes bool // its targets are coded classes
	// Joint says that the loss of a target depends on all scores of the row.
	Joint bool
	// Differences says that the loss depends only on the difference of target and score, so
	// that a reference may be subtracted from both.
	Differences bool
	// Probabilities says that the scores are log odds (package calibration).
	Probabilities bool
	// Counts says that targets are not negative, and that the prediction is the
	// exponential of the score.
	Counts bool
	// Levels are the levels of the quantiles of a target. Each of them has a score of its own.
	// nil: a target has one score.
	Levels []float64
}

// number parses a parameter between two bounds, both excluded.
func number(value string, low, high float64, need string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > low && v < high) {
		return 0, fmt.Errorf("must be %s", need)
	}
	return v, nil
}

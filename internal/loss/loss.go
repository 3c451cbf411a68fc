// Package loss has the convex losses that a fit may have in place of squares, one file
// each.
package loss

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/reweight"
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
	// Bend returns the mean of the second derivatives by the scores of the row, and may
	// overwrite these.
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
	// Differences says that the loss depends on target less score alone, so that a
	// reference may be taken from both.
	Differences bool
	// Probabilities says that the scores are log odds (package calibration).
	Probabilities bool
	// Counts says that targets are not negative, and that the prediction is the
	// exponential of the score.
	Counts bool
}

// losses are by name; the text after a colon is their parameter.
var losses = map[string]func(value string) (Loss, error){
	"expectile":      parseExpectile,
	"huber":          parseHuber,
	"logistic":       plain(logistic{}),
	"poisson":        plain(poisson{}),
	"smoothed-hinge": plain(smoothedHinge{}),
	"squared-hinge":  plain(squaredHinge{}),
}

// Names returns the names of all losses, sorted.
func Names() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(losses)), "hard", "squares")))
}

// Parse returns the loss of a text such as "huber:1.5" for data of that many targets. Squares
// are nil, perhaps with a rule by which they are solved again. The error is a
// *rff.ParameterError.
func Parse(text string, targets int) (Loss, reweight.Rule, error) {
	name, value, _ := strings.Cut(text, ":")
	var l Loss
	var rule reweight.Rule
	var err error
	switch parse := losses[name]; {
	case text == "" || text == "squares":
	case name == "hard":
		rule, err = reweight.ParseHard(value)
	case parse == nil:
		return nil, nil, &rff.ParameterError{Name: "loss", Value: name, Need: "must be a loss", Known: Names()}
	default:
		l, err = parse(value)
	}
	if err != nil {
		return nil, nil, &rff.ParameterError{Name: "loss", Value: text, Need: err.Error()}
	}
	if l == (logistic{}) && targets > 1 {
		l = softmax{}
	}
	return l, rule, nil
}

// plain parses a loss without a parameter.
func plain(l Loss) func(string) (Loss, error) {
	return func(value string) (Loss, error) {
		if value != "" {
			return nil, fmt.Errorf("must have no parameter: leave %q out", ":"+value)
		}
		return l, nil
	}
}

// number parses a parameter between two bounds, both excluded.
func number(value string, low, high float64, need string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > low && v < high) {
		return 0, fmt.Errorf("must be %s", need)
	}
	return v, nil
}

// Constant returns the score per target that is best for rows of targets y and weights w
// that all have it, and the mean loss per target there.
func Constant(l Loss, y blas.General[float64], w []float64) (score, mean []float64) {
	score, mean = make([]float64, y.Cols), make([]float64, y.Cols)
	switch {
	case l.Traits().Joint:
		logShares(score, y, w)
	case l.Traits().Counts:
		logMeans(score, y, w)
	default:
		for t := range score {
			score[t] = root(func(at float64) float64 {
				var sum float64
				var value, slope [1]float64
				for i, wi := range w {
					l.Row([]float64{at}, y.Row(i)[t:t+1], value[:], slope[:])
					sum += float64(wi * slope[0])
				}
				return sum
			})
		}
	}
	var sum float64
	value, slope := make([]float64, y.Cols), make([]float64, y.Cols)
	for i, wi := range w {
		l.Row(score, y.Row(i), value, slope)
		sum += wi
		for t, v := range value {
			mean[t] += float64(wi * v)
		}
	}
	for t := range mean {
		mean[t] /= sum
	}
	return score, mean
}

// root returns where an increasing function is zero, or the end beyond which it is next to
// zero: scores of rows of a single class have no best.
func root(f func(float64) float64) float64 {
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
		if near, far = far, 2*far; far > 0x1p1000 || math.Abs(f(sign*near)) < 0x1p-10*math.Abs(at) {
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

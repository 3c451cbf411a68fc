// Package calibration turns the scores of a classifier into probabilities, from
// rows that its models have not seen.
package calibration

import (
	"math"

	"github.com/rffgo/rff/internal/portable"
)

// Calibration turns scores into probabilities: with q_k proportional to
// exp(slope_k·f_k + bias_k), class k of K has probability
//
//	p_k = floor + (1 − K·floor)·q_k.
//
// The one score f of two classes stands for (−f/2, f/2), with one slope, which
// makes q Platt's sigmoid.
type Calibration struct {
	Slope []float64 // one for all classes, or one per class
	Bias  []float64 // one per class
	Floor float64   // the least probability, at most 1/K
}

// Of returns the calibration of scores that are log odds, or logarithms of shares of that
// many classes.
func Of(classes int) *Calibration {
	return &Calibration{Slope: []float64{1}, Bias: make([]float64, classes)}
}

// Logits writes slope·f + bias to dst, one element per class.
func (c *Calibration) Logits(dst, scores []float64) {
	if len(scores) == 1 {
		f := scores[0] / 2
		dst[0], dst[1] = float64(-c.Slope[0]*f)+c.Bias[0], float64(c.Slope[0]*f)+c.Bias[1]
		return
	}
	for k, f := range scores {
		dst[k] = float64(c.Slope[min(k, len(c.Slope)-1)]*f) + c.Bias[k]
	}
}

// Probabilities replaces logits by probabilities.
func (c *Calibration) Probabilities(p []float64) {
	portable.Softmax(p)
	share := 1 - float64(float64(len(p))*c.Floor)
	for k, q := range p {
		p[k] = c.Floor + float64(share*q)
	}
}

// Class returns the class of the largest logit, which has the largest probability. If several
// are equal it is the first; with two classes it is the second, as for scores.
func (c *Calibration) Class(scores []float64) int {
	if len(scores) == 1 {
		var l [2]float64
		c.Logits(l[:], scores)
		if l[1]-l[0] >= 0 {
			return 1
		}
		return 0
	}
	best, most := 0, math.Inf(-1)
	for k, f := range scores {
		if l := float64(c.Slope[min(k, len(c.Slope)-1)]*f) + c.Bias[k]; l > most {
			best, most = k, l
		}
	}
	return best
}

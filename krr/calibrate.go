package krr

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
)

// calibration turns scores into probabilities: with q_k proportional to
// exp(slope_k·f_k + bias_k), class k of K has probability
//
//	p_k = floor + (1 − K·floor)·q_k.
//
// The one score f of two classes stands for (−f/2, f/2), with one slope, which
// makes q Platt's sigmoid.
type calibration struct {
	slope []float64 // one for all classes, or one per class
	bias  []float64 // one per class
	floor float64   // the least probability, at most 1/K
}

// logits writes slope·f + bias to dst, one element per class.
func (c *calibration) logits(dst, scores []float64) {
	if len(scores) == 1 {
		f := scores[0] / 2
		dst[0], dst[1] = float64(-c.slope[0]*f)+c.bias[0], float64(c.slope[0]*f)+c.bias[1]
		return
	}
	for k, f := range scores {
		dst[k] = float64(c.slope[min(k, len(c.slope)-1)]*f) + c.bias[k]
	}
}

// probabilities replaces logits by probabilities.
func (c *calibration) probabilities(p []float64) {
	softmax(p)
	share := 1 - float64(float64(len(p))*c.floor)
	for k, q := range p {
		p[k] = c.floor + float64(share*q)
	}
}

// softmax replaces logits by what is proportional to their exponentials and sums
// to 1, and returns the log of the sum of exponentials.
func softmax(p []float64) float64 {
	most := p[0]
	for _, v := range p {
		most = max(most, v)
	}
	var sum float64
	for k, v := range p {
		p[k] = portable.Exp(v - most)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return most + portable.Log(sum)
}

// classOf returns the class of the largest logit, which is that of the largest
// probability; of two that are equal the second, as for scores.
func (c *calibration) classOf(scores []float64) int {
	if len(scores) == 1 {
		var l [2]float64
		c.logits(l[:], scores)
		return classOf([]float64{l[1] - l[0]})
	}
	best, most := 0, math.Inf(-1)
	for k, f := range scores {
		if l := float64(c.slope[min(k, len(c.slope)-1)]*f) + c.bias[k]; l > most {
			best, most = k, l
		}
	}
	return best
}

func weightOf(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// HasProbabilities reports whether the model is calibrated.
func (m *Model) HasProbabilities() bool { return m.cal != nil }

// Probabilities writes the probabilities of the classes, in the order of
// Classes, for the raw rows of x to dst, n×classes. They were calibrated on
// held-out scores, and none is below 1/(n+classes), n being the number of rows of
// the calibration. An empty dst is sized. Errors: those of Predict, and
// *ClassError if the model is a regression or was fitted without
// Settings.Probabilities.
func (m *Model) Probabilities(dst *mat.Dense, x mat.Matrix) error {
	if m.cal == nil {
		return &ClassError{len(m.classes), "the model has no probabilities: fit a classification with Settings.Probabilities"}
	}
	var scores mat.Dense
	if err := m.Predict(&scores, x); err != nil {
		return err
	}
	n, _ := x.Dims()
	if dst.IsEmpty() && n > 0 {
		dst.ReuseAs(n, len(m.classes))
	}
	if r, c := dst.Dims(); r != n || c != len(m.classes) {
		return &rff.ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: len(m.classes)}
	}
	for i := range n {
		m.ProbabilitiesOf(dst.RawRowView(i), scores.RawRowView(i))
	}
	return nil
}

// ProbabilitiesOf writes the probabilities of the classes that one row of
// scores stands for. It panics unless HasProbabilities and the lengths fit.
func (m *Model) ProbabilitiesOf(dst, scores []float64) {
	if m.cal == nil || len(dst) != len(m.classes) || len(scores) != len(m.intercept) {
		panic(errProbabilities)
	}
	m.cal.logits(dst, scores)
	m.cal.probabilities(dst)
}

// HeldOut is how a fit does on rows that its folds left out. A regression has
// RMSE, MAE and R2, a classification Accuracy. With Probabilities neither the model
// that scored a row nor the calibration has seen it: each fold is scored by a fit
// without it, and these scores are calibrated without it.
type HeldOut struct {
	Rows     int64   // rows used, all or a sample; RMSE and R2 are of all rows
	Accuracy float64 // share of rows whose label is right
	LogLoss  float64 // mean −log of the probability of the right class, with Probabilities

	RMSE, MAE, R2 []float64 // per target, in its unit
}

func (h *HeldOut) String() string {
	return fmt.Sprintf("%.2f %% right, log loss %.4f", 100*h.Accuracy, h.LogLoss)
}

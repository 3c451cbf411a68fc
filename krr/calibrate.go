package krr

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

// calibration turns scores into probabilities: class k has probability
// proportional to exp(slope·f_k + bias_k). The one score f of two classes
// stands for (−f/2, f/2), which makes it Platt's sigmoid.
type calibration struct {
	slope float64
	bias  []float64 // one per class
}

// logits writes slope·f + bias to dst, one element per class.
func (c *calibration) logits(dst, scores []float64) {
	if len(scores) == 1 {
		f := scores[0] / 2
		dst[0], dst[1] = float64(-c.slope*f)+c.bias[0], float64(c.slope*f)+c.bias[1]
		return
	}
	for k, f := range scores {
		dst[k] = float64(c.slope*f) + c.bias[k]
	}
}

// softmax replaces logits by probabilities, which sum to 1, and returns the log
// of the sum of exponentials.
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

// calibrate fits slope and biases to held-out scores by maximum likelihood with
// Newton's method. Targets are smoothed as Platt's ("Probabilistic outputs for
// support vector machines", 1999), 1 − 1/(N_k+2) for the row's own class k, so
// that separable scores have a finite slope. weight may be nil.
func calibrate(scores blas.General[float64], class []int, weight []float64, k int) *calibration {
	c := &calibration{slope: 1, bias: make([]float64, k)}
	count := make([]float64, k)
	for i, y := range class {
		count[y] += weightOf(weight, i)
	}
	n := k + 1 // unknowns: slope, biases
	p, f, target := make([]float64, k), make([]float64, k), make([]float64, k)
	unit := &calibration{slope: 1, bias: make([]float64, k)}
	loss := func(c *calibration) float64 {
		var sum float64
		for i, y := range class {
			c.logits(p, scores.Row(i))
			smooth(target, y, count)
			var dot float64
			for j := range p {
				dot += float64(target[j] * p[j])
			}
			sum += float64(weightOf(weight, i) * (softmax(p) - dot))
		}
		return sum
	}
	now := loss(c)
	for range 50 {
		grad, hess := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i, y := range class {
			w := weightOf(weight, i)
			unit.logits(f, scores.Row(i))
			c.logits(p, scores.Row(i))
			softmax(p)
			smooth(target, y, count)
			var g, m, m2 float64
			for j := range p {
				g += float64((p[j] - target[j]) * f[j])
				m += float64(p[j] * f[j])
				m2 += float64(p[j] * f[j] * f[j])
			}
			grad.SetVec(0, grad.AtVec(0)+float64(w*g))
			hess.SetSym(0, 0, hess.At(0, 0)+float64(w*(m2-float64(m*m))))
			for j := range p {
				grad.SetVec(j+1, grad.AtVec(j+1)+float64(w*(p[j]-target[j])))
				hess.SetSym(0, j+1, hess.At(0, j+1)+float64(w*p[j]*(f[j]-m)))
				hess.SetSym(j+1, j+1, hess.At(j+1, j+1)+float64(w*p[j]))
				for l := j; l < k; l++ {
					hess.SetSym(j+1, l+1, hess.At(j+1, l+1)-float64(w*p[j]*p[l]))
				}
			}
		}
		// Adding a constant to all biases changes nothing; a touch of ridge picks one.
		for j := range n {
			hess.SetSym(j, j, float64(hess.At(j, j)*(1+1e-10))+1e-10)
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(hess) || chol.SolveVecTo(&step, grad) != nil {
			return c
		}
		next, size, improved := c, 1.0, false
		for range 30 {
			try := &calibration{slope: c.slope - float64(size*step.AtVec(0)), bias: make([]float64, k)}
			for j := range try.bias {
				try.bias[j] = c.bias[j] - float64(size*step.AtVec(j+1))
			}
			if l := loss(try); l < now {
				improved = now-l > 1e-10*math.Abs(now)
				next, now = try, l
				break
			}
			size /= 2
		}
		c = next
		if !improved {
			break
		}
	}
	return c
}

// smooth writes the smoothed target of class y.
func smooth(target []float64, y int, count []float64) {
	off := 1 / (count[y] + 2)
	for j := range target {
		target[j] = off / float64(len(target)-1)
	}
	target[y] = 1 - off
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
// held-out scores. An empty dst is sized. Errors: those of Predict, and
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
	softmax(dst)
}

// HeldOut is how a fit does on rows that its folds left out. A regression has
// RMSE, MAE and R2, in the unit of the target; a classification the rest.
type HeldOut struct {
	Rows     int64   // rows used, all or a sample; RMSE and R2 are of all rows
	Accuracy float64 // share of rows whose label is right
	LogLoss  float64 // mean −log of the calibrated probability of the right label, on the rows of the calibration itself

	RMSE, MAE, R2 []float64 // per target
}

func (h *HeldOut) String() string {
	return fmt.Sprintf("%.2f %% right, log loss %.4f", 100*h.Accuracy, h.LogLoss)
}

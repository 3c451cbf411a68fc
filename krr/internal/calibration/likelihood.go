package calibration

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/schedule"
)

// Rows are rows with scores of a model that has not seen them.
type Rows struct {
	Classes int
	Scores  blas.General[float64] // n×t
	Class   []int
	Fold    []int     // the fold that the model of the scores left out
	Row     []int     // the row of the data, ascending; nil with Cluster
	Cluster []int64   // per row of the data: shared by rows that may err alike; nil: by none
	weight  []float64 // per row; see Weigh
}

// Weigh sets the weights of the rows; nil stands for 1 each. It scales them so that
// they add up to (Σw)²/Σw², the number of rows of equal weight that say as much (Kish,
// "Survey Sampling", 1965): a calibration must not depend on the unit of the weights. Where a
// row of the data is several rows here, one for each class that it has a probability of, or where
// several are one, whole has the roots of the sums of squared weights of the rows of the data, which
// Σw² is of; otherwise it is nil.
func (s *Rows) Weigh(weight, whole []float64) {
	if whole == nil {
		whole = weight
	}
	s.weight = make([]float64, len(s.Class))
	most, sum, squares := 1.0, 0.0, float64(len(s.Class))
	if weight != nil {
		most, squares = slices.Max(whole), 0
	}
	for _, w := range whole {
		squares += float64((w / most) * (w / most))
	}
	for i := range s.weight {
		s.weight[i] = 1
		if weight != nil {
			s.weight[i] = weight[i] / most
		}
		sum += s.weight[i]
	}
	for i := range s.weight {
		s.weight[i] *= sum / squares
	}
}

// but returns the rows outside a fold, or all rows for −1.
func (s *Rows) but(fold int) *Rows {
	if fold < 0 {
		return s
	}
	o := &Rows{Classes: s.Classes, Scores: blas.General[float64]{Cols: s.Scores.Cols, Stride: s.Scores.Cols}}
	for i, at := range s.Fold {
		if at == fold {
			continue
		}
		o.Scores.Rows++
		o.Scores.Data = append(o.Scores.Data, s.Scores.Row(i)...)
		o.Class, o.Fold, o.weight = append(o.Class, s.Class[i]), append(o.Fold, at), append(o.weight, s.weight[i])
	}
	return o
}

// likelihood is the negative log likelihood of a calibration of some rows.
//
// Targets are smoothed as Platt's ("Probabilistic outputs for support vector
// machines", 1999), 1 − 1/(N_k+2) for the row's own class k, so that separable
// scores have finite slopes and few rows do not overfit.
//
// No slope is below least. A negative one would turn labels round, and few rows may ask for one:
// without a row its class is rarer than with it, so the folds' models err on the row, the more
// surely the fewer rows there are.
type likelihood struct {
	*Rows
	e      blas.Engine
	slopes int                   // 1 for two or for many classes, otherwise one per class
	biases int                   // one per class, or 0 for many
	off    []float64             // 1/(N_k+2): the part of a row of class k that goes to the others
	base   []float64             // a typical curvature of every unknown, which gives its unit
	rows   float64               // Σ weight
	least  float64               // a slope just large enough to order scores whose classes have equal shares
	p      blas.General[float64] // probabilities of the calibration that value was of last
	terms  []float64             // of every row, in its value
}

// blockRows are the rows that value takes at once on a worker, and newton between products.
const blockRows = 1024

// With up to manyClasses classes, each has a slope and a bias. More unknowns would be too many
// for the rows that are kept, and would take too long. With more classes there is one slope and
// no bias (Guo et al., "On calibration of modern neural networks", ICML 2017).
const manyClasses = 512

// A worker derives by someClasses or more.
const someClasses = 4

func newLikelihood(e blas.Engine, s *Rows) *likelihood {
	l := &likelihood{Rows: s, e: e, slopes: s.Classes, biases: s.Classes, off: make([]float64, s.Classes),
		p: blas.NewGeneral[float64](len(s.Class), s.Classes), terms: make([]float64, len(s.Class))}
	if s.Classes == 2 {
		l.slopes = 1
	}
	if s.Classes > manyClasses {
		l.slopes, l.biases = 1, 0
	}
	var squares float64
	for i, y := range s.Class {
		l.off[y] += s.weight[i]
		l.rows += s.weight[i]
		for _, f := range s.Scores.Row(i) {
			squares += float64(s.weight[i] * f * f)
		}
	}
	for k, n := range l.off {
		l.off[k] = 1 / (n + 2)
	}
	squares /= float64(s.Scores.Cols)
	squares = cmp.Or(squares, l.rows) // any unit will do
	for range l.slopes {
		l.base = append(l.base, squares/float64(s.Classes))
	}
	for range l.biases {
		l.base = append(l.base, l.rows/float64(s.Classes))
	}
	l.least = 1e-6 * l.unit()
	return l
}

// unit returns one over the scores' size.
func (l *likelihood) unit() float64 { return math.Sqrt(l.rows / float64(l.base[0]*float64(l.Classes))) }

// start returns the calibration that Newton's method starts from.
func (l *likelihood) start() *Calibration {
	c := &Calibration{Bias: make([]float64, l.Classes)}
	for range l.slopes {
		c.Slope = append(c.Slope, l.unit())
	}
	return c
}

// value returns the negative log likelihood of c. It leaves the probabilities in p.
func (l *likelihood) value(c *Calibration) float64 {
	n := len(l.Class)
	l.e.Each((n+blockRows-1)/blockRows, func(_ blas.Engine, block int) {
		for i := block * blockRows; i < min(n, (block+1)*blockRows); i++ {
			p, y := l.p.Row(i), l.Class[i]
			c.Logits(p, l.Scores.Row(i))
			own, off := p[y], l.off[y]
			all := dense.Sum(p)
			mean := float64((1-off)*own) + float64(off/float64(len(p)-1)*(all-own))
			most, rest := portable.Softmax(p)
			l.terms[i] = l.weight[i] * (most + rest - mean)
		}
	})
	return dense.Sum(l.terms)
}

// newton writes the gradient at the calibration that value was of last to grad and the Hessian to
// the upper triangle of hess. With J_k the derivative of logit k, which is f_k for its slope and 1
// for its bias, it is Σw·[Σ_k q_k·J_k·J_kᵀ − u·uᵀ], u = Σ_k q_k·J_k; rows √w·u
// come in blocks, whose products are the engine's.
func (l *likelihood) newton(grad []float64, hess blas.General[float64]) {
	clear(grad)
	clear(hess.Data)
	block := blas.NewGeneral[float64](min(blockRows, len(l.Class)), len(grad))
	shares := 1
	if l.slopes == l.Classes { // no two classes share an unknown
		shares = max(1, min(schedule.Workers(l.e.Workers), l.Classes/someClasses))
	}
	for i0 := 0; i0 < len(l.Class); i0 += blockRows {
		part := block.RowRange(0, min(blockRows, len(l.Class)-i0))
		clear(part.Data)
		l.e.Each(shares, func(_ blas.Engine, share int) {
			l.derive(part, i0, l.Classes*share/shares, l.Classes*(share+1)/shares, grad, hess)
		})
		blas.Syrk(l.e, true, true, -1, part, 1, hess)
	}
}

// derive adds what the logits of some classes for some rows have in the gradient and in the first
// sum of the Hessian, and writes their unknowns of the rows √w·u.
func (l *likelihood) derive(part blas.General[float64], first, from, to int, grad []float64, hess blas.General[float64]) {
	q, at := l.slopes, hess.Stride
	unit := &Calibration{Slope: []float64{1}, Bias: make([]float64, l.Classes)}
	f, others := make([]float64, l.Classes), float64(l.Classes-1)
	for i := range part.Rows {
		y, w, u := l.Class[first+i], l.weight[first+i], part.Row(i)
		unit.Logits(f, l.Scores.Row(first+i))
		root, off := math.Sqrt(w), l.off[y]
		target := off / others
		p := l.p.Row(first + i)
		for k := from; k < to; k++ {
			t := target
			if k == y {
				t = 1 - off
			}
			s, p, f := min(k, q-1), p[k], f[k]
			d, wp := float64(w*(p-t)), float64(w*p)
			wpf := float64(wp * f)
			grad[s] += float64(d * f)
			hess.Data[s*(at+1)] += float64(wpf * f)
			u[s] += float64(float64(root*p) * f)
			if l.biases > 0 {
				grad[q+k] += d
				hess.Data[s*at+q+k] += wpf
				hess.Data[(q+k)*(at+1)] += wp
				u[q+k] = root * p
			}
		}
	}
}

// Fit maximises the likelihood of the rows by Newton's method from a
// calibration, or from scratch if it is nil. It sets
// the floor by Laplace's rule of succession, (n·q_k + 1)/(n + K), as if each class had
// been seen once more: n rows do not show that anything is rarer than 1 in n+K. Rows of a cluster
// that err alike count as fewer: Fit divides the weights of rows by their design effect.
func Fit(ctx context.Context, e blas.Engine, rows *Rows, from *Calibration) (*Calibration, error) {
	return fit(ctx, e, rows, from, 1e-10)
}

// near is how much of the likelihood the last step of Measure may have gained. The next step
// would gain about the square of that, since Newton's method converges quadratically.
const near = 1e-5

// Measure returns a calibration whose likelihood is near the largest, and its log loss on the
// rows. Errors: that of ctx.
func Measure(ctx context.Context, e blas.Engine, rows *Rows, from *Calibration) (*Calibration, float64, error) {
	c, err := fit(ctx, e, rows, from, near)
	if err != nil {
		return nil, 0, err
	}
	return c, rows.LogLoss(c), nil
}

// fit is Fit that ends after a step that gains at most this share of the likelihood.
func fit(ctx context.Context, e blas.Engine, rows *Rows, from *Calibration, least float64) (*Calibration, error) {
	c, err := maximise(ctx, e, rows, from, least)
	if err == nil && rows.thin(c) {
		return maximise(ctx, e, rows, c, least)
	}
	return c, err
}

// maximise is fit with the weights as they are.
func maximise(ctx context.Context, e blas.Engine, rows *Rows, from *Calibration, least float64) (*Calibration, error) {
	l := newLikelihood(e, rows)
	c := from
	if c == nil {
		c = l.start()
	}
	n := len(l.base)
	c = l.less(c, 0, make([]float64, n)) // a copy
	grad, hess, factor := make([]float64, n), blas.NewGeneral[float64](n, n), blas.NewGeneral[float64](n, n)
	step := blas.NewGeneral[float64](n, 1)
	now := l.value(c)
	for range 50 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.newton(grad, hess)
		l.hold(c, grad, hess)
		// Adding a constant to all biases changes nothing, so the curvature in that
		// direction is 0, and rounding may make it negative: add the least ridge that
		// makes the Hessian positive definite.
		solved := false
		for ridge := 1e-10; ridge < 1 && !solved; ridge *= 10 {
			copy(factor.Data, hess.Data)
			for j, b := range l.base {
				factor.Row(j)[j] += float64(ridge * (hess.Row(j)[j] + b))
			}
			solved = blas.Cholesky(e, factor) == nil
		}
		if !solved {
			break
		}
		copy(step.Data, grad)
		blas.CholeskySolve(e, factor, step)
		improved := false
		for size := 1.0; size > 1e-9; size /= 2 {
			try := l.less(c, size, step.Data)
			if v := l.value(try); v < now {
				improved = now-v > least*math.Abs(now)
				c, now = try, v
				break
			}
		}
		if !improved {
			break
		}
	}
	c.Floor = 1 / (l.rows + float64(l.Classes))
	return c, nil
}

// hold keeps a step from slopes at their bound that would go below it, as projected Newton steps
// do (Bertsekas, "Projected Newton methods for optimization problems with simple constraints",
// SIAM J. Control and Optimization 20, 1982).
func (l *likelihood) hold(c *Calibration, grad []float64, hess blas.General[float64]) {
	for j, v := range c.Slope {
		if v > l.least || grad[j] <= 0 {
			continue
		}
		grad[j] = 0
		for i := range j {
			hess.Row(i)[j] = 0
		}
		clear(hess.Row(j)[j+1:])
	}
}

// less returns c − size·step, with slopes that are not below their bound.
func (l *likelihood) less(c *Calibration, size float64, step []float64) *Calibration {
	n := &Calibration{Slope: make([]float64, len(c.Slope)), Bias: make([]float64, len(c.Bias))}
	for j, v := range c.Slope {
		n.Slope[j] = max(v-float64(size*step[j]), l.least)
	}
	copy(n.Bias, c.Bias)
	for k, v := range step[len(c.Slope):] {
		n.Bias[k] -= float64(size * v)
	}
	return n
}

// LogLoss returns the mean −log of the probability of the right class.
func (s *Rows) LogLoss(c *Calibration) float64 {
	var sum, weight float64
	p := make([]float64, s.Classes)
	for i, y := range s.Class {
		c.Logits(p, s.Scores.Row(i))
		c.Probabilities(p)
		sum -= float64(s.weight[i] * portable.Log(p[y]))
		weight += s.weight[i]
	}
	return sum / weight
}

// ErrFolds says that fewer than two folds have rows.
var ErrFolds = errors.New("calibration: fewer than two folds with rows")

// HeldOut measures calibrations on rows that they have not seen. It measures each fold by a
// calibration on the other folds, whose fit starts from c, the calibration on all rows. Errors:
// ErrFolds; those of ctx.
func (s *Rows) HeldOut(ctx context.Context, e blas.Engine, folds int, c *Calibration) (measure.Classification, error) {
	others, errs := make([]*Calibration, folds), make([]error, folds)
	e.Each(folds, func(share blas.Engine, fold int) {
		rest := s.but(fold)
		if len(rest.Class) == len(s.Class) || len(rest.Class) == 0 {
			return // no rows to measure, or none to fit to
		}
		others[fold], errs[fold] = Fit(ctx, share, rest, c)
	})
	if err := cmp.Or(errs...); err != nil {
		return measure.Classification{}, err
	}
	all := measure.NewLabels(s.Classes)
	p := make([]float64, s.Classes)
	measured := false
	for i, y := range s.Class {
		c := others[s.Fold[i]]
		if c == nil {
			continue
		}
		measured = true
		scores := s.Scores.Row(i)
		c.Logits(p, scores)
		c.Probabilities(p)
		all.Add(y, c.Class(scores), p[s.Classes-1], s.weight[i])
		all.AddProbabilities(y, p, s.weight[i])
	}
	if !measured {
		return measure.Classification{}, ErrFolds
	}
	return all.Result(), nil
}

package krr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/internal/dense"
)

// LabelSets returns for every raw row of x the labels that it may have, in the order of the
// classes: the row's own label is among them with probability level, under the conditions of
// Interval. A set may be empty: where a classifier is right more often than level asks, some
// sets stay empty. A higher level has fewer empty sets.
//
// The sets are those of full conformal prediction with leave-one-out margins: for every
// candidate label all rows and the new one are fitted; the label is in the set unless the new
// row's margin stands below those of the sample. The margin of a row is the logit of its label
// less the largest of the other logits, in the fit without the row. A model that is not
// calibrated has scores in place of logits. Calibrated models (Settings.Probabilities) have
// smaller sets where there are more than two classes.
//
// Where the rows that new ones are compared with were kept apart (see Interval), margins are
// those of the fit itself.
//
// Errors: those of Predict; *rff.ParameterError for a regression, a model fitted without
// "intervals" in Settings.Uncertainty, or a level that takes more rows than the model has.
// In groups, a row whose group has too few rows for the level has the set of all labels.
func (m *Model) LabelSets(x mat.Matrix, level float64) ([][]string, error) {
	sets, err := m.labelSets(x, []float64{level})
	if err != nil {
		return nil, err
	}
	return sets[0], nil
}

// labelSets is LabelSets for several levels at once.
func (m *Model) labelSets(x mat.Matrix, levels []float64) ([][][]string, error) {
	if err := m.checkLevels(levels); err != nil {
		return nil, err
	}
	classes := m.schema.Target.Classes
	if classes == nil {
		return nil, setting("the model", nil, "is a regression and has no labels: use Interval")
	}
	var scores mat.Dense
	if err := m.Predict(&scores, x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	sets := make([][][]string, len(levels))
	for l := range sets {
		sets[l] = make([][]string, n)
	}
	rows := dense.Of(x)
	m.compare(rows, func(i int, of []near) {
		peers := m.sample.among(rows.Row(i))
		for k, below := range m.standBelow(scores.RawRowView(i), of, peers) {
			for l, level := range levels {
				if below < peers.least(level) || !peers.enough(level) {
					sets[l][i] = append(sets[l][i], classes[k])
				}
			}
		}
	})
	return sets, nil
}

// standBelow returns, for every class, how many of the peers have a larger margin than a new
// row of that class with those scores. In the fit without row i, the scores of row i are y −
// e/(1−h), where e and h are its residual and leverage in the fit with the new row. Of these,
// only e in the column of the new row's class depends on that class.
func (m *Model) standBelow(scores []float64, of []near, peers *peers) []float64 {
	c, by := m.sample, m.logits()
	classes := len(by)
	logit, more := make([]float64, classes), make([]float64, classes)
	for k, l := range by {
		logit[k] = l.bias + float64(l.slope*scores[l.column])
	}
	best := rivalsOf(logit, -1)
	own := make([]float64, classes)
	for k, l := range logit {
		own[k] = l - best.but(k)
	}
	below, steps, inverse := make([]float64, classes), make([]float64, len(of)), make([]float64, len(of))
	for _, j := range peers.rows {
		class := c.class[j]
		for factor, at := range of {
			steps[factor] = float64(c.unit*at.cross[j]) / at.more
			inverse[factor] = 1 / (c.left[factor][j] + float64(c.weight[j]*steps[factor]*at.cross[j]))
		}
		residual := c.residual.Row(j)
		for k, l := range by {
			step, inverse := steps[l.factor], inverse[l.factor]
			target := -l.sign
			if k == class {
				target = l.sign
			}
			// e and logit are for a new row of another class; more is what a new row of this
			// class adds.
			e := residual[l.column] + float64(step*(l.sign+scores[l.column]))
			logit[k] = l.bias + float64(l.slope*(target-float64(e*inverse)))
			more[k] = 2 * l.slope * l.sign * step * inverse
		}
		rivals := rivalsOf(logit, class)
		for k, l := range logit {
			margin := logit[class] - max(rivals.but(k), l+more[k])
			if k == class {
				margin = l + more[k] - rivals.first
			}
			if margin > own[k]+float64(rounding*max(1, math.Abs(own[k]))) {
				below[k] += c.count[j]
			}
		}
	}
	return below
}

// logit says how the logit of a class, or the score of a model that is not calibrated,
// follows from a column of the scores.
type logit struct {
	slope, bias    float64
	sign           float64 // of the column for the class: −1 for the first of two
	column, factor int     // of the posterior
}

// logits returns one for every class.
func (m *Model) logits() []logit {
	all := make([]logit, len(m.schema.Target.Classes))
	for k := range all {
		l := logit{slope: 1, sign: 1, column: min(k, len(m.intercept)-1)}
		if c := m.cal; c != nil {
			l.slope, l.bias = c.Slope[min(k, len(c.Slope)-1)], c.Bias[k]
			if len(all) == 2 {
				l.slope /= 2
			}
		}
		if len(all) == 2 && k == 0 {
			l.slope, l.sign = -l.slope, -1
		}
		l.factor = m.factor(l.column)
		all[k] = l
	}
	return all
}

// rivals are the largest and the second largest of the logits.
type rivals struct {
	first, second float64
	at            int // of the first
}

// rivalsOf returns the rivals among all classes but class, or among all for −1.
func rivalsOf(logit []float64, class int) rivals {
	r := rivals{math.Inf(-1), math.Inf(-1), -1}
	for k, l := range logit {
		switch {
		case k == class:
		case l > r.first:
			r = rivals{l, r.first, k}
		case l > r.second:
			r.second = l
		}
	}
	return r
}

// but returns the largest logit of a class other than k.
func (r rivals) but(k int) float64 {
	if k == r.at {
		return r.second
	}
	return r.first
}

package krr

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// LabelSets returns for every raw row of x the labels that it may have, in the order of the
// classes: its own is among them with probability level, under the conditions of Interval.
// A set may be empty: where a classifier is right more often than the level asks, the sets
// that are left out have no label, and a higher level has fewer of these.
//
// The sets are those of full conformal prediction with leave-one-out margins: a label
// belongs to the set unless, in the fit of all rows and of the new one with this label, the
// new row's margin stands below those of the sample. The margin of a row is what the logit
// of its label, or the score of a model that is not calibrated, is above the largest of the
// others, in the fit without the row. Calibrated models (Settings.Probabilities) have
// smaller sets where there are more than two classes.
//
// Errors: those of Predict; *rff.ParameterError for a regression, a model fitted without
// Settings.Intervals, or a level that takes more rows than the model has.
func (m *Model) LabelSets(x mat.Matrix, level float64) ([][]string, error) {
	least, err := m.least(level)
	if err != nil {
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
	sets := make([][]string, n)
	m.compare(general(x), func(i int, of []near) {
		for k, below := range m.standBelow(scores.RawRowView(i), of) {
			if below < least {
				sets[i] = append(sets[i], classes[k])
			}
		}
	})
	return sets, nil
}

// standBelow returns, for every class, how many rows of the sample have a larger margin
// than a new row of that class with those scores. The scores of a row i without it are
// y − e/(1−h), with e and h of the fit with the new row: of these, e in the column of the
// class alone depends on the class.
func (m *Model) standBelow(scores []float64, of []near) []float64 {
	c, classes := m.sample, len(m.schema.Target.Classes)
	logit, more := make([]float64, classes), make([]float64, classes)
	for k := range logit {
		logit[k] = m.logit(k, scoreOf(k, scores))
	}
	best := rivalsOf(logit, -1)
	own := make([]float64, classes)
	for k, l := range logit {
		own[k] = l - best.but(k)
	}
	below := make([]float64, classes)
	for j, class := range c.class {
		for k := range classes {
			factor := m.post.of[min(k, len(m.post.of)-1)]
			cross := of[factor].cross[j]
			step := float64(c.unit*cross) / of[factor].more
			left := c.left[factor][j] + float64(c.weight[j]*step*cross)
			y := -1.0
			if k == class {
				y = 1
			}
			// Of a new row of another class, and what it adds if it is of this one.
			residual := scoreOf(k, c.residual.Row(j)) + float64(step*(1+scoreOf(k, scores)))
			logit[k] = m.logit(k, y-residual/left)
			more[k] = m.logit(k, y-(residual-2*step)/left) - logit[k]
		}
		rivals := rivalsOf(logit, class)
		for k := range classes {
			margin := logit[class] - max(rivals.but(k), logit[k]+more[k])
			if k == class {
				margin = logit[k] + more[k] - rivals.first
			}
			if margin > own[k] {
				below[k] += c.count[j]
			}
		}
	}
	return below
}

// rivals are the largest and the second largest of the logits.
type rivals struct {
	first, second float64
	at            int // of the first
}

// rivalsOf returns those of all classes but one, or of all for −1.
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

// but returns the largest of the others than class k.
func (r rivals) but(k int) float64 {
	if k == r.at {
		return r.second
	}
	return r.first
}

// logit returns the logit of a class for its score, or the score of a model that is not
// calibrated.
func (m *Model) logit(class int, score float64) float64 {
	c := m.cal
	if c == nil {
		return score
	}
	if len(c.Bias) == 2 {
		score /= 2
	}
	return float64(c.Slope[min(class, len(c.Slope)-1)]*score) + c.Bias[class]
}

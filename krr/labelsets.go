package krr

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// LabelSets returns for every raw row of x the labels that it may have, in the order of
// Classes: its own is among them with probability level, under the conditions of Interval.
// A set is empty where no label is likely enough at this level: where a classifier is right
// more often than the level asks, some sets are, and a higher level has fewer.
//
// The sets are those of full conformal prediction: a label belongs to the set unless, in
// the fit of all rows and of the new one with this label, the new row's score for its label
// is lower than those of the sample are for theirs, each less 1 and over its standard
// error.
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
	c := m.sample
	factor := func(class int) int { return m.post.of[min(class, len(m.post.of)-1)] }
	m.compare(general(x), func(i int, of []near) {
		// The residuals of the sample, over their standard errors, with the new row in the
		// fit: in the column of their own class it is either of this class or not.
		f := scores.RawRowView(i)
		same, other := make([]float64, len(c.weight)), make([]float64, len(c.weight))
		for j, own := range c.class {
			at, left := of[factor(own)], c.left[factor(own)]
			cross, score := at.cross[j], scoreOf(own, f)
			step := float64(c.unit*cross) / at.more
			root := math.Sqrt(left[j] + float64(c.weight[j]*step*cross))
			residual := c.residual.Data[j]
			same[j] = (residual - float64(step*(1-score))) / root
			other[j] = (residual + float64(step*(1+score))) / root
		}
		for k, label := range classes {
			own := (1 - scoreOf(k, f)) / math.Sqrt(of[factor(k)].more)
			var below float64
			for j, class := range c.class {
				residual := other[j]
				if class == k {
					residual = same[j]
				}
				if residual < own {
					below += c.count[j]
				}
			}
			if below < least {
				sets[i] = append(sets[i], label)
			}
		}
	})
	return sets, nil
}

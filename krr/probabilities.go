package krr

import "gonum.org/v1/gonum/mat"

// Probabilities writes the probabilities of the classes, in the order of
// Classes, for the raw rows of x to dst, n×classes. They were calibrated on
// held-out scores, and none is below 1/(n+classes), n being the number of rows of
// the calibration. Rows of a group or run count as fewer if they err alike. An empty dst is sized. Errors: those of Predict, and
// *rff.ParameterError if the model is a regression or was fitted without
// Settings.Probabilities.
func (m *Model) Probabilities(dst *mat.Dense, x mat.Matrix) error {
	if m.cal == nil {
		return setting("the model", nil, "has no probabilities: fit a classification with Settings.Probabilities")
	}
	return sizing(func() error { return m.probabilities(dst, x) }, dst)
}

// probabilities is Probabilities of a model that has them.
func (m *Model) probabilities(dst *mat.Dense, x mat.Matrix) error {
	to, _, err := m.room(dst, x, len(m.schema.Target.Classes))
	if err != nil {
		return err
	}
	var scores mat.Dense
	if err := m.Predict(&scores, x); err != nil {
		return err
	}
	for i := range to.Rows {
		m.ProbabilitiesOf(to.Row(i), scores.RawRowView(i))
	}
	return nil
}

// ProbabilitiesOf writes the probabilities of the classes that one row of
// scores stands for. It panics unless the model has probabilities and
// the lengths fit.
func (m *Model) ProbabilitiesOf(dst, scores []float64) {
	if m.cal == nil || len(dst) != len(m.schema.Target.Classes) || len(scores) != len(m.intercept) {
		panic(errProbabilities)
	}
	m.cal.Logits(dst, scores)
	m.cal.Probabilities(dst)
}

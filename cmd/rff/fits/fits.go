// Package fits gives the programs of this module what package krr has for them alone:
// what their reports draw and print beside what Go programs ask for.
package fits

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/measure"
	"github.com/rffgo/rff/krr"
)

// Fitted is the report of a fit with what its model says of itself.
type Fitted struct {
	*krr.Report
	krr.ModelInfo
}

// Of returns both.
func Of(m *krr.Model, r *krr.Report) *Fitted { return &Fitted{r, m.Info()} }

// Search returns what krr.Auto tried and chose, nil of a report of krr.Fit.
func Search(r *krr.Report) *hook.Search { return hook.SearchOf(r) }

// Unresolved returns the λ of the grid that the path of a fit has not, since they are below
// the rounding errors of its sums.
func Unresolved(r *krr.Report) []float64 { return hook.Unresolved(r) }

// Total returns the error of p summed over the targets.
func Total(p krr.PathPoint) (sum float64) {
	for _, e := range p.Error {
		sum += e
	}
	return sum
}

// Classes returns all measures of a classification on held-out rows.
func Classes(h *krr.Measures) measure.Classification { return hook.Classes(h) }

// Numbers returns all measures of a regression on held-out rows, per target.
func Numbers(h *krr.Measures) []measure.Regression { return hook.Numbers(h) }

// Reweighted returns how many rows weigh more by the rule of a fit, and those that weigh most,
// of equal ones those that were fitted worst: at most 20.
func Reweighted(r *krr.Report) (rows int64, most []hook.Reweight) { return hook.Reweighted(r) }

// CheckMemory returns a *rff.ParameterError for the precision, features, folds or memory if
// a fit of so many features of these data needs more memory than this machine can give: what
// Linux says is available, within the limits of the process and its control groups.
// Elsewhere only sizes beyond any machine are refused. A fit of up to 16 MB is never
// refused. by is the sampler that will draw the map, or nil for random features. Callers
// that draw a map for a fit ask first.
func CheckMemory(data rff.Schema, features int, by rff.Sampler, s krr.Settings) error {
	return hook.CheckMemory(data, features, by, s)
}

// PredictBatch is m.Predict of matrices as sources have them.
func PredictBatch(m *krr.Model, dst, x rff.Matrix) error { return hook.PredictBatch(m, dst, x) }

// Intervals is m.Interval for several levels, for which rows are compared once.
func Intervals(m *krr.Model, low, high []*mat.Dense, x mat.Matrix, levels []float64) error {
	return hook.Intervals(m, low, high, x, levels)
}

// LabelSets is m.LabelSets for several levels.
func LabelSets(m *krr.Model, x mat.Matrix, levels []float64) ([][][]string, error) {
	return hook.LabelSets(m, x, levels)
}

// PerTarget returns what the columns of predictions with that name are called: the name alone or,
// of a model of several targets, with their numbers from 1.
func PerTarget(name string, m *krr.Model) []string {
	of, names := m.Info().Schema.Target, []string{name}
	_, outputs := m.Dims()
	if targets := outputs / max(1, len(of.Quantiles)); of.Classes == nil && targets > 1 {
		names = nil
		for t := range targets {
			names = append(names, fmt.Sprintf("%s %d", name, t+1))
		}
	}
	return names
}

// Predicted returns what the columns of predictions are called. Quantiles have one each.
func Predicted(m *krr.Model) (names []string) {
	levels := m.Info().Schema.Target.Quantiles
	for _, name := range PerTarget("predicted", m) {
		for _, level := range levels {
			names = append(names, fmt.Sprintf("%s %g", name, level))
		}
		if levels == nil {
			names = append(names, name)
		}
	}
	return names
}

package krr

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/calibration"
)

// Model is a fitted ridge regression or classifier, with all that it takes to predict
// raw rows. It is immutable and safe for concurrent use.
type Model struct {
	m         *rff.Map
	precision *stream.Precision
	scaling   rff.Scaling
	coef      blas.General[float64] // s×t
	intercept []float64
	by        stream.Predictor
	beside    []*Model  // whose scores are added, or nil
	limits    *limits   // of the inputs
	lo, hi    []float64 // range that predictions are confined to, or nil
	lambda    []float64 // per target
	cal       *calibration.Calibration
	link      string    // from scores to predictions: "" if they are the same, logLink or sorted
	levels    []float64 // of the quantiles of each target, sorted; nil for other losses
	post      *posterior
	sample    *conformal // of the rows of the fit, or nil
	r2, rmse  []float64  // on the training rows
	solved    Solved
	prov      map[string]string
	schema    rff.Schema // without Rows
}

// With logLink, predictions are the exponentials of scores. With sorted, they are the scores of
// a target's levels in ascending order. Sorting never increases the sum of their losses, τ(y −
// f) + max(0, f − y), whose second terms do not depend on the order (Chernozhukov,
// Fernández-Val and Galichon, "Quantile and probability curves without crossing", 2010,
// Proposition 4).
const logLink, sorted = "log", "sorted"

// Map returns the map of the features that have coefficients. Of features on landmarks these are the
// kernel sections on them, and the ridge is another on these than on the features that were fitted:
// more rows for the sums of the fit (Settings.Gram), and another fit, take Gram.Map or the map that
// Fit was given. If Auto made the model a mean of several ("mean" in its provenance), it is that of
// the first.
func (m *Model) Map() *rff.Map { return m.m }

// ModelInfo is what a model says of itself, in copies.
type ModelInfo struct {
	// GramSettings are the settings of a Gram whose Solve makes such a model. They say what the
	// columns of raw rows are, how these become inputs (rff.EncoderOf), what is predicted and
	// its classes, the scaling of inputs, the precision, and what the model keeps.
	GramSettings
	Lambda []float64 // per target
	Solved Solved    // how the coefficients were found
	// Noise is the variance σ² of a target about its mean, per target, in a row of weight 1;
	// in one of weight w it is σ²/w. nil: the model was fitted without Settings.Uncertainty,
	// and has no Variance.
	Noise []float64
	// Intervals is the number of rows that Interval or LabelSets compare new ones with. 0:
	// the model was fitted without Settings.Uncertainty of "intervals", and has none.
	Intervals int
	// Probabilities says whether the model is calibrated and has Probabilities.
	Probabilities bool
	// Provenance is what was recorded about the fit: settings, counts, versions.
	Provenance map[string]string
}

// Info returns what the model says of itself.
func (m *Model) Info() ModelInfo {
	i := ModelInfo{GramSettings: GramSettings{Schema: m.schema, Precision: nameOf(m.precision), Scaling: m.scaling, ClipPredictions: m.lo != nil, Variance: m.post != nil},
		Lambda: slices.Clone(m.lambda), Solved: m.solved, Probabilities: m.cal != nil, Provenance: maps.Clone(m.prov)}
	i.Schema.Target.Quantiles = slices.Clone(m.levels)
	for t, low := range m.lo {
		i.Schema.Target.Range = append(i.Schema.Target.Range, []float64{low, m.hi[t]})
	}
	if m.post != nil {
		i.Noise = slices.Clone(m.post.noise)
	}
	if m.sample != nil {
		i.Intervals = len(m.sample.weight)
	}
	if i.Provenance == nil {
		i.Provenance = map[string]string{}
	}
	return i
}

// Dims returns the number of inputs and of outputs (targets, or scores: one for
// two classes, one per class for more; or one per quantile of every target).
func (m *Model) Dims() (in, out int) {
	in, _ = m.m.Dims()
	return in, len(m.intercept)
}

// Coefficients returns a copy of β, s×t, and of the intercept. Of a mean of several models, β is
// that of Map, times its weight.
func (m *Model) Coefficients() (*mat.Dense, []float64) {
	c := dense.Clone(m.coef)
	return mat.NewDense(c.Rows, c.Cols, c.Data), slices.Clone(m.intercept)
}

// On returns the same model evaluated on engine e. The error is that of rff.Map.On.
func (m *Model) On(e rff.Engine) (*Model, error) {
	on, err := m.m.On(e)
	if err != nil {
		return nil, err
	}
	c := *m
	c.m = on
	return &c, nil
}

// newModel completes a model from its coefficients, those of a map without a base.
func newModel(m *rff.Map, p *stream.Precision, sc rff.Scaling, coef blas.General[float64], intercept []float64) *Model {
	return &Model{m: m, precision: p, scaling: sc, coef: coef, intercept: intercept, by: p.NewPredictor(m, sc, coef, intercept), limits: newLimits(m, p, sc)}
}

// posterior holds what the variance of predictions needs. With M = A + nλI and any F with FᵀF =
// M⁻¹, var f(x) = σ²(1/n + ‖F(z−z̄)‖²). That is a sum of squares, so rounding cannot make it
// negative.
type posterior struct {
	factors []blas.General[float64] // F, s×s, one per distinct λ
	of      []int                   // the factor of each target
	mean    []float64               // z̄
	weight  float64                 // Σw
	noise   []float64               // σ² per target
}

// factors returns the factors of the posterior, or none if the model has no posterior.
func (m *Model) factors() []blas.General[float64] {
	if m.post == nil {
		return nil
	}
	return m.post.factors
}

// factor returns the index of a target's factor, or 0 if the model has no posterior.
func (m *Model) factor(t int) int {
	if m.post == nil {
		return 0
	}
	return m.post.of[t]
}

// conformal is a sample of rows, with what it takes to leave one of them out of the fit and to
// add a new row. Interval and LabelSets compare new rows with the sample.
//
// With κ(a,b) = 1/Σw + (F(a−z̄))ᵀF(b−z̄), where FᵀF = (A + nλI)⁻¹, a row i of weight w and
// residual e has the leverage h = wκ(i,i). Without it the model predicts
// f(x) − wκ(x,i)·e/(1−h) at x. With a new row x of target y and weight v it predicts
// f(i) + vκ(x,i)·(y − f(x))/(1 + vκ(x,x)) at row i, whose leverage is then
// h − wvκ(x,i)²/(1 + vκ(x,x)). Both are exact for a given map, nλ and weights.
//
// Rows that the fit has not seen have κ = 0, and so h = 0.
type conformal struct {
	turned   []blas.General[float64] // F(z−z̄) of the m rows, m×s, per factor of the posterior; nil: κ = 0
	residual blas.General[float64]   // y − f, m×t
	class    []int                   // of every row; nil for a regression
	weight   []float64
	by       inside.Grouping
	group    []float64 // of every row; nil: all rows are one group

	// newConformal computes the fields below from those above.
	unit   float64            // weight of a new row: Σw²/Σw
	count  []float64          // weight over unit: the number of rows that a row counts as
	groups map[float64]*peers // the rows of every group; their counts add up to m if weights are equal
	left   [][]float64        // 1 − h per factor and row
	none   []near             // the near of every new row if κ = 0
}

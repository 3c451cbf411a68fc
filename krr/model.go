package krr

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/krr/internal/calibration"
	"github.com/rffgo/rff/krr/internal/stream"
)

// Model is a fitted ridge regression or classifier: all that predicting raw
// rows needs. It is immutable and safe for concurrent use.
type Model struct {
	m         *rff.Map
	precision Precision
	scaling   rff.Scaling
	coef      blas.General[float64] // s×t
	coef32    blas.General[float32]
	intercept []float64
	inter32   []float32
	zero32    []float32 // in place of inter32 for a regression; see predict
	limits    *limits   // of the inputs
	classes   []string
	lo, hi    []float64 // range that predictions are confined to, or nil
	lambda    []float64 // per target
	cal       *calibration.Calibration
	post      *posterior
	r2, rmse  []float64 // on the training rows
	solved    Solved
	prov      map[string]string
	inputs    []string // names of the columns, or nil
	target    string
}

// Map returns the feature map.
func (m *Model) Map() *rff.Map { return m.m }

// Dims returns the number of inputs and of outputs (targets, or scores: one for
// two classes, one per class for more).
func (m *Model) Dims() (in, out int) {
	in, _ = m.m.Dims()
	return in, len(m.intercept)
}

// Inputs returns the names of the columns that the model was fitted on, or nil.
func (m *Model) Inputs() []string { return slices.Clone(m.inputs) }

// Target returns the name of the column that the model predicts, or "".
func (m *Model) Target() string { return m.target }

// Classes returns the class labels, or nil for a regression. ClassOf says which
// a row of scores stands for.
func (m *Model) Classes() []string { return slices.Clone(m.classes) }

// Scaling returns what is applied to inputs before the map.
func (m *Model) Scaling() rff.Scaling { return m.scaling }

// Precision returns the arithmetic of features in predictions.
func (m *Model) Precision() Precision { return m.precision }

// Lambda returns the λ of each target.
func (m *Model) Lambda() []float64 { return slices.Clone(m.lambda) }

// Solved says how the coefficients were found.
func (m *Model) Solved() Solved { return m.solved }

// Coefficients returns a copy of β, s×t, and of the intercept.
func (m *Model) Coefficients() (*mat.Dense, []float64) {
	c := dense.Clone(m.coef)
	return mat.NewDense(c.Rows, c.Cols, c.Data), slices.Clone(m.intercept)
}

// Range returns what the predictions of each target are confined to, or nil.
func (m *Model) Range() (lo, hi []float64) { return slices.Clone(m.lo), slices.Clone(m.hi) }

// On returns the same model evaluated on engine e.
func (m *Model) On(e blas.Engine) *Model {
	c := *m
	c.m = m.m.On(e)
	return &c
}

// Provenance returns what was recorded about the fit: settings, counts, versions.
func (m *Model) Provenance() map[string]string {
	p := make(map[string]string, len(m.prov))
	for k, v := range m.prov {
		p[k] = v
	}
	return p
}

// newModel completes a model from its coefficients.
func newModel(m *rff.Map, p Precision, sc rff.Scaling, coef blas.General[float64], intercept []float64) *Model {
	if of, product := sectionsOf(m); product.Data != nil {
		m, coef = of, unfold(m.Engine(), product, coef)
	}
	out := &Model{m: m, precision: p, scaling: sc, coef: coef, intercept: intercept, limits: newLimits(m, p, sc)}
	if p == Float32 {
		out.coef32 = blas.NewGeneral[float32](coef.Rows, coef.Cols)
		for i := range coef.Rows {
			stream.Convert(out.coef32.Row(i), coef.Row(i))
		}
		out.inter32 = make([]float32, len(intercept))
		stream.Convert(out.inter32, intercept)
		out.zero32 = make([]float32, len(intercept))
	}
	return out
}

// posterior is what the variance of predictions needs. With M = A + nλI and any
// F with FᵀF = M⁻¹, var f(x) = σ²(1/n + ‖F(z−z̄)‖²): a sum of squares, so it
// cannot be negative.
type posterior struct {
	factors []blas.General[float64] // F, s×s, one per distinct λ
	of      []int                   // the factor of each target
	mean    []float64               // z̄
	weight  float64                 // Σw
	noise   []float64               // σ² per target
}

package krr

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// Variance writes the posterior variance of the predictions of the raw rows of
// x to dst, n×t, in the Bayesian view of ridge regression, y ~ N(b + zᵀβ, σ²),
// β ~ N(0, σ²/(nλ)·I): how uncertain the training rows leave f(x). A new observation
// at x varies by ModelInfo.Noise in addition. An empty dst is sized. Errors:
// those of Predict, and *rff.ParameterError if the model was fitted without variance.
func (m *Model) Variance(dst *mat.Dense, x mat.Matrix) error {
	if m.post == nil {
		return setting("the model", nil, "has no variance: set Settings.Uncertainty, and fit again")
	}
	return sizing(func() error { return m.variance(dst, x) }, dst)
}

// variance is Variance of a model that has it.
func (m *Model) variance(dst *mat.Dense, x mat.Matrix) error {
	to, from, err := m.room(dst, x, len(m.intercept))
	if err == nil {
		err = m.limits.check(from, 0, m.schema)
	}
	if err != nil {
		return err
	}
	m.turn(from, blas.RowBlock, func(first int, turned []blas.General[float64]) {
		for t, of := range m.post.of {
			for i := range turned[of].Rows {
				row := turned[of].Row(i)
				to.Row(first + i)[t] = m.post.noise[t] * m.post.form(row, row)
			}
		}
	})
	return nil
}

// turn calls f for up to block raw rows of x at a time, from row first on, with F(z−z̄) for
// every factor F of the posterior.
func (m *Model) turn(x blas.General[float64], block int, f func(first int, turned []blas.General[float64])) {
	e, p := inside.Engine(m.m), m.post
	s := len(p.mean)
	block = min(x.Rows, block)
	xs, z := blas.NewGeneral[float64](block, x.Cols), blas.NewGeneral[float64](block, s)
	all, turned := make([]blas.General[float64], len(p.factors)), make([]blas.General[float64], len(p.factors))
	for k := range all {
		all[k] = blas.NewGeneral[float64](block, s)
	}
	for i := 0; i < x.Rows; i += block {
		rows := min(block, x.Rows-i)
		xb, zb := xs.RowRange(0, rows), z.RowRange(0, rows)
		stream.ScaleRows(m.scaling, xb, x.RowRange(i, i+rows))
		inside.Features64(m.m).Transform(e, zb, xb)
		for r := range rows {
			row := zb.Row(r)
			for j := range row {
				row[j] -= p.mean[j]
			}
		}
		for k, factor := range p.factors {
			turned[k] = all[k].RowRange(0, rows)
			blas.Gemm(e, false, true, 1, zb, factor, 0, turned[k])
		}
		f(i, turned)
	}
}

// form returns κ of two rows that F turned.
func (p *posterior) form(a, b []float64) float64 {
	sum := 1 / p.weight
	for j, v := range a {
		sum += float64(v * b[j])
	}
	return sum
}

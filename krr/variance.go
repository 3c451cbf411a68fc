package krr

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
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
	n, d := x.Dims()
	in, out := m.Dims()
	if m.post == nil {
		return setting("the model", nil, "has no variance: set Settings.Variance, and fit again")
	}
	if d != in {
		return &rff.ShapeError{Name: "x", Rows: n, Cols: d, WantRows: -1, WantCols: in}
	}
	if dst.IsEmpty() && n > 0 {
		dst.ReuseAs(n, out)
	}
	if r, c := dst.Dims(); r != n || c != out {
		return &rff.ShapeError{Name: "dst", Rows: r, Cols: c, WantRows: n, WantCols: out}
	}
	xg := general(x)
	if err := m.limits.check(xg, 0, m.schema); err != nil {
		return err
	}
	e, p := inside.Engine(m.m), m.post
	s := len(p.mean)
	block := min(n, blas.RowBlock)
	xs, z, q := blas.NewGeneral[float64](block, in), blas.NewGeneral[float64](block, s), blas.NewGeneral[float64](block, s)
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		xb, zb, qb := xs.RowRange(0, rows), z.RowRange(0, rows), q.RowRange(0, rows)
		for r := range rows {
			stream.Scale(m.scaling, xb.Row(r), xg.Row(i+r))
		}
		inside.Features64(m.m).Transform(e, zb, xb)
		for r := range rows {
			row := zb.Row(r)
			for j := range row {
				row[j] -= p.mean[j]
			}
		}
		for k, f := range p.factors {
			blas.Gemm(e, false, true, 1, zb, f, 0, qb)
			for r := range rows {
				sum := 1 / p.weight
				for _, v := range qb.Row(r) {
					sum += float64(v * v)
				}
				for t, of := range p.of {
					if of == k {
						dst.Set(i+r, t, p.noise[t]*sum)
					}
				}
			}
		}
	}
	return nil
}

package reproduce

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
)

// Gaussian sets dst, x.Rows × y.Rows, to exp(−‖xᵢ−yⱼ‖²/(2σ²)), by a product of the rows:
// inputs should have about the size of σ, since ‖xᵢ‖² + ‖yⱼ‖² − 2xᵢᵀyⱼ cancels.
func Gaussian(dst, x, y blas.General[float64], sigma float64) {
	blas.Gemm(blas.Engine{}, false, true, 1, x, y, 0, dst)
	nx, ny := norms(x), norms(y)
	scale := 1 / (2 * sigma * sigma)
	for i := range dst.Rows {
		row := dst.Row(i)
		for j, dot := range row {
			r := max(0, nx[i]+ny[j]-2*dot)
			row[j] = portable.Exp(-float64(r * scale))
		}
	}
}

// norms returns the squared norms of the rows.
func norms(x blas.General[float64]) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		for _, v := range x.Row(i) {
			out[i] += float64(v * v)
		}
	}
	return out
}

// Expansion is f(x) = Σ Coef_i·k(X_i, x) + Offset with a Gaussian k, as exact solvers
// find it.
type Expansion struct {
	X      blas.General[float64]
	Coef   []float64
	Offset float64
	Sigma  float64
}

// Predict returns f of the rows of x, a block of rows at a time. The error is the
// context's.
func (e *Expansion) Predict(ctx context.Context, x blas.General[float64]) ([]float64, error) {
	out := make([]float64, x.Rows)
	k := blas.NewGeneral[float64](blas.RowBlock, e.X.Rows)
	for at := 0; at < x.Rows; at += blas.RowBlock {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n := min(blas.RowBlock, x.Rows-at)
		part := k.RowRange(0, n)
		Gaussian(part, x.RowRange(at, at+n), e.X, e.Sigma)
		for i := range n {
			f := e.Offset
			for j, v := range part.Row(i) {
				f += float64(v * e.Coef[j])
			}
			out[at+i] = f
		}
	}
	return out, nil
}

// KernelRidge solves kernel ridge regression with an intercept that is not penalised, as
// krr does on features: (K + nλI)α + b = y, Σα = 0. It overwrites k.
func KernelRidge(k blas.General[float64], y []float64, lambda float64) (coef []float64, offset float64, err error) {
	n := k.Rows
	right := blas.NewGeneral[float64](n, 2)
	for i, v := range y {
		k.Row(i)[i] += float64(n) * lambda
		right.Row(i)[0], right.Row(i)[1] = v, 1
	}
	if err := blas.Cholesky(blas.Engine{}, k); err != nil {
		return nil, 0, err
	}
	blas.CholeskySolve(blas.Engine{}, k, right)
	var sum, ones float64
	for i := range n {
		sum, ones = sum+right.Row(i)[0], ones+right.Row(i)[1]
	}
	offset = sum / ones
	for i := range n {
		coef = append(coef, right.Row(i)[0]-float64(offset*right.Row(i)[1]))
	}
	return coef, offset, nil
}

package dual

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Coordinates are rows X, n×r, with the products of the features of n rows, ZZᵀ = XXᵀ, where r is
// the rank of Z. Whatever is to be learned of features by way of scores Zβ and ‖β‖ has its
// solution in the span of the rows, and these are the coordinates of that span.
type Coordinates struct {
	X    blas.General[float64]
	d    *Problem
	rows []int // r rows whose features span those of all
}

// Coordinates factors ZZᵀ with pivots, which ends where what is left of every row is a rounding
// error (Higham, "Analysis of the Cholesky decomposition of a semi-definite matrix", 1990). The
// error is that of ctx.
func (d *Problem) Coordinates(ctx context.Context) (*Coordinates, error) {
	n := d.k.Rows
	c := &Coordinates{X: blas.NewGeneral[float64](n, n), d: d}
	left := make([]float64, n) // of the squares of the rows
	var largest float64
	for i := range left {
		left[i] = d.k.Row(i)[i]
		largest = max(largest, left[i])
	}
	column := blas.NewGeneral[float64](n, 1)
	for r := 0; r < n; r++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := 0
		for i, v := range left {
			if v > left[at] {
				at = i
			}
		}
		if !(left[at] > float64(float64(n)*0x1p-52*largest)) {
			break
		}
		c.rows = append(c.rows, at)
		copy(column.Data, d.k.Row(at))
		if r > 0 {
			so := blas.General[float64]{Rows: n, Cols: r, Stride: n, Data: c.X.Data}
			blas.Gemm(d.e, false, true, -1, so, so.RowRange(at, at+1), 1, column)
		}
		root := math.Sqrt(left[at])
		for i, v := range column.Data {
			if left[i] < 0 { // it is one of rows already
				continue
			}
			x := v / root
			c.X.Row(i)[r] = x
			left[i] = max(0, left[i]-float64(x*x))
		}
		c.X.Row(at)[r], left[at] = root, -1
	}
	c.X.Cols = len(c.rows)
	return c, nil
}

// Coef returns the coefficients of the features, s×t, that stand for those of the coordinates,
// r×t: β = Zᵀα for the rows that span, of which X is triangular.
func (c *Coordinates) Coef(of blas.General[float64]) blas.General[float64] {
	alpha := blas.NewGeneral[float64](c.X.Rows, of.Cols)
	for r := len(c.rows) - 1; r >= 0; r-- {
		to := alpha.Row(c.rows[r])
		copy(to, of.Row(r))
		for _, below := range c.rows[r+1:] {
			dense.AddTimes(to, -c.X.Row(below)[r], alpha.Row(below))
		}
		for k := range to {
			to[k] /= c.X.Row(c.rows[r])[r]
		}
	}
	return c.d.combine(alpha, func(blas.General[float64], int, int, int) {})
}

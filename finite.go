package rff

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// CheckFinite returns a *ValueError for the first NaN or infinity of the inputs x,
// whose rows are rows first, first+1, … of the data, or nil.
func CheckFinite[T blas.Float](x blas.General[T], first int64) error {
	return checkFinite("input", x, first)
}

// checkFinite is CheckFinite for columns that are called what.
func checkFinite[T blas.Float](what string, x blas.General[T], first int64) error {
	i, j := dense.NotFinite(x)
	if i < 0 {
		return nil
	}
	return &ValueError{first + int64(i), fmt.Sprintf("%s %d", what, j+1), float64(x.Row(i)[j]), "must be finite: remove the row or fill the value in"}
}

// checkFiniteMatrix is CheckFinite for any matrix.
func checkFiniteMatrix(x mat.Matrix) error {
	if view, ok := rowsOf(x); ok {
		return CheckFinite(view, 0)
	}
	n, d := x.Dims()
	block := blas.NewGeneral[float64](min(n, copyBlock), d)
	for i := 0; i < n; i += copyBlock {
		rows := block.RowRange(0, min(copyBlock, n-i))
		copyRows(rows, x, i)
		if err := CheckFinite(rows, int64(i)); err != nil {
			return err
		}
	}
	return nil
}

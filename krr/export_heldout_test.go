package krr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// HeldOutSample returns the inputs of the sampled rows of x, of one column, that
// come in batches.
func HeldOutSample(x blas.General[float64], batch, most int) []float64 {
	y := blas.NewGeneral[float64](x.Rows, 1)
	data, err := rff.FromMatrix(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(y.Rows, y.Cols, y.Data))
	if err != nil {
		panic(err)
	}
	h := &held{f: &fit{data: data, foldCount: 5}, most: most, below: math.MaxUint64}
	for i := 0; i < x.Rows; i += batch {
		j := min(i+batch, x.Rows)
		h.add(rff.Batch{First: int64(i), X: x.RowRange(i, j), Y: y.RowRange(i, j)})
	}
	return h.x
}

package blas_test

import (
	"fmt"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Sums over a stream of rows: features never exist for more than a block of rows.
func ExampleAccumulator() {
	// One frequency of one input: z = [cos x, sin x].
	m := blas.Pack[float64](&blas.Spec{Dim: 1, W: blas.General[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}},
		Func: asm.CosSin, Weight: []float64{1, 1}})
	a := blas.NewAccumulator(m, 1, true)
	x, y := blas.NewGeneral[float64](4, 1), blas.NewGeneral[float64](4, 1)
	for i := range 4 {
		x.Data[i], y.Data[i] = float64(i)*math.Pi/2, float64(i)
	}
	e := blas.Engine{Workers: 1}
	a.Add(e, x.RowRange(0, 3), y.RowRange(0, 3), nil)
	a.Add(e, x.RowRange(3, 4), y.RowRange(3, 4), nil)
	a.Flush(e)
	fmt.Printf("%d rows, G = [%.0f %.0f; · %.0f], ZᵀY = [%.0f %.0f]\n", a.Rows, a.G.Data[0], math.Abs(a.G.Data[1]), a.G.Data[3], a.ZY.Data[0], a.ZY.Data[1])
	// Output: 4 rows, G = [2 0; · 2], ZᵀY = [-2 -2]
}

// A matrix without a factor is an error that names the pivot.
func ExampleCholesky() {
	a := blas.General[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 0, 1}}
	fmt.Println(blas.Cholesky(blas.Engine{}, a))
	// Output: blas: matrix is not positive definite: pivot 1 is -3; increase the regularisation λ
}

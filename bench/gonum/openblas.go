package main

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	_ "github.com/rffgo/rff" // registers OpenBLAS, with its tag
	"github.com/rffgo/rff/blas"
)

// onEngine has the routines that are timed, in the forms that are timed, on a backend of package
// blas. The others are gonum's.
type onEngine struct {
	gonum.Implementation
	e blas.Engine
}

func square[T blas.Float](n int, data []T) blas.General[T] {
	return blas.General[T]{Rows: n, Cols: n, Stride: n, Data: data}
}

func (o onEngine) Dgemm(_, _ gblas.Transpose, n, _, _ int, alpha float64, a []float64, _ int, b []float64, _ int, beta float64, c []float64, _ int) {
	blas.Gemm(o.e, false, false, alpha, square(n, a), square(n, b), beta, square(n, c))
}

func (o onEngine) Sgemm(_, _ gblas.Transpose, n, _, _ int, alpha float32, a []float32, _ int, b []float32, _ int, beta float32, c []float32, _ int) {
	blas.Gemm(o.e, false, false, alpha, square(n, a), square(n, b), beta, square(n, c))
}

func (o onEngine) Dsyrk(_ gblas.Uplo, _ gblas.Transpose, n, _ int, alpha float64, a []float64, _ int, beta float64, c []float64, _ int) {
	blas.Syrk(o.e, true, true, alpha, square(n, a), beta, square(n, c))
}

func (o onEngine) Dtrsm(_ gblas.Side, _ gblas.Uplo, _ gblas.Transpose, _ gblas.Diag, n, _ int, _ float64, a []float64, _ int, b []float64, _ int) {
	blas.TrsmUpper(o.e, true, square(n, a), square(n, b))
}

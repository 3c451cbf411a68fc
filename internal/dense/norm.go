package dense

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// NormSquared returns an estimate of ‖P‖₂², from below, by ten steps of the power
// method on PPᵀ.
func NormSquared(e blas.Engine, p blas.General[float64]) float64 {
	v, w := blas.NewGeneral[float64](p.Rows, 1), blas.NewGeneral[float64](p.Cols, 1)
	for i := range v.Data { // hardly orthogonal to a vector of interest
		v.Data[i] = 1 + float64(i%7)
		if i%3 == 1 {
			v.Data[i] = -v.Data[i]
		}
	}
	norm := 0.0
	for range 10 {
		size := length(v.Data)
		if size == 0 {
			return 0
		}
		for i := range v.Data {
			v.Data[i] /= size
		}
		blas.Gemm(e, true, false, 1, p, v, 0, w)
		blas.Gemm(e, false, false, 1, p, w, 0, v)
		norm = length(v.Data)
	}
	return norm
}

func length(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += float64(x * x)
	}
	return math.Sqrt(s)
}

package dense

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// NormSquared returns an estimate of ‖P‖₂² of an upper triangle P, from below, by ten
// steps of the power method on PᵀP.
func NormSquared(p blas.General[float64]) float64 {
	v, w := make([]float64, p.Rows), make([]float64, p.Rows)
	for i := range v { // hardly orthogonal to a vector of interest
		v[i] = 1 + float64(i%7)
		if i%3 == 1 {
			v[i] = -v[i]
		}
	}
	norm := 0.0
	for range 10 {
		size := length(v)
		if size == 0 {
			return 0
		}
		for i := range v {
			v[i] /= size
		}
		clear(w)
		for i := range p.Rows {
			addProjection(w[i:], p.Row(i)[i:], v[i:])
		}
		v, w = w, v
		norm = length(v)
	}
	return norm
}

// addProjection adds (row·v)·row to dst. The product is summed in four lanes.
func addProjection(dst, row, v []float64) {
	dst, v = dst[:len(row)], v[:len(row)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		a += float64(row[i] * v[i])
		b += float64(row[i+1] * v[i+1])
		c += float64(row[i+2] * v[i+2])
		d += float64(row[i+3] * v[i+3])
	}
	for ; i < len(row); i++ {
		a += float64(row[i] * v[i])
	}
	s := (a + b) + (c + d)
	for i, x := range row {
		dst[i] += float64(s * x)
	}
}

func length(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += float64(x * x)
	}
	return math.Sqrt(s)
}

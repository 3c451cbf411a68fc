package dense

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// NormSquared returns a lower estimate of ‖P‖₂² for an upper triangle P, by ten steps of the power
// method on PᵀP.
func NormSquared(p blas.General[float64]) float64 {
	w := make([]float64, p.Rows)
	return power(p.Rows, func(v []float64) {
		clear(w)
		for i := range p.Rows {
			addProjection(w[i:], p.Row(i)[i:], v[i:])
		}
		copy(v, w)
	})
}

// InverseNormSquared returns a lower estimate of ‖U⁻¹‖₂² for an upper triangle U without zeros on
// its diagonal, by ten steps of the power method on (UᵀU)⁻¹.
func InverseNormSquared(u blas.General[float64]) float64 {
	dot := asm.Native[float64]().Dot
	return power(u.Rows, func(v []float64) {
		for i := range v { // Uᵀ
			row := u.Row(i)[i:]
			v[i] /= row[0]
			subtract(v[i+1:], row[1:], v[i])
		}
		for i := len(v) - 1; i >= 0; i-- { // U
			row := u.Row(i)[i:]
			v[i] = (v[i] - dot(row[1:], v[i+1:])) / row[0]
		}
	})
}

// power multiplies a vector ten times by a matrix, and scales it to length 1 before each
// multiplication. It returns the last length, or 0 if a vector was 0.
func power(n int, multiply func(v []float64)) float64 {
	v := make([]float64, n)
	for i := range v { // such a start is hardly orthogonal to a vector of interest
		v[i] = 1 + float64(i%7)
		if i%3 == 1 {
			v[i] = -v[i]
		}
	}
	norm := 0.0
	for range 10 {
		size := math.Sqrt(SumSquares(v))
		if size == 0 {
			return 0
		}
		for i := range v {
			v[i] /= size
		}
		multiply(v)
		norm = math.Sqrt(SumSquares(v))
	}
	return norm
}

// subtract takes s·row from dst.
func subtract(dst, row []float64, s float64) {
	dst = dst[:len(row)]
	i := 0
	for ; i+4 <= len(row); i += 4 {
		d, r := dst[i:i+4:i+4], row[i:i+4:i+4]
		d[0] -= float64(s * r[0])
		d[1] -= float64(s * r[1])
		d[2] -= float64(s * r[2])
		d[3] -= float64(s * r[3])
	}
	for ; i < len(row); i++ {
		dst[i] -= float64(s * row[i])
	}
}

// addProjection adds (row·v)·row to dst.
func addProjection(dst, row, v []float64) { AddTimes(dst, Dot(row, v), row) }

// Dot is Σ x·y in four sums, the same on every platform.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	for ; i < len(x); i++ {
		s0 += float64(x[i] * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// SumSquares returns Σv², added from the first to the last.
func SumSquares[T blas.Float](v []T) float64 {
	var s float64
	for _, x := range v {
		s += float64(float64(x) * float64(x))
	}
	return s
}

// Sum returns Σv, added from the first to the last.
func Sum[T blas.Float](v []T) float64 {
	var s float64
	for _, x := range v {
		s += float64(x)
	}
	return s
}

// Add adds the elements of v to those of dst.
func Add(dst, v []float64) {
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] += x
	}
}

// AddTimes adds the elements of v, times by, to those of dst.
func AddTimes(dst []float64, by float64, v []float64) {
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] += float64(by * x)
	}
}

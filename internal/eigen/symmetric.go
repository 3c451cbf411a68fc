package eigen

import (
	"errors"
	"math"

	"github.com/rffgo/rff/blas"
)

// ErrNoConvergence says that the QL steps did not find the eigenvalues, for example because the
// matrix is not finite.
var ErrNoConvergence = errors.New("the eigenvalues did not converge")

// Symmetric returns the eigenvalues d of a, ascending, and in the columns of v
// its orthonormal eigenvectors: a = v·diag(d)·vᵀ. a is symmetric in full storage
// and is left alone. It takes 10n³ multiply-adds and 3n² elements of memory.
// The error is ErrNoConvergence.
func Symmetric(e blas.Engine, a blas.General[float64]) (v blas.General[float64], d []float64, err error) {
	n := a.Rows
	// A power of two scales without rounding, and then no square overflows. Only elements below
	// 2⁻¹⁰⁷⁴ of the largest one underflow.
	exp := exponent(a)
	work := blas.NewGeneral[float64](n, n)
	for i := range n {
		for j, x := range a.Row(i) {
			work.Data[i*n+j] = math.Ldexp(x, -exp)
		}
	}
	t := reduce(e, work)
	v = work // the reduction is done with it
	t.orthogonal(e, v)
	transpose(v)
	r := newRotations(e, v)
	if err := ql(t.diag, t.off, r); err != nil {
		return v, nil, err
	}
	r.flush()
	order(t.diag, v)
	transpose(v)
	for i, x := range t.diag {
		t.diag[i] = math.Ldexp(x, exp)
	}
	return v, t.diag, nil
}

// exponent returns k with 2^k just above the largest |element| of a.
func exponent(a blas.General[float64]) int {
	var most float64
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			most = max(most, math.Abs(x))
		}
	}
	_, exp := math.Frexp(most)
	return exp
}

// order sorts d ascending and the rows of v, if there are any, with it.
func order(d []float64, v blas.General[float64]) {
	for i := range d {
		least := i
		for j := i + 1; j < len(d); j++ {
			if d[j] < d[least] {
				least = j
			}
		}
		if least == i {
			continue
		}
		d[i], d[least] = d[least], d[i]
		if v.Rows > 0 {
			a, b := v.Row(i), v.Row(least)
			for j, x := range a {
				a[j], b[j] = b[j], x
			}
		}
	}
}

// transpose transposes a square matrix in place, in tiles.
func transpose(a blas.General[float64]) {
	const size = 16
	for i0 := 0; i0 < a.Rows; i0 += size {
		for j0 := 0; j0 <= i0; j0 += size {
			for i := i0; i < min(i0+size, a.Rows); i++ {
				for j := j0; j < min(j0+size, i); j++ {
					x, y := &a.Data[i*a.Stride+j], &a.Data[j*a.Stride+i]
					*x, *y = *y, *x
				}
			}
		}
	}
}

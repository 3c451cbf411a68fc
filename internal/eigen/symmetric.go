package eigen

import (
	"errors"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// ErrNoConvergence says that the QL steps did not find the eigenvalues, for example because the
// matrix is not finite.
var ErrNoConvergence = errors.New("the eigenvalues did not converge")

// Symmetric returns the eigenvalues d of a, ascending, and in the columns of v
// its orthonormal eigenvectors: a = v·diag(d)·vᵀ. a is symmetric in full storage
// and is left alone. It takes 10n³ multiply-adds and 3n² elements of memory.
// The error is ErrNoConvergence.
func Symmetric(e blas.Engine, a blas.General[float64]) (v blas.General[float64], d []float64, err error) {
	work, exp := scaled(a)
	t := reduce(e, work)
	v = work // the reduction is done with it
	t.orthogonal(e, v)
	dense.Transpose(v)
	r := &rotations{e: e, v: v, all: make([]rotation, 0, rotationSteps*max(1, v.Rows))}
	if err := ql(t.diag, t.off, r); err != nil {
		return v, nil, err
	}
	r.flush()
	order(t.diag, v)
	dense.Transpose(v)
	for i, x := range t.diag {
		t.diag[i] = math.Ldexp(x, exp)
	}
	return v, t.diag, nil
}

// scaled returns a·2^−exp, where 2^exp is just above the largest |element| of a. A power of two scales
// without rounding, and then no square overflows. Only elements below 2⁻¹⁰⁷⁴ of the largest one
// underflow.
func scaled(a blas.General[float64]) (s blas.General[float64], exp int) {
	var most float64
	for i := range a.Rows {
		for _, x := range a.Row(i) {
			most = max(most, math.Abs(x))
		}
	}
	_, exp = math.Frexp(most)
	s = dense.Clone(a)
	for i, x := range s.Data {
		s.Data[i] = math.Ldexp(x, -exp)
	}
	return s, exp
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

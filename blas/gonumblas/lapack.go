package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/rffgo/rff/blas"
)

// LAPACK implements gonum's lapack.Float64: the Cholesky factorisation on the native kernels of
// package blas, everything else by gonum's own implementation, whose products are those of
// blas64: give it Native too. Arguments are checked as gonum checks them, with the same panics.
type LAPACK struct {
	gonum.Implementation
	Workers int // 0: runtime.GOMAXPROCS(0)

	native Native // its kernels: for tests
}

var _ lapack.Float64 = LAPACK{}

// smallSquare is the order below which gonum's factorisation without blocks is as fast.
const smallSquare = 32

// Dpotrf replaces the triangle of a symmetric matrix by its Cholesky factor: A = UᵀU or LLᵀ. It
// returns false if a is not positive definite or not finite, and the triangle is then partly
// overwritten.
func (l LAPACK) Dpotrf(ul gblas.Uplo, n int, a []float64, lda int) bool {
	if n < smallSquare && !l.native.always || ul != gblas.Upper && ul != gblas.Lower || lda < n || len(a) < (n-1)*lda+n || n <= 0 {
		return l.Implementation.Dpotrf(ul, n, a, lda) // which panics, if need be
	}
	native := l.native
	native.Workers = l.Workers
	m := blas.General[float64]{Rows: n, Cols: n, Stride: lda, Data: a}
	if ul == gblas.Upper {
		return blas.Cholesky(native.engine(), m) == nil
	}
	u := blas.NewGeneral[float64](n, n)
	for i := range n {
		for j, v := range m.Row(i)[:i+1] {
			u.Data[j*n+i] = v
		}
	}
	err := blas.Cholesky(native.engine(), u)
	for i := range n {
		for j := range i + 1 {
			a[i*lda+j] = u.Data[j*n+i]
		}
	}
	return err == nil
}

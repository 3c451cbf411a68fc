package blas

import (
	"math"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// gonumBackend is an independent reference: gonum's pure-Go products and the
// cosine and sine of the standard library.
type gonumBackend struct{}

func (gonumBackend) Name() string               { return "gonum" }
func (gonumBackend) Exact() bool                { return false }
func (gonumBackend) Float64() Products[float64] { return gonum64{} }
func (gonumBackend) Float32() Products[float32] { return gonum32{} }

type gonum64 struct{ elementwise[float64] }

func (gonum64) Gemm(transA, transB bool, alpha float64, a, b General[float64], beta float64, c General[float64]) {
	_, k := a.op(transA)
	gonum.Implementation{}.Dgemm(transposed(transA), transposed(transB), c.Rows, c.Cols, k, alpha, a.Data, a.ld(), b.Data, b.ld(), beta, c.Data, c.ld())
}

func (gonum64) Syrk(upper, trans bool, alpha float64, a General[float64], beta float64, c General[float64]) {
	n, k := a.op(trans)
	gonum.Implementation{}.Dsyrk(uplo(upper), transposed(trans), n, k, alpha, a.Data, a.ld(), beta, c.Data, c.ld())
}

func (gonum64) TrsmUpper(trans bool, u, b General[float64]) {
	gonum.Implementation{}.Dtrsm(gblas.Left, gblas.Upper, transposed(trans), gblas.NonUnit, b.Rows, b.Cols, 1, u.Data, u.ld(), b.Data, b.ld())
}

type gonum32 struct{ elementwise[float32] }

func (gonum32) Gemm(transA, transB bool, alpha float32, a, b General[float32], beta float32, c General[float32]) {
	_, k := a.op(transA)
	gonum.Implementation{}.Sgemm(transposed(transA), transposed(transB), c.Rows, c.Cols, k, alpha, a.Data, a.ld(), b.Data, b.ld(), beta, c.Data, c.ld())
}

func (gonum32) Syrk(upper, trans bool, alpha float32, a General[float32], beta float32, c General[float32]) {
	n, k := a.op(trans)
	gonum.Implementation{}.Ssyrk(uplo(upper), transposed(trans), n, k, alpha, a.Data, a.ld(), beta, c.Data, c.ld())
}

func (gonum32) TrsmUpper(trans bool, u, b General[float32]) {
	gonum.Implementation{}.Strsm(gblas.Left, gblas.Upper, transposed(trans), gblas.NonUnit, b.Rows, b.Cols, 1, u.Data, u.ld(), b.Data, b.ld())
}

func transposed(trans bool) gblas.Transpose {
	if trans {
		return gblas.Trans
	}
	return gblas.NoTrans
}

func uplo(upper bool) gblas.Uplo {
	if upper {
		return gblas.Upper
	}
	return gblas.Lower
}

// ld is the stride as the BLAS wants it: at least 1 even for no columns.
func (m General[T]) ld() int { return max(1, m.Stride) }

// elementwise applies feature functions with the standard library.
type elementwise[T Float] struct{}

func (elementwise[T]) Apply(f Func, z, z2, t, phase, weight, weight2 []T) {
	for j := range t {
		x := float64(t[j]) + float64(phase[j])
		var v, v2 float64
		switch f {
		case Cos:
			v = math.Cos(x)
		case CosSin:
			v2, v = math.Sincos(x)
			z2[j] = T(float64(weight2[j]) * v2)
		case Linear:
			v = x
		case ArcCos0:
			switch {
			case x > 0:
				v = 1
			case x == 0:
				v = 0.5
			case x != x:
				v = x
			}
		case ArcCos1:
			v = max(x, 0)
		case ArcCos2:
			v = max(x, 0)
			v *= v
		}
		z[j] = T(float64(weight[j]) * v)
	}
}

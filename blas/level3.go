package blas

import gblas "gonum.org/v1/gonum/blas"

// lent is a backend that takes its products from another BLAS, or from other places.
type lent struct {
	name string
	f64  Products[float64]
	f32  Products[float32]
}

// NewLevel3 returns a backend of that name that takes its products from another
// BLAS with gonum's interface, such as gonum/netlib's binding of OpenBLAS. Calls
// are single threaded and come from several goroutines at once. Features keep the
// vector cosine of this package between the products.
func NewLevel3(name string, f64 gblas.Float64Level3, f32 gblas.Float32Level3) Backend {
	return &lent{name, level3F64(f64), level3F32(f32)}
}

func (b *lent) Name() string               { return b.name }
func (b *lent) Exact() bool                { return false } // another BLAS has its own order of sums
func (b *lent) Float64() Products[float64] { return b.f64 }
func (b *lent) Float32() Products[float32] { return b.f32 }

// level3 has the routines of another BLAS for one element type.
type level3[T Float] struct {
	gemm func(tA, tB gblas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk func(ul gblas.Uplo, t gblas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	trsm func(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
}

func level3F64(f gblas.Float64Level3) level3[float64] {
	return level3[float64]{f.Dgemm, f.Dsyrk, f.Dtrsm}
}
func level3F32(f gblas.Float32Level3) level3[float32] {
	return level3[float32]{f.Sgemm, f.Ssyrk, f.Strsm}
}

func (l level3[T]) Gemm(transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	_, k := a.op(transA)
	l.gemm(transposed(transA), transposed(transB), c.Rows, c.Cols, k, alpha, a.Data, a.ld(), b.Data, b.ld(), beta, c.Data, c.ld())
}

func (l level3[T]) Syrk(upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	n, k := a.op(trans)
	l.syrk(uplo(upper), transposed(trans), n, k, alpha, a.Data, a.ld(), beta, c.Data, c.ld())
}

func (l level3[T]) TrsmUpper(trans bool, u, b General[T]) {
	l.trsm(gblas.Left, gblas.Upper, transposed(trans), gblas.NonUnit, b.Rows, b.Cols, 1, u.Data, u.ld(), b.Data, b.ld())
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

// ld is the stride in the form that a BLAS wants: at least 1, even without columns.
func (m General[T]) ld() int { return max(1, m.Stride) }

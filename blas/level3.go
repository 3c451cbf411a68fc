package blas

import gblas "gonum.org/v1/gonum/blas"

// level3 is a backend that takes its products from another BLAS.
type level3 struct {
	name string
	f64  level3F64
	f32  level3F32
}

// NewLevel3 returns a backend of that name that takes its products from another
// BLAS with gonum's interface, such as gonum/netlib's binding of OpenBLAS. Calls
// are single threaded and come from several goroutines at once. Features keep the
// vector cosine of this package between the products.
func NewLevel3(name string, f64 gblas.Float64Level3, f32 gblas.Float32Level3) Backend {
	return &level3{name, level3F64{f64}, level3F32{f32}}
}

func (b *level3) Name() string               { return b.name }
func (b *level3) Exact() bool                { return false } // another BLAS has its own order of sums
func (b *level3) Float64() Products[float64] { return b.f64 }
func (b *level3) Float32() Products[float32] { return b.f32 }

type level3F64 struct{ gblas.Float64Level3 }

func (l level3F64) Gemm(transA, transB bool, alpha float64, a, b General[float64], beta float64, c General[float64]) {
	_, k := a.op(transA)
	l.Dgemm(transposed(transA), transposed(transB), c.Rows, c.Cols, k, alpha, a.Data, a.ld(), b.Data, b.ld(), beta, c.Data, c.ld())
}

func (l level3F64) Syrk(upper, trans bool, alpha float64, a General[float64], beta float64, c General[float64]) {
	n, k := a.op(trans)
	l.Dsyrk(uplo(upper), transposed(trans), n, k, alpha, a.Data, a.ld(), beta, c.Data, c.ld())
}

func (l level3F64) TrsmUpper(trans bool, u, b General[float64]) {
	l.Dtrsm(gblas.Left, gblas.Upper, transposed(trans), gblas.NonUnit, b.Rows, b.Cols, 1, u.Data, u.ld(), b.Data, b.ld())
}

type level3F32 struct{ gblas.Float32Level3 }

func (l level3F32) Gemm(transA, transB bool, alpha float32, a, b General[float32], beta float32, c General[float32]) {
	_, k := a.op(transA)
	l.Sgemm(transposed(transA), transposed(transB), c.Rows, c.Cols, k, alpha, a.Data, a.ld(), b.Data, b.ld(), beta, c.Data, c.ld())
}

func (l level3F32) Syrk(upper, trans bool, alpha float32, a General[float32], beta float32, c General[float32]) {
	n, k := a.op(trans)
	l.Ssyrk(uplo(upper), transposed(trans), n, k, alpha, a.Data, a.ld(), beta, c.Data, c.ld())
}

func (l level3F32) TrsmUpper(trans bool, u, b General[float32]) {
	l.Strsm(gblas.Left, gblas.Upper, transposed(trans), gblas.NonUnit, b.Rows, b.Cols, 1, u.Data, u.ld(), b.Data, b.ld())
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

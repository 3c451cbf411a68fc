package blas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/rffgo/rff/asm"
)

// Native implements gonum's blas.Float64 and blas.Float32: the Level 3
// routines on this package's kernels, everything else (and products too small
// to gain) by gonum's own implementation. A gonum program turns to it with
//
//	blas64.Use(blas.Native{})
//	blas32.Use(blas.Native{})
//
// which rff itself never does. Arguments are checked as gonum checks them, with
// the same panics. Results do not depend on Workers or on the instruction set.
type Native struct {
	gonum.Implementation
	Workers int // 0: runtime.GOMAXPROCS(0)

	kernels *nativeBackend // nil: the fastest
	always  bool           // take the kernels at any size: for tests
}

var (
	_ gblas.Float64 = Native{}
	_ gblas.Float32 = Native{}
)

// smallProduct is the number of multiply-adds below which packing costs more
// than it gains.
const smallProduct = 24 * 24 * 24

func (n Native) small(a, b, c int) bool {
	return !n.always && float64(a)*float64(b)*float64(c) < smallProduct
}

func (n Native) engine() Engine {
	b := n.kernels
	if b == nil {
		b = native()
	}
	return Engine{Backend: b, Workers: n.Workers}
}

// workers returns the kernels for T and the workers for a·b·c multiply-adds.
func nativeFor[T Float](n Native, a, b, c int) (*asm.Kernels[T], int) {
	e := n.engine()
	return kernelsOf[T](e), e.workersFor(float64(a)*float64(b)*float64(c), max(a, b))
}

func isTrans(t gblas.Transpose) bool { return t != gblas.NoTrans }

// opGeneral is the matrix with op(m) rows×cols.
func opGeneral[T Float](trans bool, rows, cols, ld int, data []T) General[T] {
	if trans {
		rows, cols = cols, rows
	}
	return General[T]{Rows: rows, Cols: cols, Stride: ld, Data: data}
}

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (n Native) Dgemm(tA, tB gblas.Transpose, m, cols, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if n.small(m, cols, k) {
		n.Implementation.Dgemm(tA, tB, m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Dgemm(tA, tB, m, cols, k, 0, a, lda, b, ldb, 1, c, ldc) // checks only
	gemmLevel3(n, isTrans(tA), isTrans(tB), m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C.
func (n Native) Sgemm(tA, tB gblas.Transpose, m, cols, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if n.small(m, cols, k) {
		n.Implementation.Sgemm(tA, tB, m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Sgemm(tA, tB, m, cols, k, 0, a, lda, b, ldb, 1, c, ldc)
	gemmLevel3(n, isTrans(tA), isTrans(tB), m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemmLevel3[T Float](n Native, tA, tB bool, m, cols, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	kern, workers := nativeFor[T](n, m, cols, k)
	gemm(kern, workers, full, tA, tB, alpha, opGeneral(tA, m, k, lda, a), opGeneral(tB, k, cols, ldb, b), beta, General[T]{m, cols, ldc, c})
}

// Dsyrk computes a triangle of C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C.
func (n Native) Dsyrk(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if n.small(order, order, k) {
		n.Implementation.Dsyrk(ul, tA, order, k, alpha, a, lda, beta, c, ldc)
		return
	}
	n.Implementation.Dsyrk(ul, tA, order, k, 0, a, lda, 1, c, ldc)
	syrkLevel3(n, ul, isTrans(tA), order, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk computes a triangle of C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C.
func (n Native) Ssyrk(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if n.small(order, order, k) {
		n.Implementation.Ssyrk(ul, tA, order, k, alpha, a, lda, beta, c, ldc)
		return
	}
	n.Implementation.Ssyrk(ul, tA, order, k, 0, a, lda, 1, c, ldc)
	syrkLevel3(n, ul, isTrans(tA), order, k, alpha, a, lda, beta, c, ldc)
}

func syrkLevel3[T Float](n Native, ul gblas.Uplo, trans bool, order, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	kern, workers := nativeFor[T](n, order, order, (k+1)/2)
	g := opGeneral(trans, order, k, lda, a)
	gemm(kern, workers, triangleOf(ul == gblas.Upper), trans, !trans, alpha, g, g, beta, General[T]{order, order, ldc, c})
}

// Dsyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C.
func (n Native) Dsyr2k(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if n.small(order, order, k) {
		n.Implementation.Dsyr2k(ul, tA, order, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Dsyr2k(ul, tA, order, k, 0, a, lda, b, ldb, 1, c, ldc)
	syr2kLevel3(n, ul, isTrans(tA), order, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C.
func (n Native) Ssyr2k(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if n.small(order, order, k) {
		n.Implementation.Ssyr2k(ul, tA, order, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Ssyr2k(ul, tA, order, k, 0, a, lda, b, ldb, 1, c, ldc)
	syr2kLevel3(n, ul, isTrans(tA), order, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func syr2kLevel3[T Float](n Native, ul gblas.Uplo, trans bool, order, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	kern, workers := nativeFor[T](n, order, order, k)
	ga, gb, gc := opGeneral(trans, order, k, lda, a), opGeneral(trans, order, k, ldb, b), General[T]{order, order, ldc, c}
	tri := triangleOf(ul == gblas.Upper)
	gemm(kern, workers, tri, trans, !trans, alpha, ga, gb, beta, gc)
	gemm(kern, workers, tri, trans, !trans, alpha, gb, ga, 1, gc)
}

// Dsymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for symmetric A.
func (n Native) Dsymm(s gblas.Side, ul gblas.Uplo, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if n.small(m, cols, min(m, cols)) {
		n.Implementation.Dsymm(s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Dsymm(s, ul, m, cols, 0, a, lda, b, ldb, 1, c, ldc)
	symmLevel3(n, s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for symmetric A.
func (n Native) Ssymm(s gblas.Side, ul gblas.Uplo, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if n.small(m, cols, min(m, cols)) {
		n.Implementation.Ssymm(s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	n.Implementation.Ssymm(s, ul, m, cols, 0, a, lda, b, ldb, 1, c, ldc)
	symmLevel3(n, s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
}

func symmLevel3[T Float](n Native, s gblas.Side, ul gblas.Uplo, m, cols int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	order := m
	if s == gblas.Right {
		order = cols
	}
	w := borrow[T](order * order)
	defer w.giveBack()
	sym := General[T]{order, order, order, w.data}
	for i := range order {
		for j := i; j < order; j++ {
			v := a[i*lda+j]
			if ul == gblas.Lower {
				v = a[j*lda+i]
			}
			sym.Data[i*order+j], sym.Data[j*order+i] = v, v
		}
	}
	kern, workers := nativeFor[T](n, m, cols, order)
	gb, gc := General[T]{m, cols, ldb, b}, General[T]{m, cols, ldc, c}
	if s == gblas.Left {
		gemm(kern, workers, full, false, false, alpha, sym, gb, beta, gc)
	} else {
		gemm(kern, workers, full, false, false, alpha, gb, sym, beta, gc)
	}
}

// Dtrmm computes B = alpha·op(A)·B or alpha·B·op(A) for triangular A.
func (n Native) Dtrmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		n.Implementation.Dtrmm(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if s == gblas.Left {
		n.Implementation.Dtrmm(s, ul, tA, d, m, 0, alpha, a, lda, b, ldb)
	} else {
		n.Implementation.Dtrmm(s, ul, tA, d, 0, cols, alpha, a, lda, b, ldb)
	}
	trmmLevel3(n, s, ul, isTrans(tA), d, m, cols, alpha, a, lda, b, ldb)
}

// Strmm computes B = alpha·op(A)·B or alpha·B·op(A) for triangular A.
func (n Native) Strmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		n.Implementation.Strmm(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if s == gblas.Left {
		n.Implementation.Strmm(s, ul, tA, d, m, 0, alpha, a, lda, b, ldb)
	} else {
		n.Implementation.Strmm(s, ul, tA, d, 0, cols, alpha, a, lda, b, ldb)
	}
	trmmLevel3(n, s, ul, isTrans(tA), d, m, cols, alpha, a, lda, b, ldb)
}

// checkTriangular panics, as gonum does, for what a call with an empty matrix
// cannot check.
func checkTriangular[T Float](order, m, cols int, a []T, lda int, b []T, ldb int) {
	if ldb < max(1, cols) {
		panic("blas: bad leading dimension of B")
	}
	if order > 0 && len(a) < (order-1)*lda+order {
		panic("blas: insufficient length of a")
	}
	if m > 0 && len(b) < (m-1)*ldb+cols {
		panic("blas: insufficient length of b")
	}
}

// denseTriangle writes the triangle of a to an upper (dst[i,j], j ≥ i) or lower
// triangle of a full matrix, with zeros elsewhere and, if asked for, ones on
// the diagonal.
func denseTriangle[T Float](ul gblas.Uplo, d gblas.Diag, order int, a []T, lda int, dst []T) General[T] {
	g := General[T]{order, order, order, dst}
	for i := range order {
		row := g.Row(i)
		from, to := i, order
		if ul == gblas.Lower {
			from, to = 0, i+1
		}
		clear(row[:from])
		copy(row[from:to], a[i*lda+from:i*lda+to])
		clear(row[to:])
		if d == gblas.Unit {
			row[i] = 1
		}
	}
	return g
}

func trmmLevel3[T Float](n Native, s gblas.Side, ul gblas.Uplo, trans bool, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int) {
	order := m
	if s == gblas.Right {
		order = cols
	}
	checkTriangular(order, m, cols, a, lda, b, ldb)
	if m == 0 || cols == 0 {
		return
	}
	w := borrow[T](order*order + m*cols)
	defer w.giveBack()
	tri := denseTriangle(ul, d, order, a, lda, w.data[:order*order])
	old := General[T]{m, cols, cols, w.data[order*order:]}
	gb := General[T]{m, cols, ldb, b}
	for i := range m {
		copy(old.Row(i), gb.Row(i))
	}
	kern, workers := nativeFor[T](n, m, cols, order)
	if s == gblas.Left {
		gemm(kern, workers, full, trans, false, alpha, tri, old, 0, gb)
	} else {
		gemm(kern, workers, full, false, trans, alpha, old, tri, 0, gb)
	}
}

// Dtrsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (n Native) Dtrsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		n.Implementation.Dtrsm(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if s == gblas.Left {
		n.Implementation.Dtrsm(s, ul, tA, d, m, 0, alpha, a, lda, b, ldb)
	} else {
		n.Implementation.Dtrsm(s, ul, tA, d, 0, cols, alpha, a, lda, b, ldb)
	}
	trsmLevel3(n, s, ul, isTrans(tA), d, m, cols, alpha, a, lda, b, ldb)
}

// Strsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (n Native) Strsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		n.Implementation.Strsm(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if s == gblas.Left {
		n.Implementation.Strsm(s, ul, tA, d, m, 0, alpha, a, lda, b, ldb)
	} else {
		n.Implementation.Strsm(s, ul, tA, d, 0, cols, alpha, a, lda, b, ldb)
	}
	trsmLevel3(n, s, ul, isTrans(tA), d, m, cols, alpha, a, lda, b, ldb)
}

// trsmLevel3 turns the sixteen cases into op(U)·X = B for upper U: a lower L is
// the transpose of an upper one, and X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ.
func trsmLevel3[T Float](n Native, s gblas.Side, ul gblas.Uplo, trans bool, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int) {
	order, rhs := m, cols
	if s == gblas.Right {
		order, rhs = cols, m
	}
	checkTriangular(order, m, cols, a, lda, b, ldb)
	if m == 0 || cols == 0 {
		return
	}
	gb := General[T]{m, cols, ldb, b}
	if alpha != 1 {
		scale(full, alpha, gb)
	}
	u := General[T]{order, order, lda, a}
	if ul == gblas.Lower || d == gblas.Unit {
		w := borrow[T](2 * order * order)
		defer w.giveBack()
		u = denseTriangle(ul, d, order, a, lda, w.data[:order*order])
		if ul == gblas.Lower {
			t := General[T]{order, order, order, w.data[order*order:]}
			transpose(t, u)
			u = t
			trans = !trans
		}
	}
	kern, workers := nativeFor[T](n, order, rhs, (order+1)/2)
	if s == gblas.Left {
		trsm(kern, workers, trans, u, gb)
		return
	}
	w := borrow[T](m * cols)
	defer w.giveBack()
	t := General[T]{cols, m, m, w.data}
	transpose(t, gb)
	trsm(kern, workers, !trans, u, t)
	transpose(gb, t)
}

// Package gonumblas is a drop-in for gonum's BLAS and LAPACK on the kernels of rff, without cgo:
// a gonum program that takes it runs its products and solves at the speed of rff.
//
//	blas64.Use(gonumblas.Native{})
//	blas32.Use(gonumblas.Native{})
//	lapack64.Use(gonumblas.LAPACK{})
//
// rff itself never calls Use. Like package blas, this package promises no
// compatibility between versions.
package gonumblas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/rffgo/rff/blas"
)

// Native implements gonum's blas.Float64 and blas.Float32: the Level 3
// routines on the native kernels of package blas, everything else, and products too
// small to gain, by gonum's own implementation. Arguments are checked as gonum checks
// them, with the same panics. Results do not depend on Workers or on the instruction
// set.
type Native struct {
	gonum.Implementation
	Workers int // 0: runtime.GOMAXPROCS(0)

	kernels blas.Backend // nil: the fastest ones
	always  bool         // take the kernels at any size: for tests
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

// engine runs on the native backend, whatever the environment says of others.
func (n Native) engine() blas.Engine {
	b := n.kernels
	if b == nil {
		b = native
	}
	return blas.Engine{Backend: b, Workers: n.Workers}
}

// native is the native backend. If RFF_CPU has a word that cannot be obeyed,
// which blas.Engine.Check reports, it is the zero Engine's.
var native, _ = blas.Lookup("native")

func isTrans(t gblas.Transpose) bool { return t != gblas.NoTrans }

// sideOrder is the order of a matrix that multiplies one of m×cols from side s.
func sideOrder(s gblas.Side, m, cols int) int {
	if s == gblas.Right {
		return cols
	}
	return m
}

// opGeneral is the matrix with op(m) rows×cols.
func opGeneral[T blas.Float](trans bool, rows, cols, ld int, data []T) blas.General[T] {
	if trans {
		rows, cols = cols, rows
	}
	return blas.General[T]{Rows: rows, Cols: cols, Stride: ld, Data: data}
}

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (n Native) Dgemm(tA, tB gblas.Transpose, m, cols, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm(n, n.Implementation.Dgemm, tA, tB, m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C.
func (n Native) Sgemm(tA, tB gblas.Transpose, m, cols, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemm(n, n.Implementation.Sgemm, tA, tB, m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemm[T blas.Float](n Native, plain func(tA, tB gblas.Transpose, m, cols, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int), tA, tB gblas.Transpose, m, cols, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if n.small(m, cols, k) {
		plain(tA, tB, m, cols, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	plain(tA, tB, m, cols, k, 0, a, lda, b, ldb, 1, c, ldc) // checks only
	blas.Gemm(n.engine(), isTrans(tA), isTrans(tB), alpha, opGeneral(isTrans(tA), m, k, lda, a), opGeneral(isTrans(tB), k, cols, ldb, b), beta, blas.General[T]{Rows: m, Cols: cols, Stride: ldc, Data: c})
}

// Dsyrk computes a triangle of C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C.
func (n Native) Dsyrk(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	syrk(n, n.Implementation.Dsyrk, ul, tA, order, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk computes a triangle of C = alpha·A·Aᵀ + beta·C or alpha·Aᵀ·A + beta·C.
func (n Native) Ssyrk(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	syrk(n, n.Implementation.Ssyrk, ul, tA, order, k, alpha, a, lda, beta, c, ldc)
}

func syrk[T blas.Float](n Native, plain func(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha T, a []T, lda int, beta T, c []T, ldc int), ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	if n.small(order, order, k) {
		plain(ul, tA, order, k, alpha, a, lda, beta, c, ldc)
		return
	}
	plain(ul, tA, order, k, 0, a, lda, 1, c, ldc) // checks only
	e, trans := n.engine(), isTrans(tA)
	g := opGeneral(trans, order, k, lda, a)
	blas.Syrk(e, ul == gblas.Upper, trans, alpha, g, beta, blas.General[T]{Rows: order, Cols: order, Stride: ldc, Data: c})
}

// Dsyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C.
func (n Native) Dsyr2k(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	syr2k(n, n.Implementation.Dsyr2k, ul, tA, order, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyr2k computes a triangle of C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C or alpha·(Aᵀ·B + Bᵀ·A) + beta·C.
func (n Native) Ssyr2k(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	syr2k(n, n.Implementation.Ssyr2k, ul, tA, order, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func syr2k[T blas.Float](n Native, plain func(ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int), ul gblas.Uplo, tA gblas.Transpose, order, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if n.small(order, order, k) {
		plain(ul, tA, order, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	plain(ul, tA, order, k, 0, a, lda, b, ldb, 1, c, ldc) // checks only
	e, trans := n.engine(), isTrans(tA)
	ga, gb, gc := opGeneral(trans, order, k, lda, a), opGeneral(trans, order, k, ldb, b), blas.General[T]{Rows: order, Cols: order, Stride: ldc, Data: c}
	multiplyTriangle(e, ul == gblas.Upper, trans, alpha, ga, gb, beta, gc)
	multiplyTriangle(e, ul == gblas.Upper, trans, alpha, gb, ga, 1, gc)
}

// Dsymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for symmetric A.
func (n Native) Dsymm(s gblas.Side, ul gblas.Uplo, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	symm(n, n.Implementation.Dsymm, s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C for symmetric A.
func (n Native) Ssymm(s gblas.Side, ul gblas.Uplo, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	symm(n, n.Implementation.Ssymm, s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
}

func symm[T blas.Float](n Native, plain func(s gblas.Side, ul gblas.Uplo, m, cols int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int), s gblas.Side, ul gblas.Uplo, m, cols int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	if n.small(m, cols, min(m, cols)) {
		plain(s, ul, m, cols, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	plain(s, ul, m, cols, 0, a, lda, b, ldb, 1, c, ldc) // checks only
	order := sideOrder(s, m, cols)
	w := make([]T, order*order)
	sym := blas.General[T]{Rows: order, Cols: order, Stride: order, Data: w}
	for i := range order {
		for j := i; j < order; j++ {
			v := a[i*lda+j]
			if ul == gblas.Lower {
				v = a[j*lda+i]
			}
			sym.Data[i*order+j], sym.Data[j*order+i] = v, v
		}
	}
	e := n.engine()
	gb, gc := blas.General[T]{Rows: m, Cols: cols, Stride: ldb, Data: b}, blas.General[T]{Rows: m, Cols: cols, Stride: ldc, Data: c}
	if s == gblas.Left {
		blas.Gemm(e, false, false, alpha, sym, gb, beta, gc)
	} else {
		blas.Gemm(e, false, false, alpha, gb, sym, beta, gc)
	}
}

// Dtrmm computes B = alpha·op(A)·B or alpha·B·op(A) for triangular A.
func (n Native) Dtrmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	trmm(n, n.Implementation.Dtrmm, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
}

// Strmm computes B = alpha·op(A)·B or alpha·B·op(A) for triangular A.
func (n Native) Strmm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	trmm(n, n.Implementation.Strmm, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
}

// triangular is gonum's routine for a triangular matrix.
type triangular[T blas.Float] func(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int)

// checkTriangular panics as gonum does, whose routine checks what it can of an
// empty matrix. It reports whether there is anything to do.
func checkTriangular[T blas.Float](plain triangular[T], order int, s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int) bool {
	if s == gblas.Left {
		plain(s, ul, tA, d, m, 0, alpha, a, lda, b, ldb)
	} else {
		plain(s, ul, tA, d, 0, cols, alpha, a, lda, b, ldb)
	}
	if ldb < max(1, cols) {
		panic("blas: bad leading dimension of B")
	}
	if order > 0 && len(a) < (order-1)*lda+order {
		panic("blas: insufficient length of a")
	}
	if m > 0 && len(b) < (m-1)*ldb+cols {
		panic("blas: insufficient length of b")
	}
	return m > 0 && cols > 0
}

// denseTriangle writes the triangle of a to an upper (dst[i,j], j ≥ i) or lower
// triangle of a full matrix, with zeros elsewhere and, if asked for, ones on
// the diagonal.
func denseTriangle[T blas.Float](ul gblas.Uplo, d gblas.Diag, order int, a []T, lda int, dst []T) blas.General[T] {
	g := blas.General[T]{Rows: order, Cols: order, Stride: order, Data: dst}
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

func trmm[T blas.Float](n Native, plain triangular[T], s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int) {
	order, trans := sideOrder(s, m, cols), isTrans(tA)
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		plain(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if !checkTriangular(plain, order, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb) {
		return
	}
	w := make([]T, order*order+m*cols)
	tri := denseTriangle(ul, d, order, a, lda, w[:order*order])
	old := blas.General[T]{Rows: m, Cols: cols, Stride: cols, Data: w[order*order:]}
	gb := blas.General[T]{Rows: m, Cols: cols, Stride: ldb, Data: b}
	for i := range m {
		copy(old.Row(i), gb.Row(i))
	}
	e := n.engine()
	if s == gblas.Left {
		blas.Gemm(e, trans, false, alpha, tri, old, 0, gb)
	} else {
		blas.Gemm(e, false, trans, alpha, old, tri, 0, gb)
	}
}

// Dtrsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (n Native) Dtrsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	trsm(n, n.Implementation.Dtrsm, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
}

// Strsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (n Native) Strsm(s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	trsm(n, n.Implementation.Strsm, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
}

// trsm turns the sixteen cases into op(U)·X = B for upper U: a lower L is
// the transpose of an upper one, and X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ.
func trsm[T blas.Float](n Native, plain triangular[T], s gblas.Side, ul gblas.Uplo, tA gblas.Transpose, d gblas.Diag, m, cols int, alpha T, a []T, lda int, b []T, ldb int) {
	order, trans := sideOrder(s, m, cols), isTrans(tA)
	if n.small(m, cols, min(m, cols)) || alpha == 0 {
		plain(s, ul, tA, d, m, cols, alpha, a, lda, b, ldb)
		return
	}
	if !checkTriangular(plain, order, s, ul, tA, d, m, cols, alpha, a, lda, b, ldb) {
		return
	}
	gb := blas.General[T]{Rows: m, Cols: cols, Stride: ldb, Data: b}
	if alpha != 1 {
		for i := range m {
			for j := range gb.Row(i) {
				gb.Row(i)[j] *= alpha
			}
		}
	}
	u := blas.General[T]{Rows: order, Cols: order, Stride: lda, Data: a}
	if ul == gblas.Lower || d == gblas.Unit {
		w := make([]T, 2*order*order)
		u = denseTriangle(ul, d, order, a, lda, w[:order*order])
		if ul == gblas.Lower {
			t := blas.General[T]{Rows: order, Cols: order, Stride: order, Data: w[order*order:]}
			transpose(t, u)
			u = t
			trans = !trans
		}
	}
	e := n.engine()
	if s == gblas.Left {
		blas.TrsmUpper(e, trans, u, gb)
		return
	}
	w := make([]T, m*cols)
	t := blas.General[T]{Rows: cols, Cols: m, Stride: m, Data: w}
	transpose(t, gb)
	blas.TrsmUpper(e, !trans, u, t)
	transpose(gb, t)
}

// transpose writes mᵀ to dst.
func transpose[T blas.Float](dst, m blas.General[T]) {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			dst.Data[j*dst.Stride+i] = v
		}
	}
}

// multiplyTriangle computes one triangle of C = alpha·op(A)·op(B)ᵀ + beta·C by
// rows of blocks: what is right (left) of a diagonal block at once, the diagonal
// block by way of a square.
func multiplyTriangle[T blas.Float](e blas.Engine, upper, trans bool, alpha T, a, b blas.General[T], beta T, c blas.General[T]) {
	const block = 256
	square := blas.NewGeneral[T](block, block)
	rows := func(m blas.General[T], i0, i1 int) blas.General[T] { // of op(m)
		if trans {
			return view(m, 0, m.Rows, i0, i1)
		}
		return view(m, i0, i1, 0, m.Cols)
	}
	for i0 := 0; i0 < c.Rows; i0 += block {
		i1 := min(i0+block, c.Rows)
		j0, j1 := i1, c.Rows
		if !upper {
			j0, j1 = 0, i0
		}
		if j0 < j1 {
			blas.Gemm(e, trans, !trans, alpha, rows(a, i0, i1), rows(b, j0, j1), beta, view(c, i0, i1, j0, j1))
		}
		d, to := view(square, 0, i1-i0, 0, i1-i0), view(c, i0, i1, i0, i1)
		inside := func(r int) (from, end int) {
			if upper {
				return r, d.Cols
			}
			return 0, r + 1
		}
		for r := range d.Rows {
			from, end := inside(r)
			copy(d.Row(r)[from:end], to.Row(r)[from:end])
		}
		blas.Gemm(e, trans, !trans, alpha, rows(a, i0, i1), rows(b, i0, i1), beta, d)
		for r := range d.Rows {
			from, end := inside(r)
			copy(to.Row(r)[from:end], d.Row(r)[from:end])
		}
	}
}

// view returns rows [i0, i1) and columns [j0, j1) of m.
func view[T blas.Float](m blas.General[T], i0, i1, j0, j1 int) blas.General[T] {
	v := blas.General[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if i0 < i1 && j0 < j1 {
		v.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return v
}

package blas

// Gemm computes C = α·op(A)·op(B) + β·C, where op is the transpose if asked
// for. With β = 0 C is overwritten, whatever it held; with α = 0 A and B are
// not read. C must not overlap A or B.
//
// On an exact backend element (i, j) is, with chains over at most BlockK terms
// p ≤ l < q, s = fma(op(A)[i,l], op(B)[l,j], s) from s = 0, and all but fma
// rounded:
//
//	c = β·c (β ≠ 0, 1);  for each chain: c = fma(α, s, c), or α·s for the first one with β = 0
func Gemm[T Float](e Engine, transA, transB bool, alpha T, a, b General[T], beta T, c General[T]) {
	a.check()
	b.check()
	c.check()
	m, k := a.op(transA)
	kb, n := b.op(transB)
	if k != kb || c.Rows != m || c.Cols != n {
		panic(errShape)
	}
	if Overlap(c, a) || Overlap(c, b) {
		panic(errAlias)
	}
	operationsOf[T](e).gemm(e, transA, transB, alpha, a, b, beta, c)
}

// Syrk computes one triangle of C = α·AᵀA + β·C (trans) or of C = α·AAᵀ + β·C;
// the other triangle is not touched. Elements are those of Gemm. C must not
// overlap A.
func Syrk[T Float](e Engine, upper, trans bool, alpha T, a General[T], beta T, c General[T]) {
	a.check()
	c.check()
	n, _ := a.op(trans)
	if c.Rows != n || c.Cols != n {
		panic(errShape)
	}
	if Overlap(c, a) {
		panic(errAlias)
	}
	operationsOf[T](e).syrk(e, upper, trans, alpha, a, beta, c)
}

// TrsmUpper replaces b by op(U)⁻¹·b for the upper triangle U of u, n×n; b is
// n×r. The lower triangle of u is not read. A zero on the diagonal gives
// infinities, as division does.
//
// On an exact backend rows are solved in blocks of blockTri = 256, forwards for Uᵀ
// and backwards for U. For a block of solved rows X, every row i still to be
// solved then gets b = fma(−1, s, b), s the fused chain over l, ascending, of
// op(U)[i,l]·X[l] (see Gemm). Within a block the same happens for each
// blockInv = 32 rows, with s over all rows of the block solved before; then these
// rows are x = s, the chain over l of V[i,l]·b[l] with V the rounded inverse of
// the blockInv-triangle, computed in float64.
func TrsmUpper[T Float](e Engine, trans bool, u, b General[T]) {
	checkTriangular(u, b)
	operationsOf[T](e).trsm(e, trans, u, b)
}

// checkTriangular checks a triangle and the right-hand sides of its system.
func checkTriangular[T Float](u, b General[T]) {
	u.check()
	b.check()
	if u.Rows != u.Cols || b.Rows != u.Rows {
		panic(errShape)
	}
	if Overlap(b, u) {
		panic(errAlias)
	}
}

// TriInverse writes the inverse of the upper triangle of u to dst, with zeros
// below: U⁻¹ by TrsmUpper from the identity.
func TriInverse[T Float](e Engine, dst, u General[T]) {
	u.check()
	dst.check()
	if u.Rows != u.Cols || dst.Rows != u.Rows || dst.Cols != u.Cols {
		panic(errShape)
	}
	if Overlap(dst, u) {
		panic(errAlias)
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		clear(row)
		row[i] = 1
	}
	operationsOf[T](e).inverse(e, dst, u)
}

// Cholesky replaces the upper triangle of the symmetric matrix a by its factor
// U, a = UᵀU, reading and writing only that triangle. The error is a
// *NotPositiveDefiniteError; a is then partly overwritten.
//
// On an exact backend the rows come in blocks of blockTri. Within a block, for
// each blockInv rows, a = fma(−1, s, a), s the fused chain over the rows l of
// the block above of U[l,i]·U[l,j]; then their own triangle is factored in
// float64 (chains of fma(−U[l,i], U[l,j], a)) and rounded, and the rest of the
// rows are solved as in TrsmUpper. Then a = fma(−1, s, a) below the block, with
// s over all rows of the block.
func Cholesky[T Float](e Engine, a General[T]) error {
	a.check()
	if a.Rows != a.Cols {
		panic(errShape)
	}
	return operationsOf[T](e).cholesky(e, a)
}

// CholeskySolve replaces b by the solution of UᵀU·x = b for the factor U of Cholesky.
func CholeskySolve[T Float](e Engine, u, b General[T]) {
	checkTriangular(u, b)
	operationsOf[T](e).choleskySolve(e, u, b)
}

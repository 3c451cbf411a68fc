package blas

// Gemm computes C = α·op(A)·op(B) + β·C. op is the transpose if transA or transB is set. With
// β = 0 C is overwritten, whatever it held. With α = 0 A and B are not read. C must not
// overlap A or B.
//
// On an exact backend, the inner dimension is cut into chains of at most BlockK terms
// p ≤ l < q. A chain is s = fma(op(A)[i,l], op(B)[l,j], s) from s = 0. Element (i, j) is,
// where every operation but fma rounds:
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

// TrsmUpper replaces b by op(U)⁻¹·b for the upper triangle U of u, n×n; b is n×r. The lower
// triangle of u is not read. A zero on the diagonal gives infinities, as division does.
//
// On an exact backend rows are solved in blocks of blockTri = 256, forwards for Uᵀ and
// backwards for U. After a block of rows X is solved, every row i still to be solved becomes
// b = fma(−1, s, b), where s is the fused chain over l, ascending, of op(U)[i,l]·X[l] (see
// Gemm). Within a block the same happens for each blockInv = 32 rows, where s runs over all
// rows of the block that were solved before. Then these rows become x = s, the chain over l
// of V[i,l]·b[l], where V is the inverse of the blockInv-triangle, computed in float64 and
// rounded.
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

// TriInverse writes the inverse of the upper triangle of u to dst, with zeros below. It has
// the bits of TrsmUpper on the identity.
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

// Cholesky replaces the upper triangle of the symmetric matrix a by its factor U, a = UᵀU. It
// reads and writes only that triangle. The error is a *NotPositiveDefiniteError; a is then
// partly overwritten.
//
// On an exact backend the rows come in blocks of blockTri. Within a block, each blockInv rows
// first become a = fma(−1, s, a), where s is the fused chain of U[l,i]·U[l,j] over the rows l
// of the block above them. Then their own triangle is factored in float64 (chains of
// fma(−U[l,i], U[l,j], a)) and rounded, and the rest of these rows is solved as in TrsmUpper.
// Below the block, a = fma(−1, s, a), where s runs over all rows of the block.
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

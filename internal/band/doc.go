// Package band reduces a symmetric matrix to block tridiagonal form by
// orthogonal transformations, A = Q·B·Qᵀ, after which every shifted system
// (A + μI)x = y costs O(n·b²) to factor and O(n²) to solve.
//
// A ridge path needs (A + μI)⁻¹, its trace and its determinant for many μ. A
// Cholesky factor per μ costs n³/3 each; an eigendecomposition serves all of
// them but costs 9n³ or so, half of it in matrix-vector products. The reduction
// to a band is 4n³/3, nearly all in matrix products (the first of the two stages
// of Bischof, Lang and Sun, "A framework for symmetric band reduction", ACM TOMS
// 26, 2000), and the second stage is not needed: with blocks of b the banded
// systems are cheap. It pays from about six values of μ.
package band

// Package band reduces a symmetric matrix to block tridiagonal form by orthogonal
// transformations, A = Q·B·Qᵀ, with blocks of size b. Every shifted system (A + μI)x = y then
// costs O(n·b²) to factor and O(n²) to solve.
//
// A ridge path needs (A + μI)⁻¹, its trace and its determinant for many μ. A Cholesky factor per μ
// costs n³/3. An eigendecomposition serves all μ but costs about 9n³, half of it in matrix-vector
// products. The reduction to a band costs 4n³/3, nearly all in matrix products. It is the first of
// the two stages of Bischof, Lang and Sun, "A framework for symmetric band reduction", ACM TOMS
// 26, 2000. The second stage is not needed, because the banded systems are cheap. The reduction
// pays from about six values of μ on.
package band

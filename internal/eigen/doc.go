// Package eigen decomposes symmetric matrices, with the same bits on every platform, build and
// number of workers. Products are those of the engine, whose bits are defined. All other
// arithmetic is Go's +, −, ×, ÷ and √, and an explicit conversion rounds every product that feeds a
// sum.
//
// The method is the classical one: Householder reflections to a tridiagonal
// matrix, in blocks (Dongarra, Hammarling and Sorensen, "Block reduction of
// matrices to condensed forms", J. Comput. Appl. Math. 27, 1989), and implicit
// QL steps on that (Dubrulle, Martin and Wilkinson, "The implicit QL algorithm",
// Numer. Math. 12, 1968). It is backward stable: ‖AV − VD‖ and ‖A‖·‖VᵀV − I‖
// are of order n·eps·‖A‖.
package eigen

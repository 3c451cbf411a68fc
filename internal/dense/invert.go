package dense

import "github.com/rffgo/rff/blas"

// invertBlock is the number of columns that InvertUpper works on at a time.
const invertBlock = 256

// InvertUpper replaces the upper triangle of u by its inverse. Below the diagonal it writes zeros.
func InvertUpper(e blas.Engine, u blas.General[float64]) {
	n := u.Rows
	block, above := blas.NewGeneral[float64](invertBlock, invertBlock), blas.NewGeneral[float64](n, invertBlock)
	for i := range n {
		clear(u.Row(i)[:i])
	}
	for j := 0; j < n; j += invertBlock {
		end := min(j+invertBlock, n)
		// If U' is the part inverted so far, the columns J of the inverse are −U'·U_·J·U_JJ⁻¹.
		d := View(block, 0, end-j, 0, end-j)
		blas.TriInverse(e, d, View(u, j, end, j, end))
		for i := j; i < end; i++ {
			copy(u.Row(i)[j:end], d.Row(i-j))
		}
		if j == 0 {
			continue
		}
		t := View(above, 0, j, 0, end-j)
		blas.Gemm(e, false, false, 1, View(u, 0, j, j, end), d, 0, t)
		for i := 0; i < j; i += invertBlock {
			to := min(i+invertBlock, j)
			blas.Gemm(e, false, false, -1, View(u, i, to, i, j), t.RowRange(i, j), 0, View(u, i, to, j, end))
		}
	}
}

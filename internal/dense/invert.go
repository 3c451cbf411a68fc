package dense

import "github.com/rffgo/rff/blas"

// invertBlock is the number of columns that InvertUpper works on at a time.
const invertBlock = 256

// InvertUpper makes the upper triangle of u that of its inverse, in place. Below the
// diagonal it writes zeros.
func InvertUpper(e blas.Engine, u blas.General[float64]) {
	n := u.Rows
	part := func(i0, i1, j0, j1 int) blas.General[float64] {
		return blas.General[float64]{Rows: i1 - i0, Cols: j1 - j0, Stride: u.Stride, Data: u.RowRange(i0, i1).Data[j0:]}
	}
	for i := range n {
		clear(u.Row(i)[:i])
	}
	for j := 0; j < n; j += invertBlock {
		end := min(j+invertBlock, n)
		// With U' inverted so far, the columns J of the inverse are −U'·U_·J·U_JJ⁻¹.
		d := blas.NewGeneral[float64](end-j, end-j)
		blas.TriInverse(e, d, part(j, end, j, end))
		for i := j; i < end; i++ {
			copy(u.Row(i)[j:end], d.Row(i-j))
		}
		if j == 0 {
			continue
		}
		t := blas.NewGeneral[float64](j, end-j)
		blas.Gemm(e, false, false, 1, part(0, j, j, end), d, 0, t)
		for i := 0; i < j; i += invertBlock {
			to := min(i+invertBlock, j)
			blas.Gemm(e, false, false, -1, part(i, to, i, j), t.RowRange(i, j), 0, part(i, to, j, end))
		}
	}
}

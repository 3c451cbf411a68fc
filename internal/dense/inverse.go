package dense

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// InverseDiagonal writes the diagonal of (UᵀU)⁻¹ to dst for the factor U of
// blas.Cholesky: the squared norms of the rows of U⁻¹. It needs n² elements of memory
// and n³/3 floating-point operations.
func InverseDiagonal[T blas.Float](e blas.Engine, dst []T, u blas.General[T]) {
	x := blas.NewGeneral[T](u.Rows, u.Cols)
	blas.TriInverse(e, x, u)
	dot := asm.Native[T]().Dot
	const rows = 64
	e.Each((u.Rows+rows-1)/rows, func(_ blas.Engine, chunk int) {
		for i := chunk * rows; i < min(u.Rows, (chunk+1)*rows); i++ {
			row := x.Row(i)[i:]
			dst[i] = dot(row, row)
		}
	})
}

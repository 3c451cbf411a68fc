package ridge

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// congruenceBlock is the number of columns, and of rows, that Congruence makes at a
// time where a triangle ends. It divides blas.BlockK, so that blocks leave out zeros and
// no more.
const congruenceBlock = 126

// Congruence makes the sums s of features z those of Pᵀz, in place, where P is upper
// triangular and norm is ‖P‖²: G becomes PᵀGP, ZY and Z become PᵀZY and PᵀZ. Ridge
// regression on Pᵀz with P = L⁻ᵀ is that on z with the penalty βᵀLLᵀβ.
//
// Rounding errors of G come out ‖P‖² times as large; see Sums.Noise of the result.
func Congruence(e blas.Engine, p blas.General[float64], norm float64, s *blas.Sums) {
	n := p.Rows
	// The errors of G's elements, some eps·gᵢⱼ each and of either sign, make a matrix of
	// norm eps·2·‖G‖/√n or less, where ‖G‖ ≤ tr G.
	s.Noise = 0
	for i := range n {
		s.Noise += s.G.Row(i)[i]
	}
	s.Noise *= 0x1p-52 / math.Sqrt(float64(n)) * norm
	s.ZY = dense.MulUpper(e, true, p, s.ZY)
	s.Z = dense.MulUpper(e, true, p, blas.General[float64]{Rows: n, Cols: 1, Stride: 1, Data: s.Z}).Data
	// GP, chain by chain of the products' sums: so G is packed for the kernels once.
	gp := blas.NewGeneral[float64](n, n)
	dense.Mirror(s.G)
	for k := 0; k < n; k += blas.BlockK {
		end, beta := min(k+blas.BlockK, n), 1.0
		if k == 0 {
			beta = 0
		}
		for j := k; j < end; j += congruenceBlock {
			to := min(j+congruenceBlock, end)
			blas.Gemm(e, false, false, 1, view(s.G, 0, n, k, to), view(p, k, to, j, to), beta, view(gp, 0, n, j, to))
		}
		if end < n {
			blas.Gemm(e, false, false, 1, view(s.G, 0, n, k, end), view(p, k, end, end, n), beta, view(gp, 0, n, end, n))
		}
	}
	for i := 0; i < n; i += congruenceBlock {
		end := min(i+congruenceBlock, n)
		blas.Gemm(e, true, false, 1, view(p, 0, end, i, end), view(gp, 0, end, i, n), 0, view(s.G, i, end, i, n))
	}
	for i := range n {
		clear(s.G.Row(i)[:i])
	}
}

// view returns rows i0 … i1−1 and columns j0 … j1−1 of m.
func view(m blas.General[float64], i0, i1, j0, j1 int) blas.General[float64] {
	rows := m.RowRange(i0, i1)
	return blas.General[float64]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: rows.Data[j0:]}
}

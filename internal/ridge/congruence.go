package ridge

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// congruenceBlock is the number of columns that Congruence makes at a time. It
// divides chains of products, which defines results of an exact backend.
const congruenceBlock = 126

// Congruence returns the sums of the features Pᵀz for those of z, where P is upper
// triangular: with G and ZY and Z of s replaced by PᵀGP, PᵀZY and PᵀZ. Ridge
// regression on Pᵀz with P = L⁻ᵀ is that on z with the penalty βᵀLLᵀβ.
//
// Rounding errors of G come out ‖P‖² times as large; see Sums.Noise of the result.
func Congruence(e blas.Engine, p blas.General[float64], s *blas.Sums) *blas.Sums {
	n := p.Rows
	out := blas.NewSums(n, len(s.Y), true)
	out.Rows, out.W = s.Rows, s.W
	// The errors of G's elements, some eps·gᵢⱼ each and of either sign, make a matrix of
	// norm eps·2·‖G‖/√n or less, where ‖G‖ ≤ tr G.
	for i := range n {
		out.Noise += s.G.Row(i)[i]
	}
	out.Noise *= 0x1p-52 / math.Sqrt(float64(n)) * dense.NormSquared(e, p)
	copy(out.Y, s.Y)
	copy(out.YY, s.YY)
	blas.Gemm(e, true, false, 1, p, s.ZY, 0, out.ZY)
	z := func(v []float64) blas.General[float64] {
		return blas.General[float64]{Rows: n, Cols: 1, Stride: 1, Data: v}
	}
	blas.Gemm(e, true, false, 1, p, z(s.Z), 0, z(out.Z))
	g, gp := dense.Clone(s.G), blas.NewGeneral[float64](n, n)
	dense.Mirror(g)
	for j := 0; j < n; j += congruenceBlock {
		end := min(j+congruenceBlock, n)
		blas.Gemm(e, false, false, 1, view(g, 0, n, 0, end), view(p, 0, end, j, end), 0, view(gp, 0, n, j, end))
	}
	for i := 0; i < n; i += congruenceBlock {
		end := min(i+congruenceBlock, n)
		blas.Gemm(e, true, false, 1, view(p, 0, end, i, end), view(gp, 0, end, i, n), 0, view(out.G, i, end, i, n))
	}
	for i := range n {
		clear(out.G.Row(i)[:i])
	}
	return out
}

// view returns rows i0 … i1−1 and columns j0 … j1−1 of m.
func view(m blas.General[float64], i0, i1, j0, j1 int) blas.General[float64] {
	rows := m.RowRange(i0, i1)
	return blas.General[float64]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: rows.Data[j0:]}
}

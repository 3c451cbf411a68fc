package dense

import "github.com/rffgo/rff/blas"

// MulUpper returns P·x, or Pᵀ·x with trans set, for an upper triangle P with zeros below the
// diagonal. It works on blas.BlockK rows and columns of P at a time, the length of a fused chain of
// products. So it leaves zeros out and packs little of P, and the result is that of blas.Gemm.
func MulUpper(e blas.Engine, trans bool, p, x blas.General[float64]) blas.General[float64] {
	out := blas.NewGeneral[float64](p.Rows, x.Cols)
	for i := 0; i < p.Rows; i += blas.BlockK {
		to := min(i+blas.BlockK, p.Rows)
		if trans {
			blas.Gemm(e, true, false, 1, View(p, 0, to, i, to), x.RowRange(0, to), 0, out.RowRange(i, to))
		} else {
			blas.Gemm(e, false, false, 1, View(p, i, to, i, p.Cols), x.RowRange(i, p.Rows), 0, out.RowRange(i, to))
		}
	}
	return out
}

// View returns rows i0 … i1−1 and columns j0 … j1−1 of m.
func View(m blas.General[float64], i0, i1, j0, j1 int) blas.General[float64] {
	return blas.General[float64]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride, Data: m.RowRange(i0, i1).Data[j0:]}
}

// WY writes T of H₀·H₁·… = I − V·T·Vᵀ, reflections Hⱼ = I − τⱼ·vⱼ·vⱼᵀ, to t, which is zero,
// from g = VᵀV (Schreiber and Van Loan, "A storage-efficient WY representation", SIAM J. Sci.
// Stat. Comput. 10, 1989): T[:j, j] = −τ_j·T[:j, :j]·(VᵀV)[:j, j].
func WY(t, g blas.General[float64], tau []float64) {
	for j := range tau {
		for i := range j {
			var s float64
			for l := i; l < j; l++ {
				s += float64(t.Row(i)[l] * g.Row(l)[j])
			}
			t.Row(i)[j] = -tau[j] * s
		}
		t.Row(j)[j] = tau[j]
	}
}

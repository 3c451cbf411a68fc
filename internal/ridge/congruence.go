package ridge

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// whiten turns sums of features z into sums of Pᵀz, in place. P is upper triangular and norm is
// ‖P‖²: G becomes PᵀGP, ZY and Z become PᵀZY and PᵀZ. Ridge regression on Pᵀz with P = L⁻ᵀ is
// that on z with the penalty βᵀLLᵀβ.
//
// The rounding errors of G become ‖P‖² times as large; see Sums.Noise of the result.
func whiten(e blas.Engine, p blas.General[float64], norm float64, sums ...*blas.Sums) {
	c := &congruence{e: e}
	for _, s := range sums {
		var trace float64
		for i := range s.G.Rows {
			trace += s.G.Row(i)[i]
		}
		s.Noise = noise(trace, s.G.Rows, norm)
		dense.Mirror(s.G)
		c.of(s.G, p)
		for i := range p.Rows {
			clear(s.G.Row(i)[:i])
		}
	}
	multiplySides(e, p, sums)
}

// multiplySides replaces ZY and Z of all sums by PᵀZY and PᵀZ, in one product, which packs P
// once.
func multiplySides(e blas.Engine, p blas.General[float64], sums []*blas.Sums) {
	width := 0
	for _, s := range sums {
		width += s.ZY.Cols + 1
	}
	all := blas.NewGeneral[float64](p.Rows, width)
	for i := range p.Rows {
		row := all.Row(i)[:0]
		for _, s := range sums {
			row = append(append(row, s.ZY.Row(i)...), s.Z[i])
		}
	}
	all = dense.MulUpper(e, true, p, all)
	for i := range p.Rows {
		row := all.Row(i)
		for _, s := range sums {
			copy(s.ZY.Row(i), row)
			s.Z[i] = row[s.ZY.Cols]
			row = row[s.ZY.Cols+1:]
		}
	}
}

// congruenceBlock is the number of columns, and of rows, that products with a triangle compute
// at a time. Up to this size the zeros of the triangle are multiplied as well. It divides
// blas.BlockK, so that each half of the matrix has whole blocks.
const congruenceBlock = 126

// congruence has the memory of all levels of a recursion, ¾ of the matrix.
type congruence struct {
	e       blas.Engine
	half, h []float64
	square  []float64
}

// of replaces the upper triangle of g by that of pᵀgp, from both triangles of g. With halves
//
//	G = [A B; Bᵀ C], P = [S T; 0 U]:
//
// the result is SᵀAS, Sᵀ(AT + BU) and UᵀCU + TᵀH + HᵀT with H = ½AT + BU: half the
// multiplications of two products, as LAPACK's dsygst has it.
func (c *congruence) of(g, p blas.General[float64]) {
	n, e := g.Rows, c.e
	if n <= congruenceBlock {
		gp := dense.Fitting(&c.h, n, n)
		blas.Gemm(e, false, false, 1, g, p, 0, gp)
		blas.Gemm(e, true, false, 1, p, gp, 0, g)
		return
	}
	m := split(n)
	a, b, d := dense.View(g, 0, m, 0, m), dense.View(g, 0, m, m, n), dense.View(g, m, n, m, n)
	s, t, u := dense.View(p, 0, m, 0, m), dense.View(p, 0, m, m, n), dense.View(p, m, n, m, n)

	c.of(d, u) // it needs the memory that the lines below use
	half, h := dense.Fitting(&c.half, m, n-m), dense.Fitting(&c.h, m, n-m)
	blas.Gemm(e, false, false, 0.5, a, t, 0, half)
	copy(h.Data, half.Data)
	for j := 0; j < n-m; j += congruenceBlock {
		end := min(j+congruenceBlock, n-m)
		blas.Gemm(e, false, false, 1, dense.View(b, 0, m, 0, end), dense.View(u, 0, end, j, end), 1, dense.View(h, 0, m, j, end))
	}
	square := dense.Fitting(&c.square, n-m, n-m)
	blas.Gemm(e, true, false, 1, t, h, 0, square)
	for i := range n - m {
		row, across := d.Row(i)[i:], square.Row(i)[i:]
		for j := range row {
			row[j] += across[j] + square.Row(i + j)[i]
		}
	}
	dense.Add(h.Data, half.Data)
	for i := 0; i < m; i += congruenceBlock {
		end := min(i+congruenceBlock, m)
		blas.Gemm(e, true, false, 1, dense.View(s, 0, end, i, end), dense.View(h, 0, end, 0, n-m), 0, dense.View(b, i, end, 0, n-m))
	}
	c.of(a, s)
}

// split returns where a matrix of n rows is halved: at a multiple of blas.BlockK or of
// congruenceBlock if there is one.
func split(n int) int {
	if n >= 2*blas.BlockK {
		return (n/2 + blas.BlockK/2) / blas.BlockK * blas.BlockK
	}
	return (n/2 + congruenceBlock/2) / congruenceBlock * congruenceBlock
}

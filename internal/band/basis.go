package band

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// together is about the number of reflectors that are applied as one product. With so many,
// packing the matrix that they are applied to is a small part of the work.
const together = 128

// Basis returns Qᵀ. Products with Q pack Qᵀ faster than Q.
//
// Reflectors are applied from the last to the first. Those of step k then meet a matrix that is
// still the identity in the rows and columns before theirs, which halves the work of Restore. The
// reflectors of several steps are one I − V·T·Vᵀ (Bischof and Van Loan, "The WY representation
// for products of Householder matrices", SIAM J. Sci. Stat. Comput. 8, 1987).
func (m *Matrix) Basis() blas.General[float64] {
	q := blas.NewGeneral[float64](m.n, m.n)
	for i := range m.n {
		q.Row(i)[i] = 1
	}
	steps := max(1, together/m.b)
	vm, tm, cm, um := make([]float64, m.n*steps*m.b), make([]float64, steps*steps*m.b*m.b), make([]float64, m.n*steps*m.b), make([]float64, m.n*steps*m.b)
	for end := len(m.v); end > 0; {
		first := (end - 1) / steps * steps
		from := (first + 1) * m.b
		width := (end - first) * m.b
		v, t := on(vm, m.n-from, width), on(tm, width, width)
		m.gather(first, end, v, t)
		part := dense.View(q, from, m.n, from, m.n)
		c, u := on(cm, part.Rows, width), on(um, part.Rows, width)
		blas.Gemm(m.engine, false, false, 1, part, v, 0, c)
		blas.Gemm(m.engine, false, true, 1, c, t, 0, u)
		blas.Gemm(m.engine, false, true, -1, u, v, 1, part)
		end = first
	}
	return q
}

// gather writes the reflectors of steps first … end−1 to v, and T of their product to t. For two
// steps, (I − V₁T₁V₁ᵀ)(I − V₂T₂V₂ᵀ) = I − [V₁ V₂][T₁ −T₁(V₁ᵀV₂)T₂; 0 T₂][V₁ V₂]ᵀ.
func (m *Matrix) gather(first, end int, v, t blas.General[float64]) {
	clear(v.Data)
	clear(t.Data)
	b := m.b
	for k := first; k < end; k++ {
		at := (k - first) * b
		for i := range m.v[k].Rows {
			copy(v.Row(at + i)[at:], m.v[k].Row(i))
		}
		for i := range b {
			copy(t.Row(at + i)[at:], m.t[k].Row(i))
		}
		if at == 0 {
			continue
		}
		across, left := blas.NewGeneral[float64](at, b), blas.NewGeneral[float64](at, b)
		// V₂ is zero in the rows before row at.
		blas.Gemm(m.engine, true, false, 1, dense.View(v, at, v.Rows, 0, at), dense.View(v, at, v.Rows, at, at+b), 0, across)
		blas.Gemm(m.engine, false, false, 1, dense.View(t, 0, at, 0, at), across, 0, left)
		blas.Gemm(m.engine, false, false, -1, left, m.t[k], 0, dense.View(t, 0, at, at, at+b))
	}
}

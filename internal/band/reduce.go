package band

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Matrix is a symmetric n×n matrix A = Q·B·Qᵀ with B block tridiagonal.
type Matrix struct {
	n, b   int
	v      []blas.General[float64] // reflectors of step k: (n−(k+1)b)×b
	t      []blas.General[float64] // their b×b triangular factors, Q_k = I − V·T·Vᵀ
	diag   []blas.General[float64] // diagonal blocks of B
	below  []blas.General[float64] // below[k] couples block k+1 (rows) to block k
	engine blas.Engine
}

// Block is the default block size: large enough that the trailing updates are
// bound by arithmetic, small enough that panels and banded solves stay cheap.
const Block = 32

// Reducer reduces one matrix after the other in the same memory, n²/2 numbers and a few
// times n·block.
type Reducer struct {
	trail    *blas.Trailing[float64]
	products []float64 // tall ones
	small    []float64 // products, and blocks of the result
	panel    panel
}

// Reduce returns the reduction of a symmetric matrix of order n. It is valid until the next call.
// row writes the matrix's elements (i, j), (i, j+1) … to dst, for i ≤ j; several goroutines call
// it. block is the block size, 0 for the default. The error is that of ctx, which every step
// checks. done, unless nil, is called with the share of the work of each step.
//
// Step k finds Q_k = I − V·T·Vᵀ from the panel of columns k, and the trailing matrix becomes
// QᵀAQ = A − V·Xᵀ − X·Vᵀ with W = A·V·T and X = W − ½V(TᵀVᵀW). The next panel needs only its own
// columns of this matrix, so they are updated first. Then one pass over memory updates the other
// columns and multiplies them by the next V (Dongarra, Hammarling and Sorensen, "Block reduction
// of matrices to condensed forms", J. Comput. Appl. Math. 27, 1989, do both for vectors).
func (r *Reducer) Reduce(ctx context.Context, e blas.Engine, n, block int, row func(dst []float64, i, j int), done func(share float64)) (*Matrix, error) {
	if block <= 0 {
		block = Block
	}
	b := block
	steps := (n + b - 1) / b
	m := &Matrix{n: n, b: b, engine: e}
	if most := (3*steps + 2) * b * b; len(r.small) < most {
		r.small = make([]float64, most)
	}
	clear(r.small)
	blocks := r.small
	next := func(rows, cols int) blas.General[float64] {
		block := on(blocks, rows, cols)
		blocks = blocks[rows*cols:]
		return block
	}
	copied := func(a blas.General[float64]) blas.General[float64] {
		c := next(a.Rows, a.Cols)
		for i := range a.Rows {
			copy(c.Row(i), a.Row(i))
		}
		return c
	}
	r.panel.fit(n)
	r.trail = blas.NewTrailing(e, r.trail, n, b, row)
	trail := r.trail
	memory := dense.Fitting(&r.products, 2*b, n).Data
	s, ts := next(b, b), next(b, b)
	for trail.Rows() > 2*b {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		head := trail.Head(b)
		m.diag = append(m.diag, copied(head.RowRange(0, b)))
		v, t, upper := head.RowRange(b, head.Rows), next(b, b), next(b, b)
		r.panel.factor(e, v, t, upper)
		m.below = append(m.below, upper)
		m.v = append(m.v, v)
		m.t = append(m.t, t)
		trail.Drop(b)
		y, w := on(memory, v.Rows, b), on(memory[b*n:], v.Rows, b)
		trail.Multiply(v, y)
		blas.Gemm(e, false, false, 1, y, t, 0, w)
		blas.Gemm(e, true, false, 1, v, w, 0, s)
		blas.Gemm(e, true, false, 1, t, s, 0, ts)
		blas.Gemm(e, false, false, -0.5, v, ts, 1, w)
		trail.Subtract(v, w)
		if done != nil { // the remaining work is proportional to the cube of the remaining order
			before, after := float64(v.Rows+b)/float64(n), float64(v.Rows)/float64(n)
			done(float64(before*before*before) - float64(after*after*after))
		}
	}
	// One or two blocks are left, which need no transformation.
	if trail.Rows() > b {
		head := trail.Head(b)
		m.diag = append(m.diag, copied(head.RowRange(0, b)))
		m.below = append(m.below, copied(head.RowRange(b, head.Rows)))
		trail.Drop(b)
	}
	m.diag = append(m.diag, copied(trail.Head(trail.Rows())))
	return m, ctx.Err()
}

// Rotate replaces x, n×c, by Qᵀx.
func (m *Matrix) Rotate(x blas.General[float64]) { m.apply(m.engine, x, true) }

// Restore replaces x, n×c, by Qx on e, which may be a share of the workers.
func (m *Matrix) Restore(e blas.Engine, x blas.General[float64]) { m.apply(e, x, false) }

// apply applies Q = Q₀Q₁… or its transpose: x ← x − V·op(T)·Vᵀx per factor.
func (m *Matrix) apply(e blas.Engine, x blas.General[float64], trans bool) {
	c, u := blas.NewGeneral[float64](m.b, x.Cols), blas.NewGeneral[float64](m.b, x.Cols)
	for i := range m.v {
		k := i
		if !trans {
			k = len(m.v) - 1 - i
		}
		part := x.RowRange((k+1)*m.b, m.n)
		if x.Cols == 1 { // one column is too little for a product
			m.applyOne(k, part, c.Data, u.Data, trans)
			continue
		}
		blas.Gemm(e, true, false, 1, m.v[k], part, 0, c)
		blas.Gemm(e, trans, false, 1, m.t[k], c, 0, u)
		blas.Gemm(e, false, false, -1, m.v[k], u, 1, part)
	}
}

// applyOne applies factor k to a vector, with c and u as memory.
func (m *Matrix) applyOne(k int, x blas.General[float64], c, u []float64, trans bool) {
	clear(c)
	v, t := m.v[k], m.t[k]
	for i := range v.Rows {
		row, e := v.Row(i)[:len(c)], x.Data[i*x.Stride]
		for j := range c {
			c[j] += float64(row[j] * e)
		}
	}
	for i := range u {
		u[i] = 0
		for j := range c {
			e := t.Data[i*t.Stride+j]
			if trans {
				e = t.Data[j*t.Stride+i]
			}
			u[i] += float64(e * c[j])
		}
	}
	for i := range v.Rows {
		x.Data[i*x.Stride] -= dense.Dot(v.Row(i), u)
	}
}

func on(data []float64, r, c int) blas.General[float64] {
	return blas.General[float64]{Rows: r, Cols: c, Stride: c, Data: data[:r*c]}
}

package band

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// Matrix is a symmetric n×n matrix A = Q·B·Qᵀ with B block tridiagonal.
type Matrix struct {
	n, b   int
	v      []blas.General[float64] // reflectors of step k: (n−(k+1)b)×b, views of A
	t      []blas.General[float64] // their b×b triangular factors, Q_k = I − V·T·Vᵀ
	diag   []blas.General[float64] // diagonal blocks of B
	below  []blas.General[float64] // below[k] couples block k+1 (rows) to block k
	engine blas.Engine
}

// Block is the default block size: large enough that the trailing updates are
// bound by arithmetic, small enough that panels and banded solves stay cheap.
const Block = 32

// strip is the number of columns of the trailing matrix that are updated and
// multiplied before the next ones: few enough that they stay in cache between.
const strip = 256

// Reduce overwrites a, symmetric in full storage, with its reduction, which
// keeps it. block is the block size, 0 for the default.
//
// Step k finds Q_k = I − V·T·Vᵀ from the panel of columns k, and the trailing
// matrix becomes QᵀAQ = A − V·Xᵀ − X·Vᵀ with W = A·V·T and X = W − ½V(TᵀVᵀW).
// As the next panel needs only its own columns of that, it goes first, and the
// update of the others and their product with the next V are one pass over
// memory (Dongarra, Hammarling and Sorensen, "Block reduction of matrices to
// condensed forms", J. Comput. Appl. Math. 27, 1989, do both for vectors).
func Reduce(e blas.Engine, a blas.General[float64], block int) *Matrix {
	if block <= 0 {
		block = Block
	}
	n, b := a.Rows, block
	m := &Matrix{n: n, b: b, engine: e}
	p := newPanel(n, b)
	var left, right blas.General[float64] // [Vᵀ; Xᵀ] and [Xᵀ; Vᵀ] of the last step from column k on
	memory := make([]float64, 5*b*n)
	k := 0
	for ; n-k > 2*b; k += b {
		update(e, sub(a, k, n, k, k+b), left, right, 0)
		v, t, r := p.factor(e, sub(a, k+b, n, k, k+b))
		m.diag = append(m.diag, clone(sub(a, k, k+b, k, k+b)))
		m.below = append(m.below, r)
		m.v = append(m.v, v)
		m.t = append(m.t, t)

		rows := n - k - b
		trail := sub(a, k+b, n, k+b, n)
		y := on(memory[4*b*n:], b, rows) // (A·V)ᵀ
		if left.Rows > 0 {
			left, right = sub(left, 0, 2*b, b, left.Cols), sub(right, 0, 2*b, b, right.Cols)
		}
		e.Each((rows+strip-1)/strip, func(e blas.Engine, i int) {
			j0, j1 := i*strip, min(rows, (i+1)*strip)
			part := sub(trail, 0, rows, j0, j1)
			update(e, part, left, right, j0)
			blas.Gemm(e, true, false, 1, v, part, 0, sub(y, 0, b, j0, j1))
		})
		left, right = on(memory, 2*b, rows), on(memory[2*b*n:], 2*b, rows)
		x := left.RowRange(b, 2*b)
		blas.Gemm(e, true, false, 1, t, y, 0, x)
		s, ts := blas.NewGeneral[float64](b, b), blas.NewGeneral[float64](b, b)
		blas.Gemm(e, false, false, 1, x, v, 0, s) // (VᵀW)ᵀ
		blas.Gemm(e, false, false, 1, s, t, 0, ts)
		for i := range b {
			copy(left.Row(i), p.cols[i])
		}
		blas.Gemm(e, false, false, -0.5, ts, left.RowRange(0, b), 1, x)
		copy(right.Data, x.Data)
		copy(right.Data[b*rows:], left.Data[:b*rows])
	}
	// What is left needs no transformation: one or two blocks.
	update(e, sub(a, k, n, k, n), left, right, 0)
	if n-k > b {
		m.diag = append(m.diag, clone(sub(a, k, k+b, k, k+b)))
		m.below = append(m.below, clone(sub(a, k+b, n, k, k+b)))
		k += b
	}
	m.diag = append(m.diag, clone(sub(a, k, n, k, n)))
	return m
}

// update subtracts leftᵀ·right from the columns of the trailing matrix from j on.
func update(e blas.Engine, columns, left, right blas.General[float64], j int) {
	if left.Rows > 0 {
		blas.Gemm(e, true, false, -1, left, sub(right, 0, right.Rows, j, j+columns.Cols), 1, columns)
	}
}

// Size returns n.
func (m *Matrix) Size() int { return m.n }

// Rotate replaces x, n×c, by Qᵀx.
func (m *Matrix) Rotate(x blas.General[float64]) { m.apply(x, true) }

// Restore replaces x, n×c, by Qx.
func (m *Matrix) Restore(x blas.General[float64]) { m.apply(x, false) }

// apply applies Q = Q₀Q₁… or its transpose: x ← x − V·op(T)·Vᵀx per factor.
func (m *Matrix) apply(x blas.General[float64], trans bool) {
	c, u := blas.NewGeneral[float64](m.b, x.Cols), blas.NewGeneral[float64](m.b, x.Cols)
	for i := range m.v {
		k := i
		if !trans {
			k = len(m.v) - 1 - i
		}
		part := x.RowRange((k+1)*m.b, m.n)
		blas.Gemm(m.engine, true, false, 1, m.v[k], part, 0, c)
		blas.Gemm(m.engine, trans, false, 1, m.t[k], c, 0, u)
		blas.Gemm(m.engine, false, false, -1, m.v[k], u, 1, part)
	}
}

// panel is the memory of a QR factorisation of tall panels, kept by columns.
type panel struct {
	cols [][]float64
	b    int
}

func newPanel(n, b int) *panel {
	p := &panel{b: b, cols: make([][]float64, b)}
	for j := range p.cols {
		p.cols[j] = make([]float64, n)
	}
	return p
}

// factor computes a = Q·[R; 0] for a of more rows than columns, and stores the
// reflectors in a, with their ones and zeros written out: Q = I − V·T·Vᵀ.
func (p *panel) factor(e blas.Engine, a blas.General[float64]) (v, t, r blas.General[float64]) {
	rows, b := a.Rows, a.Cols
	p.columns(a, false)
	r = blas.NewGeneral[float64](b, b)
	t = blas.NewGeneral[float64](b, b)
	tau := make([]float64, b)
	for j := range b {
		col := p.cols[j][:rows]
		alpha := col[j]
		beta := norm(col[j:])
		if beta == 0 || (rows-j == 1) {
			clear(col[j:])
			col[j] = alpha
			for i := range j + 1 {
				r.Data[i*b+j] = col[i]
			}
			clear(col[:j])
			col[j] = 1 // τ = 0: Q_j = I
			continue
		}
		if alpha > 0 {
			beta = -beta
		}
		tau[j] = (beta - alpha) / beta
		scale := 1 / (alpha - beta)
		for i := range j {
			r.Data[i*b+j] = col[i]
			col[i] = 0
		}
		r.Data[j*b+j] = beta
		tail := col[j+1:]
		for i := range tail {
			tail[i] *= scale
		}
		col[j] = 1
		reflect(p.cols[j+1:b], col[:rows], j, tau[j])
	}
	p.columns(a, true)
	// T from VᵀV (Schreiber and Van Loan, 1989): T[:j, j] = −τ_j·T[:j, :j]·(VᵀV)[:j, j].
	g := blas.NewGeneral[float64](b, b)
	blas.Gemm(e, true, false, 1, a, a, 0, g)
	for j := range b {
		for i := range j {
			var s float64
			for l := i; l < j; l++ {
				s += float64(t.Data[i*b+l] * g.Data[l*b+j])
			}
			t.Data[i*b+j] = -tau[j] * s
		}
		t.Data[j*b+j] = tau[j]
	}
	return a, t, r
}

// columns copies a to the columns of p, or back. Eight at a time, a cache line of
// a row, because rows may be a power of two apart.
func (p *panel) columns(a blas.General[float64], back bool) {
	j := 0
	for ; j+8 <= a.Cols; j += 8 {
		var c [8][]float64
		for k := range c {
			c[k] = p.cols[j+k][:a.Rows]
		}
		c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
		for i := range a.Rows {
			r := (*[8]float64)(a.Data[i*a.Stride+j:])
			if back {
				r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = c0[i], c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i]
			} else {
				c0[i], c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i] = r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
			}
		}
	}
	for ; j < a.Cols; j++ {
		for i := range a.Rows {
			if back {
				a.Row(i)[j] = p.cols[j][i]
			} else {
				p.cols[j][i] = a.Row(i)[j]
			}
		}
	}
}

// reflect applies I − τ·v·vᵀ to the columns, from element j on. Two columns at
// a time and four sums each keep the processor's pipes full.
func reflect(cols [][]float64, v []float64, j int, tau float64) {
	v = v[j:]
	c := 0
	for ; c+2 <= len(cols); c += 2 {
		x, y := cols[c][j:][:len(v)], cols[c+1][j:][:len(v)]
		var s0, s1, s2, s3, t0, t1, t2, t3 float64
		i := 0
		for ; i+4 <= len(v); i += 4 {
			a, b, d := (*[4]float64)(v[i:]), (*[4]float64)(x[i:]), (*[4]float64)(y[i:])
			s0 += float64(a[0] * b[0])
			t0 += float64(a[0] * d[0])
			s1 += float64(a[1] * b[1])
			t1 += float64(a[1] * d[1])
			s2 += float64(a[2] * b[2])
			t2 += float64(a[2] * d[2])
			s3 += float64(a[3] * b[3])
			t3 += float64(a[3] * d[3])
		}
		for ; i < len(v); i++ {
			s0 += float64(v[i] * x[i])
			t0 += float64(v[i] * y[i])
		}
		f, g := tau*((s0+s1)+(s2+s3)), tau*((t0+t1)+(t2+t3))
		for i, u := range v {
			x[i] -= float64(f * u)
			y[i] -= float64(g * u)
		}
	}
	for ; c < len(cols); c++ {
		x := cols[c][j:][:len(v)]
		f := tau * dot(v, x)
		for i, u := range v {
			x[i] -= float64(f * u)
		}
	}
}

// norm returns ‖x‖₂ without overflow of the squares.
func norm(x []float64) float64 {
	var most float64
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return 0
	}
	// A power of two scales without rounding.
	_, exp := math.Frexp(most)
	f := math.Ldexp(1, -exp)
	var s0, s1 float64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		a, b := x[i]*f, x[i+1]*f
		s0 += float64(a * a)
		s1 += float64(b * b)
	}
	if i < len(x) {
		a := x[i] * f
		s0 += float64(a * a)
	}
	return math.Ldexp(math.Sqrt(s0+s1), exp)
}

func sub(a blas.General[float64], i0, i1, j0, j1 int) blas.General[float64] {
	return blas.General[float64]{Rows: i1 - i0, Cols: j1 - j0, Stride: a.Stride,
		Data: a.Data[i0*a.Stride+j0 : (i1-1)*a.Stride+j1]}
}

func on(data []float64, r, c int) blas.General[float64] {
	return blas.General[float64]{Rows: r, Cols: c, Stride: c, Data: data[:r*c]}
}

func clone(m blas.General[float64]) blas.General[float64] {
	c := blas.NewGeneral[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

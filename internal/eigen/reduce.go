package eigen

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// block columns are reduced before one product updates the rest of the matrix.
const block = 32

// tridiagonal is A = Q·T·Qᵀ with T tridiagonal. Q is the product of the blocks
// I − V·T·Vᵀ of reflections.
type tridiagonal struct {
	diag, off []float64 // of T: off[i] couples i and i+1, the last is 0
	blocks    []reflections
}

// reflections are the reflections H = I − τ·v·vᵀ of successive columns.
type reflections struct {
	first int                   // the first row of A that they change
	v     blas.General[float64] // one in each row, from row first of A on
	tau   []float64
}

// reduce overwrites a, whose elements are below 1.
//
// Within a block of columns the trailing matrix is A − V·Wᵀ − W·Vᵀ, which is not formed yet. Its
// columns, and its products with a vector, are computed from A, V and W.
func reduce(e blas.Engine, a blas.General[float64]) *tridiagonal {
	n := a.Rows
	t := &tridiagonal{diag: make([]float64, n), off: make([]float64, n)}
	for j0 := 0; j0 < n; j0 += block {
		cols := min(block, n-j0)
		rest := n - j0
		// Rows of [V; W] and [W; V]: element i belongs to row j0+i of A.
		left, right := blas.NewGeneral[float64](2*cols, rest), blas.NewGeneral[float64](2*cols, rest)
		r := reflections{first: j0, v: left.RowRange(0, cols), tau: make([]float64, cols)}
		w := right.RowRange(0, cols)
		for c := range cols {
			j := j0 + c
			col := a.Row(j)[j:] // a row of a serves as its column: they agree up to rounding
			for k := range c {
				dense.AddTimes(col, -w.Row(k)[c], r.v.Row(k)[c:])
				dense.AddTimes(col, -r.v.Row(k)[c], w.Row(k)[c:])
			}
			t.diag[j] = col[0]
			if j+1 == n {
				break
			}
			v := r.v.Row(c)[c+1:]
			copy(v, col[1:])
			t.off[j], r.tau[c] = reflector(v)
			if r.tau[c] == 0 {
				continue
			}
			y := w.Row(c)[c+1:]
			multiply(e, y, dense.View(a, j+1, n, j+1, n), v)
			for k := range c {
				vk, wk := r.v.Row(k)[c+1:], w.Row(k)[c+1:]
				vv, wv := dot(vk, v), dot(wk, v)
				dense.AddTimes(y, -wv, vk)
				dense.AddTimes(y, -vv, wk)
			}
			for i := range y {
				y[i] *= r.tau[c]
			}
			dense.AddTimes(y, -0.5*r.tau[c]*dot(y, v), v)
		}
		if j1 := j0 + cols; j1 < n {
			for k := range cols {
				copy(left.Row(cols+k), w.Row(k))
				copy(right.Row(cols+k), r.v.Row(k))
			}
			blas.Gemm(e, true, false, -1, dense.View(left, 0, 2*cols, cols, rest), dense.View(right, 0, 2*cols, cols, rest), 1, dense.View(a, j1, n, j1, n))
		}
		t.blocks = append(t.blocks, r)
	}
	return t
}

// reflector replaces x by the vector v, v[0] = 1, of the reflection I − τ·v·vᵀ that takes x to
// (beta, 0, …, 0). τ is 0 if the other elements of x are below 2⁻⁴⁵⁰ already: such elements do not
// count beside those of order 1, and their squares lose digits.
func reflector(x []float64) (beta, tau float64) {
	alpha := x[0]
	s := dot(x[1:], x[1:])
	if s < 0x1p-900 {
		clear(x)
		x[0] = 1
		return alpha, 0
	}
	beta = math.Sqrt(float64(alpha*alpha) + s)
	if alpha > 0 {
		beta = -beta
	}
	d := alpha - beta
	for i := range x {
		x[i] /= d
	}
	x[0] = 1
	return beta, (beta - alpha) / beta
}

// orthogonal overwrites q with Q.
func (t *tridiagonal) orthogonal(e blas.Engine, q blas.General[float64]) {
	n := q.Rows
	clear(q.Data)
	for i := range n {
		q.Data[i*q.Stride+i] = 1
	}
	// Blocks are applied from the last to the first, so each meets the identity before its rows.
	for k := len(t.blocks) - 1; k >= 0; k-- {
		r := t.blocks[k]
		cols := len(r.tau)
		part := dense.View(q, r.first, n, r.first, n)
		g, t := blas.NewGeneral[float64](cols, cols), blas.NewGeneral[float64](cols, cols)
		vq, u := blas.NewGeneral[float64](cols, part.Cols), blas.NewGeneral[float64](cols, part.Cols)
		blas.Gemm(e, false, true, 1, r.v, r.v, 0, g)
		dense.WY(t, g, r.tau)
		blas.Gemm(e, false, false, 1, r.v, part, 0, vq)
		blas.Gemm(e, false, false, 1, t, vq, 0, u)
		blas.Gemm(e, true, false, -1, r.v, u, 1, part)
	}
}

// multiply computes y = A·x, a few rows of A to a task.
func multiply(e blas.Engine, y []float64, a blas.General[float64], x []float64) {
	const rows = 128
	if a.Rows <= 2*rows {
		multiplyRows(y, a, x)
		return
	}
	e.Each((a.Rows+rows-1)/rows, func(_ blas.Engine, i int) {
		i0, i1 := i*rows, min(a.Rows, (i+1)*rows)
		multiplyRows(y[i0:i1], a.RowRange(i0, i1), x)
	})
}

// multiplyRows takes four rows of A at a time, so that no addition waits for the one before. An
// element is the same sum, wherever its row is.
func multiplyRows(y []float64, a blas.General[float64], x []float64) {
	i := 0
	for ; i+4 <= a.Rows; i += 4 {
		r0, r1, r2, r3 := a.Row(i)[:len(x)], a.Row(i + 1)[:len(x)], a.Row(i + 2)[:len(x)], a.Row(i + 3)[:len(x)]
		var s0, s1, s2, s3, t0, t1, t2, t3 float64
		j := 0
		for ; j+2 <= len(x); j += 2 {
			u, v := x[j], x[j+1]
			s0 += float64(r0[j] * u)
			t0 += float64(r0[j+1] * v)
			s1 += float64(r1[j] * u)
			t1 += float64(r1[j+1] * v)
			s2 += float64(r2[j] * u)
			t2 += float64(r2[j+1] * v)
			s3 += float64(r3[j] * u)
			t3 += float64(r3[j+1] * v)
		}
		if j < len(x) {
			u := x[j]
			s0 += float64(r0[j] * u)
			s1 += float64(r1[j] * u)
			s2 += float64(r2[j] * u)
			s3 += float64(r3[j] * u)
		}
		y[i], y[i+1], y[i+2], y[i+3] = s0+t0, s1+t1, s2+t2, s3+t3
	}
	for ; i < a.Rows; i++ {
		y[i] = dot(a.Row(i), x)
	}
}

// dot is Σ x·y, the elements of even and of odd index apart.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s, t float64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		s += float64(x[i] * y[i])
		t += float64(x[i+1] * y[i+1])
	}
	if i < len(x) {
		s += float64(x[i] * y[i])
	}
	return s + t
}

package band

import (
	"math"
	"sync"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/portable"
)

// Factor is the Cholesky factor L of B + μI. It is block bidiagonal, with lower triangular
// diagonal blocks L_k and blocks M_k below them.
type Factor struct {
	m     *Matrix
	diag  []blas.General[float64] // L_k
	below []blas.General[float64] // M_k = E_k·L_k⁻ᵀ, upper triangular if E_k is

	memory *factorMemory
}

type factorMemory struct {
	numbers     []float64
	diag, below []blas.General[float64]
}

// spare has the memory of factors that are freed.
var spare sync.Pool

// Free ends the use of f, whose memory another factor may take.
func (f *Factor) Free() { spare.Put(f.memory) }

// Factor factors A + μI. The error is a *blas.NotPositiveDefiniteError.
func (m *Matrix) Factor(mu float64) (*Factor, error) {
	own, _ := spare.Get().(*factorMemory)
	if own == nil {
		own = new(factorMemory)
	}
	if cap(own.diag) < len(m.diag) {
		own.diag, own.below = make([]blas.General[float64], 0, len(m.diag)), make([]blas.General[float64], 0, len(m.diag))
	}
	f := &Factor{m: m, diag: own.diag[:0], below: own.below[:0], memory: own}
	memory := dense.Fitting(&own.numbers, 2, m.n*m.b).Data
	copied := func(d blas.General[float64]) blas.General[float64] { // d has no gaps
		c := on(memory, d.Rows, d.Cols)
		copy(c.Data, d.Data)
		memory = memory[len(c.Data):]
		return c
	}
	for k, d := range m.diag {
		l := copied(d)
		for i := range l.Rows {
			l.Data[i*l.Stride+i] += mu
		}
		if k > 0 {
			subtractSquare(l, f.below[k-1], k-1 < len(m.v))
		}
		if pivot, v := cholesky(l); pivot >= 0 {
			f.Free()
			return nil, &blas.NotPositiveDefiniteError{Pivot: k*m.b + pivot, Value: v}
		}
		f.diag = append(f.diag, l)
		if k < len(m.below) {
			c := copied(m.below[k])
			forwardRows(l, c, k < len(m.v))
			f.below = append(f.below, c)
		}
	}
	return f, nil
}

// At least blockColumns columns are solved for together, by products. Their rounding errors differ
// from those of columns that are solved for one by one.
const blockColumns = 16

// Solve replaces x, n×c and already rotated, by (B + μI)⁻¹x.
func (f *Factor) Solve(x blas.General[float64]) {
	if x.Cols >= blockColumns {
		f.solveBlock(x)
		return
	}
	if x.Cols == 1 && x.Stride == 1 {
		f.solve(x.Data[:f.m.n])
		return
	}
	col := make([]float64, f.m.n)
	for c := range x.Cols {
		for i := range col {
			col[i] = x.Data[i*x.Stride+c]
		}
		f.solve(col)
		for i, v := range col {
			x.Data[i*x.Stride+c] = v
		}
	}
}

// solveBlock is Solve for many columns. It multiplies blocks of rows as a whole.
func (f *Factor) solveBlock(x blas.General[float64]) {
	e, b := blas.Engine{Backend: f.m.engine.Backend, Workers: 1}, f.m.b
	part := func(k int) blas.General[float64] { return x.RowRange(k*b, min((k+1)*b, x.Rows)) }
	upper := func(k int) blas.General[float64] { // L_kᵀ
		u := blas.NewGeneral[float64](f.diag[k].Rows, f.diag[k].Rows)
		for i := range u.Rows {
			for j, v := range f.diag[k].Row(i)[:i+1] {
				u.Row(j)[i] = v
			}
		}
		return u
	}
	for k := range f.diag {
		if k > 0 {
			blas.Gemm(e, false, false, -1, f.below[k-1], part(k-1), 1, part(k))
		}
		blas.TrsmUpper(e, true, upper(k), part(k))
	}
	for k := len(f.diag) - 1; k >= 0; k-- {
		if k < len(f.below) {
			blas.Gemm(e, true, false, -1, f.below[k], part(k+1), 1, part(k))
		}
		blas.TrsmUpper(e, false, upper(k), part(k))
	}
}

func (f *Factor) solve(x []float64) {
	f.Forward(x)
	b := f.m.b
	for k := len(f.diag) - 1; k >= 0; k-- {
		l := f.diag[k]
		part := x[k*b:][:l.Rows]
		if k < len(f.below) {
			m, next := f.below[k], x[(k+1)*b:]
			for i := range m.Rows {
				v := next[i]
				for j, e := range m.Row(i) {
					part[j] -= float64(e * v)
				}
			}
		}
		backwardRow(l, part)
	}
}

// Forward replaces the rotated vector x by L⁻¹x: ‖L⁻¹Qᵀz‖² = zᵀ(A+μI)⁻¹z.
func (f *Factor) Forward(x []float64) {
	b := f.m.b
	for k, l := range f.diag {
		part := x[k*b:][:l.Rows]
		if k > 0 {
			m, before := f.below[k-1], x[(k-1)*b:k*b]
			for i := range m.Rows {
				part[i] -= dense.Dot(m.Row(i), before)
			}
		}
		forward(l, part)
	}
}

// LogDet returns log det(A + μI).
func (f *Factor) LogDet() float64 {
	var s float64
	for _, l := range f.diag {
		for i := range l.Rows {
			s += 2 * portable.Log(l.Data[i*l.Stride+i])
		}
	}
	return s
}

// InverseTrace returns tr (A + μI)⁻¹, from the diagonal blocks of the inverse
// (Takahashi's recursion): S_k = L_k⁻ᵀ(I + M_kᵀS_{k+1}M_k)L_k⁻¹.
func (f *Factor) InverseTrace() float64 {
	var trace float64
	var next blas.General[float64]
	e := blas.Engine{Backend: f.m.engine.Backend, Workers: 1}
	for k := len(f.diag) - 1; k >= 0; k-- {
		l := f.diag[k]
		n := l.Rows
		s := blas.NewGeneral[float64](n, n)
		if k < len(f.below) {
			m := f.below[k]
			w := blas.NewGeneral[float64](m.Rows, n)
			blas.Gemm(e, false, false, 1, next, m, 0, w)
			blas.Gemm(e, true, false, 1, m, w, 0, s)
		}
		for i := range n {
			s.Data[i*n+i]++
		}
		// s ← L⁻ᵀ·s·L⁻¹: two sweeps of L⁻ᵀ over rows with a transpose between.
		for range 2 {
			for i := range n {
				backwardRow(l, s.Row(i))
			}
			dense.Transpose(s)
		}
		for i := range n {
			trace += s.Data[i*n+i]
		}
		next = s
	}
	return trace
}

// backwardRow replaces the row x by x·L⁻¹, that is by L⁻ᵀxᵀ.
func backwardRow(l blas.General[float64], x []float64) {
	for i := l.Rows - 1; i >= 0; i-- {
		row := l.Row(i)
		x[i] /= row[i]
		v := x[i]
		for j, e := range row[:i] {
			x[j] -= float64(e * v)
		}
	}
}

// cholesky replaces the lower triangle of a by its factor L, or returns the pivot that is not
// positive. Elements above the diagonal become arbitrary. It works by halves, so that the kernels
// for many rows do most of the work.
func cholesky(a blas.General[float64]) (pivot int, value float64) {
	if a.Rows > 8 {
		h := a.Rows / 4 * 2
		left, right := dense.View(a, h, a.Rows, 0, h), dense.View(a, h, a.Rows, h, a.Rows)
		if pivot, value = cholesky(dense.View(a, 0, h, 0, h)); pivot >= 0 {
			return pivot, value
		}
		forwardRows(a, left, false)
		subtractSquare(right, left, false)
		if pivot, value = cholesky(right); pivot >= 0 {
			return h + pivot, value
		}
		return -1, 0
	}
	for j := range a.Rows {
		row := a.Row(j)[:j+1]
		forward(a, row[:j])
		d := row[j] - dense.Dot(row[:j], row[:j])
		if !(d > 0) || math.IsInf(d, 1) {
			return j, d
		}
		row[j] = math.Sqrt(d)
	}
	return -1, 0
}

// forward replaces x by L⁻¹x, for as many rows of L as x has elements.
func forward(l blas.General[float64], x []float64) {
	for i := range x {
		row := l.Row(i)
		x[i] = (x[i] - dense.Dot(row[:i], x[:i])) / row[i]
	}
}

// forwardRows replaces each row x of m by L⁻¹x, for as many rows of L as x has elements. Every
// step of a solution waits for the one before, so four rows are solved together. An upper
// triangular m stays so, and its zeros are left out.
func forwardRows(l, m blas.General[float64], upper bool) {
	r := 0
	for ; r+4 <= m.Rows; r += 4 {
		x0, x1, x2, x3 := m.Row(r), m.Row(r+1), m.Row(r+2), m.Row(r+3)
		from := 0
		if upper {
			from = r
		}
		for i := from; i < len(x0); i++ {
			row := l.Row(i)[from : i+1]
			s0, s1, s2, s3 := x0[i], x1[i], x2[i], x3[i]
			y0, y1, y2, y3 := x0[from:i], x1[from:i], x2[from:i], x3[from:i]
			for j := range y0 {
				e := row[j]
				s0 -= float64(e * y0[j])
				s1 -= float64(e * y1[j])
				s2 -= float64(e * y2[j])
				s3 -= float64(e * y3[j])
			}
			d := row[i-from]
			x0[i], x1[i], x2[i], x3[i] = s0/d, s1/d, s2/d, s3/d
		}
	}
	for ; r < m.Rows; r++ {
		forward(l, m.Row(r))
	}
}

// subtractSquare subtracts M·Mᵀ from the lower triangle of a, two rows and two columns at a time.
// Elements above the diagonal become arbitrary. The zeros of an upper triangular m are left out.
func subtractSquare(a, m blas.General[float64], upper bool) {
	i := 0
	for ; i+2 <= a.Rows; i += 2 {
		from := 0
		if upper {
			from = i
		}
		m0, m1 := m.Row(i)[from:], m.Row(i + 1)[from:]
		a0, a1 := a.Row(i), a.Row(i+1)
		m1 = m1[:len(m0)]
		for j := 0; j <= i; j += 2 {
			n0, n1 := m.Row(j)[from:][:len(m0)], m.Row(j + 1)[from:][:len(m0)]
			var s00, s01, s10, s11 float64
			for k, u := range m0 {
				v, p, q := m1[k], n0[k], n1[k]
				s00 += float64(u * p)
				s01 += float64(u * q)
				s10 += float64(v * p)
				s11 += float64(v * q)
			}
			a0[j] -= s00
			a0[j+1] -= s01
			a1[j] -= s10
			a1[j+1] -= s11
		}
	}
	if i < a.Rows {
		row, mi := a.Row(i), m.Row(i)
		for j := range i + 1 {
			row[j] -= dense.Dot(mi, m.Row(j))
		}
	}
}

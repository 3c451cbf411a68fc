package band

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// narrow columns of a panel are factored one after the other. Then they are applied to the rest of
// the panel as a product. They fill a cache line.
const narrow = 8

// panel is the memory of a QR factorisation of tall panels: a few of their
// columns, each contiguous, and small products.
type panel struct {
	cols             [narrow][]float64
	tau              []float64
	products, w, few []float64
}

// fit gives p memory for panels with up to n rows.
func (p *panel) fit(n int) {
	for j := range p.cols {
		if len(p.cols[j]) < n {
			p.cols[j] = make([]float64, n)
		}
	}
}

// factor computes a = Q·[R; 0] for a of more rows than columns, and stores the
// reflectors V in a, with their ones and zeros written out: Q = I − V·T·Vᵀ. t and r are
// zero before.
func (p *panel) factor(e blas.Engine, a, t, r blas.General[float64]) {
	b := a.Cols
	tau := dense.Fitting(&p.tau, 1, b).Data
	clear(tau)
	for j := 0; j < b; j += narrow {
		end := min(j+narrow, b)
		p.reflectors(dense.View(a, 0, a.Rows, j, end), j, dense.View(r, 0, b, j, end), tau[j:end])
		if end == b {
			break
		}
		// The other columns become (I − V·Tᵀ·Vᵀ)·C.
		v, c := dense.View(a, j, a.Rows, j, end), dense.View(a, j, a.Rows, end, b)
		both := dense.Fitting(&p.products, end-j, b-j) // Vᵀ[V C]
		blas.Gemm(e, true, false, 1, v, dense.View(a, j, a.Rows, j, b), 0, both)
		t := dense.Fitting(&p.few, end-j, end-j)
		clear(t.Data)
		dense.WY(t, both, tau[j:end])
		w := dense.Fitting(&p.w, end-j, b-end)
		blas.Gemm(e, true, false, 1, t, dense.View(both, 0, end-j, end-j, b-j), 0, w)
		blas.Gemm(e, false, false, -1, v, w, 1, c)
	}
	g := dense.Fitting(&p.products, b, b)
	blas.Gemm(e, true, false, 1, a, a, 0, g)
	dense.WY(t, g, tau)
}

// reflectors factors columns of a panel. The first of them is column first of the panel, and R
// already has the elements above.
func (p *panel) reflectors(a blas.General[float64], first int, r blas.General[float64], tau []float64) {
	rows := a.Rows
	p.columns(a, false)
	for c := range tau {
		j := first + c
		col := p.cols[c][:rows]
		alpha := col[j]
		beta := norm(col[j:])
		for i := range j {
			r.Data[i*r.Stride+c] = col[i]
		}
		clear(col[:j])
		if beta == 0 {
			col[j] = 1 // τ = 0: Q_j = I
			continue
		}
		if alpha > 0 {
			beta = -beta
		}
		tau[c] = (beta - alpha) / beta
		r.Data[j*r.Stride+c] = beta
		divide(col[j+1:], alpha-beta)
		col[j] = 1
		reflect(p.cols[c+1:len(tau)], col, j, tau[c])
	}
	p.columns(a, true)
}

// divide divides x by d, whose reciprocal may not be finite.
func divide(x []float64, d float64) {
	if math.Abs(d) < 0x1p-1000 {
		for i := range x {
			x[i] /= d
		}
		return
	}
	d = 1 / d
	for i := range x {
		x[i] *= d
	}
}

// columns copies a to the columns of p, or back.
func (p *panel) columns(a blas.General[float64], back bool) {
	if a.Cols == narrow {
		var c [narrow][]float64
		for k := range c {
			c[k] = p.cols[k][:a.Rows]
		}
		c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
		for i := range a.Rows {
			r := (*[narrow]float64)(a.Data[i*a.Stride:])
			if back {
				r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = c0[i], c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i]
			} else {
				c0[i], c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i] = r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
			}
		}
		return
	}
	for j := range a.Cols {
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
		f := tau * dense.Dot(v, x)
		for i, u := range v {
			x[i] -= float64(f * u)
		}
	}
}

// norm returns ‖x‖₂ without overflow or underflow of the squares.
func norm(x []float64) float64 {
	// Within these bounds squares that underflow are too small to count.
	if s := dense.Dot(x, x); s > 0x1p-900 && s < 0x1p900 {
		return math.Sqrt(s)
	}
	var most float64
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return 0
	}
	// A power of two scales without rounding, unless it is out of range itself.
	_, exp := math.Frexp(most)
	exp = max(exp, -1000)
	f := math.Ldexp(1, -exp)
	var s float64
	for _, v := range x {
		s += float64(v * f * (v * f))
	}
	return math.Ldexp(math.Sqrt(s), exp)
}

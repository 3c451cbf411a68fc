package cg

import "github.com/rffgo/rff/blas"

// history is the limited-memory BFGS approximation of the inverse of the second derivatives
// (Nocedal and Wright, Numerical Optimization, §7.2), of every target or of all together. It
// starts from a preconditioner.
type history struct {
	s, y  []blas.General[float64] // differences of points and of gradients
	rho   [][]float64             // 1/sᵀy per target; 0: not to be used
	scale []float64               // of the preconditioner
	count int                     // of pairs so far
	q     blas.General[float64]
	dots  func(dst []float64, a, b blas.General[float64])
}

func newHistory(rows, targets, pairs int, dots func(dst []float64, a, b blas.General[float64])) history {
	h := history{q: blas.NewGeneral[float64](rows, targets), dots: dots,
		s: make([]blas.General[float64], pairs), y: make([]blas.General[float64], pairs), rho: make([][]float64, pairs)}
	h.rescale(targets)
	return h
}

// rescale sets the scales of the preconditioner to 1.
func (h *history) rescale(targets int) {
	h.scale = make([]float64, targets)
	for k := range h.scale {
		h.scale[k] = 1
	}
}

// add moves the chosen targets from the point x with the gradient g to another, and
// remembers the step.
func (h *history) add(x, g, to, next blas.General[float64], chosen []bool, precondition func(v blas.General[float64])) {
	slot := h.count % len(h.s)
	if h.count < len(h.s) {
		h.s[slot], h.y[slot] = blas.NewGeneral[float64](x.Rows, x.Cols), blas.NewGeneral[float64](x.Rows, x.Cols)
		h.rho[slot] = make([]float64, x.Cols)
	}
	h.count++
	s, y := h.s[slot], h.y[slot]
	for i := range s.Rows {
		xi, gi, si, yi := x.Row(i), g.Row(i), s.Row(i), y.Row(i)
		for k, on := range chosen {
			if on {
				si[k], yi[k] = to.Row(i)[k]-xi[k], next.Row(i)[k]-gi[k]
				xi[k], gi[k] = to.Row(i)[k], next.Row(i)[k]
			}
		}
	}
	sy, ypy := make([]float64, x.Cols), make([]float64, x.Cols)
	h.dots(sy, s, y)
	copy(h.q.Data, y.Data)
	precondition(h.q)
	h.dots(ypy, y, h.q)
	for k, on := range chosen {
		h.rho[slot][k] = 0
		switch {
		case !on:
		case sy[k] > 0 && ypy[k] > 0:
			h.rho[slot][k], h.scale[k] = 1/sy[k], sy[k]/ypy[k]
		default: // the slope is the same all along the step: go further next time
			h.scale[k] *= 4
		}
	}
}

// direction returns the approximation times g. The next call overwrites it.
func (h *history) direction(g blas.General[float64], precondition func(v blas.General[float64])) blas.General[float64] {
	copy(h.q.Data, g.Data)
	dot, pairs := make([]float64, g.Cols), len(h.s)
	alpha := make([][]float64, pairs)
	first := max(0, h.count-pairs)
	for n := h.count - 1; n >= first; n-- {
		at := n % pairs
		h.dots(dot, h.s[at], h.q)
		for k := range dot {
			dot[k] *= h.rho[at][k]
		}
		alpha[at] = append([]float64(nil), dot...)
		combine(h.q, dot, h.y[at], -1)
	}
	precondition(h.q)
	for i := range h.q.Rows {
		for k, v := range h.scale {
			h.q.Row(i)[k] *= v
		}
	}
	for n := first; n < h.count; n++ {
		at := n % pairs
		h.dots(dot, h.y[at], h.q)
		for k := range dot {
			dot[k] = alpha[at][k] - float64(h.rho[at][k]*dot[k])
		}
		combine(h.q, dot, h.s[at], 1)
	}
	return h.q
}

// combine adds sign·v·diag(a) to dst.
func combine(dst blas.General[float64], a []float64, v blas.General[float64], sign float64) {
	for i := range dst.Rows {
		to, from := dst.Row(i), v.Row(i)
		for k, x := range a {
			to[k] += float64(sign * x * from[k])
		}
	}
}

// columnDots writes aᵀb of every column to dst.
func columnDots(dst []float64, a, b blas.General[float64]) {
	clear(dst)
	for i := range a.Rows {
		bi := b.Row(i)
		for k, v := range a.Row(i) {
			dst[k] += float64(v * bi[k])
		}
	}
}

func zero(m blas.General[float64]) bool {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

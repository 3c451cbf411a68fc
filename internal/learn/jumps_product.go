package learn

import (
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// An average that is taken row by row has as many rows as cost about as much as jumpFits fits
// of the same features, but at least leastJumpRows. The rows come in blocks.
const (
	jumpFits      = 2
	leastJumpRows = 500
	jumpBlock     = 500
)

func (f *Fit) jumpRows() int {
	n, s, d, t := f.rows.X.Rows, f.Coef.Rows, f.rows.X.Cols, f.Coef.Cols
	// Multiply-adds: of a row in a Gram matrix s²/2, of its features s/2 times d, with the cosines
	// and sines counted as 16, and of each prediction from these s times t.
	made := 1 + len(f.jumps.columns) + len(f.jumps.flags)
	moved := float64(made*(d+16) + 2*t*(1+f.jumps.moves()))
	return min(n, max(leastJumpRows, int(jumpFits*float64(n)*float64(s)/moved)))
}

// differenceProduct is GradientProduct where some inputs jump: an average over rows.
func (f *Fit) differenceProduct(e blas.Engine, diagonal bool) Product {
	n, d, t := f.jumpRows(), f.w.Cols, f.Coef.Cols
	s := &slopes{fit: f, e: e, features: blas.Pack[float64](pairSpec(f.w, 1/math.Sqrt(float64(f.w.Rows))))}
	for range t {
		s.at = append(s.at, blas.NewGeneral[float64](min(n, jumpBlock), d))
	}
	p := Product{Diagonal: make([]float64, d)}
	if !diagonal {
		p.Full = blas.NewGeneral[float64](d, d)
	}
	var sum float64
	for r := 0; r < n; r += jumpBlock {
		m := min(n-r, jumpBlock)
		s.block(r, m)
		for _, g := range s.at {
			g = g.RowRange(0, m)
			for i := range m {
				w := math.Sqrt(f.rows.WeightOf(r + i))
				for j, v := range g.Row(i) {
					v *= w
					g.Row(i)[j] = v
					p.Diagonal[j] += float64(v * v)
				}
			}
			if !diagonal {
				blas.Gemm(e, true, false, 1, g, g, 1, p.Full)
			}
		}
		for i := range m {
			sum += f.rows.WeightOf(r + i)
		}
	}
	if diagonal {
		for j := range p.Diagonal {
			p.Diagonal[j] /= sum
		}
		return p
	}
	symmetrise(p.Full)
	for i := range d {
		for j := range d {
			p.Full.Row(i)[j] /= sum
		}
		p.Diagonal[i] = p.Full.Row(i)[i]
	}
	return p
}

// slopes are the slopes of a fit at some rows.
type slopes struct {
	fit      *Fit
	e        blas.Engine
	features *blas.Features[float64]
	at       []blas.General[float64] // rows×d of each target
}

// block computes the slopes at m rows from row r on.
func (s *slopes) block(r, m int) {
	f := s.fit
	x := f.rows.X.RowRange(r, r+m)
	s.derivatives(x)
	own, moved := s.predict(x), dense.Clone(x)
	for _, c := range f.jumps.columns {
		for i := range m {
			moved.Row(i)[c.input] = x.Row(i)[c.input]
			if to, ok := c.target(x.Row(i)[c.input], (r+i)%2 == 0); ok {
				moved.Row(i)[c.input] = to
			}
		}
		out := s.predict(moved)
		for i := range m {
			v := x.Row(i)[c.input]
			step := moved.Row(i)[c.input] - v
			for t, y := range out.Row(i) {
				s.at[t].Row(i)[c.input] = 0
				if step != 0 {
					s.at[t].Row(i)[c.input] = (y - own.Row(i)[t]) / step
				}
			}
			moved.Row(i)[c.input] = v
		}
	}
	for i := range f.jumps.flags {
		s.between(&f.jumps.flags[i], x, moved)
	}
}

// between computes the slopes along inputs that exclude each other: how the fit with one of
// them on differs from the fit with all of them off. If no row has all of them off, it is
// compared with the mean of the fits with each of them on. It leaves moved equal to x.
func (s *slopes) between(g *exclusive, x, moved blas.General[float64]) {
	for i := range moved.Rows {
		for k, input := range g.inputs {
			moved.Row(i)[input] = g.off[k]
		}
	}
	z := blas.NewGeneral[float64](x.Rows, s.fit.Coef.Rows)
	s.features.Transform(s.e, z, moved)
	change := s.changes(g)
	out := blas.NewGeneral[float64](x.Rows, change.Cols)
	blas.Gemm(s.e, false, false, 1, z, change, 0, out)
	all := dense.Sum(g.share)
	targets := len(s.at)
	for i := range moved.Rows {
		for t, at := range s.at {
			var mean float64
			if !g.none {
				for k, v := range g.share {
					mean += float64(v*out.Row(i)[k*targets+t]) / all
				}
			}
			for k, input := range g.inputs {
				at.Row(i)[input] = (out.Row(i)[k*targets+t] - mean) / (g.on[k] - g.off[k])
			}
		}
		for _, input := range g.inputs {
			moved.Row(i)[input] = x.Row(i)[input]
		}
	}
}

// changes returns the coefficients of f(x + δe) − f(x) on the features of x, a column for each
// target of each input e that is moved by δ from off to on:
//
//	a cos(φ+θ) + b sin(φ+θ) = (a cos θ + b sin θ) cos φ + (b cos θ − a sin θ) sin φ,  θ = δωᵀe.
//
// So a row needs one cosine for each frequency, and not one for each input.
func (s *slopes) changes(g *exclusive) blas.General[float64] {
	n, targets := s.fit.w.Rows, len(s.at)
	step := blas.NewGeneral[float64](len(g.inputs), s.fit.w.Cols)
	for k, input := range g.inputs {
		step.Row(k)[input] = g.on[k] - g.off[k]
	}
	turn := blas.NewGeneral[float64](len(g.inputs), 2*n) // of amplitude 1/√n
	s.features.Transform(s.e, turn, step)
	out := blas.NewGeneral[float64](2*n, len(g.inputs)*targets)
	root := math.Sqrt(float64(n))
	for k := range g.inputs {
		for j := range n {
			cos, sin := float64(root*turn.Row(k)[j])-1, root*turn.Row(k)[n+j]
			a, b := s.fit.Coef.Row(j), s.fit.Coef.Row(n+j)
			for t := range targets {
				out.Row(j)[k*targets+t] = float64(a[t]*cos) + float64(b[t]*sin)
				out.Row(n + j)[k*targets+t] = float64(b[t]*cos) - float64(a[t]*sin)
			}
		}
	}
	return out
}

func (s *slopes) predict(x blas.General[float64]) blas.General[float64] {
	out := blas.NewGeneral[float64](x.Rows, len(s.at))
	s.features.Predict(s.e, out, x, s.fit.Coef, s.fit.Shift)
	return out
}

// derivatives writes the slopes along all inputs.
func (s *slopes) derivatives(x blas.General[float64]) {
	n := s.fit.w.Rows
	z, d := blas.NewGeneral[float64](x.Rows, 2*n), blas.NewGeneral[float64](x.Rows, n)
	s.features.Transform(s.e, z, x)
	for t, g := range s.at {
		for i := range x.Rows {
			cos, sin := z.Row(i)[:n], z.Row(i)[n:]
			row := d.Row(i)
			for k := range row {
				row[k] = float64(s.fit.Coef.Row(n + k)[t]*cos[k]) - float64(s.fit.Coef.Row(k)[t]*sin[k])
			}
		}
		blas.Gemm(s.e, false, false, 1, d, s.fit.w, 0, g.RowRange(0, x.Rows))
	}
}

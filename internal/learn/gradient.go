package learn

import (
	"context"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Product is an average gradient outer product, or its diagonal.
type Product struct {
	Full     blas.General[float64] // d×d, or zero
	Diagonal []float64             // d
}

// GradientProduct returns the average gradient outer product of a fit, d×d:
//
//	M = (1/Σw) Σ w ∇f(x)∇f(x)ᵀ, summed over targets, of f(x) = Σ aⱼ cos ωⱼᵀx + bⱼ sin ωⱼᵀx
//
// over the training rows. It follows from their Gram matrix, without a pass over them: M = Wᵀ C
// W/Σw with C = (aaᵀ)∘Gss + (bbᵀ)∘Gcc − (abᵀ)∘Gsc − (baᵀ)∘Gcs. (A. Radhakrishnan et al.,
// "Mechanism for feature learning in neural networks and backpropagation-free machine learning
// models", Science 383, 2024, define M by the gradients.) If diagonal is set, it returns the
// diagonal of M alone.
//
// Along inputs that are Jumps, ∇f has a difference quotient in place of the derivative: the row
// is moved from one value that occurs to another, and the difference of f is divided by their
// distance. The mean is then over the first rows only, as many as cost about as much as four
// fits.
//
// A fit that is not solved has none. The only error is ctx's.
func (f *Fit) GradientProduct(ctx context.Context, e blas.Engine, diagonal bool) (Product, error) {
	if !f.Solved() {
		return Product{}, nil
	}
	if f.jumps != nil {
		return f.differenceProduct(e, diagonal), nil
	}
	sums, err := f.sums(ctx)
	if err != nil {
		return Product{}, err
	}
	n, d := f.w.Rows, f.w.Cols
	a, b := f.Coef.RowRange(0, n), f.Coef.RowRange(n, 2*n)
	product := func(x, y blas.General[float64]) blas.General[float64] {
		c := blas.NewGeneral[float64](n, n)
		blas.Gemm(e, false, true, 1, x, y, 0, c)
		return c
	}
	aa, bb, ab := product(a, a), product(b, b), product(a, b)
	c := blas.NewGeneral[float64](n, n)
	g := sums.G // its upper triangle
	for j := range n {
		cc, cs, ss := g.Row(j)[:n], g.Row(j)[n:], g.Row(n + j)[n:]
		row := c.Row(j)
		for k := j; k < n; k++ {
			sc := g.Row(k)[n+j] // sine j with cosine k
			row[k] = float64(aa.Row(j)[k]*ss[k]) + float64(bb.Row(j)[k]*cc[k]) -
				float64(ab.Row(j)[k]*sc) - float64(ab.Row(k)[j]*cs[k])
		}
	}
	dense.Mirror(c)
	cw := blas.NewGeneral[float64](n, d)
	blas.Gemm(e, false, false, 1, c, f.w, 0, cw)
	p := Product{Diagonal: make([]float64, d)}
	if diagonal {
		for j := range n {
			wc := cw.Row(j)
			for i, v := range f.w.Row(j) {
				p.Diagonal[i] += float64(v*wc[i]) / sums.W
			}
		}
		return p, nil
	}
	p.Full = blas.NewGeneral[float64](d, d)
	blas.Gemm(e, true, false, 1/sums.W, f.w, cw, 0, p.Full)
	symmetrise(p.Full)
	for i := range d {
		p.Diagonal[i] = p.Full.Row(i)[i]
	}
	return p, nil
}

package sampling

import (
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/trial"
)

// leaveOneOut is the error of kernel ridge regressions on rows that are left out one by one.
// Each fit overwrites the matrices of the one before.
type leaveOneOut struct {
	inside.Family
	engine blas.Engine
	rows   *trial.Rows

	memory struct{ k, u, inverse, g, held []float64 }
}

// leftOut is a regression with A = K + λ·Σw·diag(1/w): the coefficients α = A⁻¹y, and the errors
// rᵢ = αᵢ/(A⁻¹)ᵢᵢ of the rows without each (Rasmussen and Williams, Gaussian Processes for
// Machine Learning, eq. 5.12).
type leftOut struct {
	*leaveOneOut
	bandwidths []float64
	m          *rff.Map              // sections on the rows
	k          blas.General[float64] // K
	total      float64               // Σw
	lambda     float64
	inverse    blas.General[float64] // A⁻¹
	alpha      blas.General[float64] // n×t
	errors     blas.General[float64] // n×t
}

// fit solves at the logarithms of bandwidths and λ.
func (l *leaveOneOut) fit(logs []float64) (*leftOut, error) {
	f, err := l.at(logs)
	if err != nil {
		return nil, err
	}
	return f, f.solve(portable.Exp(logs[len(logs)-1]))
}

// at has K at the logarithms of bandwidths.
func (l *leaveOneOut) at(logs []float64) (*leftOut, error) {
	n, d := l.rows.X.Rows, l.rows.X.Cols
	f := &leftOut{leaveOneOut: l, bandwidths: make([]float64, d), k: dense.Fitting(&l.memory.k, n, n)}
	for j := range f.bandwidths {
		f.bandwidths[j] = portable.Exp(logs[j])
	}
	m, err := inside.Sections(f.With(f.bandwidths), l.rows.X)
	if err != nil {
		return nil, err
	}
	f.m, _ = inside.Split(m)
	inside.Features64(f.m).Transform(l.engine, f.k, l.rows.X)
	for i := range n {
		f.k.Row(i)[i] = 1 // the distance of a row to itself is a rounding error
		f.total += l.rows.WeightOf(i)
	}
	return f, nil
}

// solve solves at λ.
func (f *leftOut) solve(lambda float64) error {
	n := f.k.Rows
	f.lambda = lambda
	u := dense.Fitting(&f.memory.u, n, n)
	copy(u.Data, f.k.Data)
	for i := range n {
		u.Row(i)[i] += lambda * f.total / f.rows.WeightOf(i)
	}
	if err := blas.Cholesky(f.engine, u); err != nil {
		return err
	}
	dense.InvertUpper(f.engine, u)
	f.inverse = dense.Fitting(&f.memory.inverse, n, n)
	blas.Syrk(f.engine, true, false, 1, u, 0, f.inverse)
	dense.Mirror(f.inverse)
	f.alpha, f.errors = blas.NewGeneral[float64](n, f.rows.Y.Cols), blas.NewGeneral[float64](n, f.rows.Y.Cols)
	blas.Gemm(f.engine, false, false, 1, f.inverse, f.rows.Y, 0, f.alpha)
	for i := range n {
		for t, v := range f.alpha.Row(i) {
			f.errors.Row(i)[t] = v / f.inverse.Row(i)[i]
		}
	}
	return nil
}

// mean returns the mean over rows of the squared errors, summed over targets.
func (f *leftOut) mean() (sum float64) {
	for i := range f.errors.Rows {
		w := f.rows.WeightOf(i)
		for _, v := range f.errors.Row(i) {
			sum += float64(w * float64(v*v))
		}
	}
	return sum / f.total
}

// validate returns the errors of other rows.
func (f *leftOut) validate(rows *trial.Rows) *trial.Result {
	z, scores := dense.Fitting(&f.memory.held, rows.X.Rows, f.rows.X.Rows), blas.NewGeneral[float64](rows.X.Rows, rows.Y.Cols)
	inside.Features64(f.m).Transform(f.engine, z, rows.X)
	blas.Gemm(f.engine, false, false, 1, z, f.alpha, 0, scores)
	return trial.ResultOf(rows.X.Rows, func(i int) (loss, proper, told, weight float64) {
		loss, proper, told = trial.Squares(scores.Row(i), rows.Y.Row(i))
		return loss, proper, told, rows.WeightOf(i)
	})
}

// gradient returns the slopes of mean in the logarithms of bandwidths and λ. As dA⁻¹ = −A⁻¹·dA·A⁻¹,
// the slope in A is G = A⁻¹·diag(Σₜ uᵢₜrᵢₜ)·A⁻¹ − A⁻¹u·αᵀ with uᵢₜ = 2wᵢrᵢₜ/((A⁻¹)ᵢᵢ·Σw).
func (f *leftOut) gradient() []float64 {
	n, d := f.inverse.Rows, len(f.bandwidths)
	u, root := blas.NewGeneral[float64](n, f.errors.Cols), dense.Fitting(&f.memory.u, n, n)
	share := make([]float64, n)
	for i := range n {
		for t, r := range f.errors.Row(i) {
			u.Row(i)[t] = 2 * f.rows.WeightOf(i) * r / (f.inverse.Row(i)[i] * f.total)
			share[i] += float64(u.Row(i)[t] * r)
		}
		share[i] = math.Sqrt(share[i])
	}
	for i := range n {
		for j, v := range f.inverse.Row(i) {
			root.Row(i)[j] = v * share[j]
		}
	}
	g, back := dense.Fitting(&f.memory.g, n, n), blas.NewGeneral[float64](n, u.Cols)
	blas.Syrk(f.engine, true, false, 1, root, 0, g)
	dense.Mirror(g)
	blas.Gemm(f.engine, false, false, 1, f.inverse, u, 0, back)
	// G and its transpose have the same sums with what follows, which is symmetric.
	blas.Gemm(f.engine, false, true, -0.5, back, f.alpha, 1, g)
	blas.Gemm(f.engine, false, true, -0.5, f.alpha, back, 1, g)
	out := make([]float64, d+1)
	x := blas.NewGeneral[float64](n, d)
	for i := range n {
		out[d] += float64(f.lambda * f.total / f.rows.WeightOf(i) * g.Row(i)[i])
		g.Row(i)[i] = 0
		for j, v := range f.rows.X.Row(i) {
			x.Row(i)[j] = v / f.bandwidths[j]
		}
	}
	sum := f.euclidean
	if f.Power != 0 {
		sum = f.powers
	}
	parts := sum(g, x)
	for i := range n {
		for j, v := range parts.Row(i) {
			out[j] -= v
		}
	}
	return out
}

// powers returns rows whose sums are those of −p·gᵢₖkᵢₖ|xᵢⱼ−xₖⱼ|ᵖ over i and k.
func (f *leftOut) powers(g, x blas.General[float64]) blas.General[float64] {
	parts := blas.NewGeneral[float64](x.Rows, x.Cols)
	f.engine.Each(x.Rows, func(_ blas.Engine, i int) {
		to, at := parts.Row(i), x.Row(i)
		for k, v := range g.Row(i)[:i] {
			v *= -2 * f.Power * f.k.Row(i)[k]
			switch z := x.Row(k); f.Power {
			case 1:
				for j, e := range z {
					to[j] += float64(v * math.Abs(at[j]-e))
				}
			case 1.5:
				for j, e := range z {
					d := math.Abs(at[j] - e)
					to[j] += float64(v * float64(d*math.Sqrt(d)))
				}
			default: // 2, since other powers have no sections
				for j, e := range z {
					d := at[j] - e
					to[j] += float64(v * float64(d*d))
				}
			}
		}
	})
	return parts
}

// euclidean returns rows whose sums are those of gᵢₖ(φ'(r)/r)(xᵢⱼ−xₖⱼ)² over i and k. It overwrites
// g.
func (f *leftOut) euclidean(g, x blas.General[float64]) blas.General[float64] {
	n := x.Rows
	parts, products := blas.NewGeneral[float64](n, x.Cols), dense.Fitting(&f.memory.u, n, n)
	blas.Syrk(f.engine, false, false, 1, x, 0, products)
	f.engine.Each(n, func(_ blas.Engine, i int) {
		for k := range i {
			slope := 0.0 // the same row
			if r := products.Row(i)[i] + products.Row(k)[k] - 2*products.Row(i)[k]; r > 0 {
				slope = f.Slope(math.Sqrt(r))
			}
			g.Row(i)[k] *= slope
		}
	})
	dense.MirrorUp(g)
	blas.Gemm(f.engine, false, false, -2, g, x, 0, parts)
	for i := range n {
		total := dense.Sum(g.Row(i))
		for j, v := range x.Row(i) {
			// Both xᵢ and xₖ have this product, so twice one of them.
			parts.Row(i)[j] = (float64(2*total*v) + parts.Row(i)[j]) * v
		}
	}
	return parts
}

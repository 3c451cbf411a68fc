package krr

import (
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/sampling"
)

// A map of kernel sections as rff.Nystrom makes it is z = Pᵀk with sections k and
// P = L⁻ᵀ. To multiply every row by P would take twice the work of ZᵀZ. It need not
// be done: sums are of k, and become those of z when all rows are in; coefficients
// are multiplied by P, so that a model has sections alone. In float32 rows are
// multiplied: the rounding errors of sums, which the congruence makes ‖P‖² times as
// large, would be all there is.

// sectionsOf returns the map of sections behind m, and P; m itself, and no P, if it is
// no such map.
func sectionsOf(m *rff.Map) (*rff.Map, blas.General[float64]) { return m.Factored() }

// summedMap returns the map whose features a Gram of m sums.
func summedMap(m *rff.Map, p Precision) *rff.Map {
	if p == Float64 {
		m, _ = sectionsOf(m)
	}
	return m
}

// Sums returns the statistics of all rows added, of targets less Reference: Y is
// Σw(y−r), YY is Σw(y−r)², ZY is Σwz(y−r)ᵀ. They must not be modified. Rows added
// later start a new row block.
func (g *Gram) Sums() *blas.Sums {
	s := g.summed()
	if _, p := sectionsOf(g.m); p.Data == nil || g.final {
		return s
	}
	of := *s
	if g.precision == Float64 {
		of.G, of.ZY, of.Z = dense.Clone(s.G), dense.Clone(s.ZY), slices.Clone(s.Z)
	}
	g.toFeatures(&of)
	return &of
}

// finish makes the sums of g those of z for good, in their place: no rows can be added,
// merged or saved after that.
func (g *Gram) finish() {
	if _, p := sectionsOf(g.m); p.Data != nil && !g.final {
		g.toFeatures(g.summed())
	}
	g.final = true
}

// toFeatures makes sums of what g sums those of z, in their place.
func (g *Gram) toFeatures(s *blas.Sums) {
	_, p := sectionsOf(g.m)
	if g.precision == Float64 {
		if g.norm == 0 {
			g.norm = dense.NormSquared(p)
		}
		ridge.Congruence(g.m.Engine(), p, g.norm, s)
		return
	}
	for i := range s.G.Rows {
		s.Noise += float64(0x1p-23 * s.G.Row(i)[i])
	}
}

// finishAll is finish of several Grams of one map.
func finishAll(all []*Gram) {
	for _, g := range all {
		g.norm = all[0].norm
		g.finish()
	}
}

// unfold turns coefficients of z into those of sections: k·Pβ = zβ.
func unfold(e blas.Engine, p, coef blas.General[float64]) blas.General[float64] {
	return dense.MulUpper(e, false, p, coef)
}

// unfold makes p, of z, a posterior of the sections of m: F(z − z̄) = FPᵀ(k − k̄).
func (p *posterior) unfold(m *rff.Map) *posterior {
	_, product := sectionsOf(m)
	if product.Data == nil {
		return p
	}
	e := m.Engine()
	out := *p
	out.factors = nil
	for _, f := range p.factors {
		fp := blas.NewGeneral[float64](f.Rows, f.Cols)
		blas.Gemm(e, false, true, 1, f, product, 0, fp)
		out.factors = append(out.factors, fp)
	}
	mean := blas.NewGeneral[float64](len(p.mean), 1)
	copy(mean.Data, p.mean)
	blas.TrsmUpper(e, true, dense.Clone(product), mean)
	out.mean = mean.Data
	return &out
}

// searchedKernels returns the kernels that a search tries where none are given: with
// landmarks, which have no sections of a product over the inputs, exp(−r/ℓ) for the
// Laplacian.
func searchedKernels(by rff.Sampler, kernels ...rff.Stationary) []rff.Stationary {
	if m, ok := by.(sampling.Metric); ok {
		by = m.Base
	}
	if _, landmarks := by.(sampling.Nystrom); landmarks {
		for i, k := range kernels {
			if _, product := k.(rff.Laplacian); product {
				kernels[i] = rff.Matern{Nu: 0.5}
			}
		}
	}
	return kernels
}

package krr

import (
	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
)

// For few λ the cheapest way to solve a fit of landmarks is to leave sums and
// coefficients those of sections, and to factor KᵀK + nλ(K_mm + εI) for each λ: no
// congruence, and no reduction.

// keepSections makes f, whose rows are in, a fit of the sections behind its landmarks,
// with the kernel of the landmarks as penalty, if that is cheaper than what finish does.
func (f *direct) keepSections() {
	plain, p := sectionsOf(f.m)
	// ε is not known of a map from a file. Criteria other than cross-validation, and
	// variances, take coordinates without a penalty.
	if p.Data == nil || f.m.Jitter() == 0 || f.Variance ||
		len(f.grid) > ridge.FewLambdas || (len(f.grid) > 1 && !f.crossValidates()) {
		return
	}
	f.penalty = &ridge.Penalty{K: landmarkKernel(plain, f.m.Jitter()), InverseNorm: f.m.FactorNorm()}
	f.m = plain
	for _, g := range f.grams {
		g.m = plain
	}
}

// landmarkKernel returns K_mm + εI of the landmarks of a map of sections.
func landmarkKernel(plain *rff.Map, jitter float64) blas.General[float64] {
	c := plain.Spec().W
	k := blas.NewGeneral[float64](c.Rows, c.Rows)
	plain.Features64().Transform(plain.Engine(), k, c)
	dense.Mirror(k) // the upper triangle is what rff.Nystrom factors
	for i := range k.Rows {
		k.Row(i)[i] = 1 + jitter // distances to itself are rounding errors
	}
	return k
}

package krr

import "github.com/rffgo/rff/internal/ridge"

// For few λ the cheapest way to solve a fit of landmarks is to leave sums and
// coefficients those of sections, and to factor KᵀK + nλ(K_mm + εI) for each λ: no
// congruence, and no reduction.

// keepSections makes f, whose rows are in, a fit of the sections behind its landmarks,
// with the kernel of the landmarks as penalty, if that is cheaper than what finish does.
func (f *direct) keepSections() {
	plain, landmarks := f.m.Sections()
	// ε is not known of a map from a file. Criteria other than cross-validation, and
	// variances, take coordinates without a penalty.
	if !landmarks || f.m.Jitter() == 0 || f.Variance ||
		len(f.grid) > ridge.FewLambdas || (len(f.grid) > 1 && !f.crossValidates()) {
		return
	}
	f.penalty = &ridge.Penalty{K: f.m.LandmarkKernel(), InverseNorm: f.m.FactorNorm()}
	f.m = plain
	for _, g := range f.grams {
		g.m = plain
	}
}

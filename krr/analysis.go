package krr

import (
	"context"

	"github.com/rffgo/rff/internal/inside"
)

// Analysis is what one λ means for the rows of a Gram, in closed form. With
// A = Zᵀ(I − 11ᵀ/n)Z and weights in place:
type Analysis struct {
	Lambda float64
	// Freedom is the number of effective degrees of freedom beside the
	// intercept, d_K^λ = tr A(A + nλI)⁻¹ = s − nλ·tr(A + nλI)⁻¹.
	Freedom float64
	// RSS is the residual sum of squares on the training rows, per target.
	RSS []float64
	// Noise is the variance σ² of the Bayesian view, y ~ N(b + zᵀβ, σ²) with
	// β ~ N(0, σ²/(nλ)·I), at its most likely value: (RSS + nλ‖β‖²)/(n−1).
	Noise []float64
	// GCV is the generalised cross-validation estimate of the squared error of
	// new rows, (RSS/n)/(1 − (1+Freedom)/n)² (Golub, Heath and Wahba, 1979).
	GCV []float64
	// LogEvidence is the log marginal likelihood at that σ², with a flat prior
	// on the intercept (the restricted likelihood):
	// −½[(n−1)(log 2πσ² + 1) + log det(I + A/(nλ))].
	LogEvidence []float64
	// R2 is 1 − RSS/Σ(y−ȳ)² per target, 0 for a constant target.
	R2 []float64
	// Solved says how the system was solved.
	Solved Solved
}

// Analyze returns the analysis of every λ, from one reduction of ZᵀZ and no data;
// nil stands for the grid of Settings.Lambdas. Errors: those of Solve.
func (g *Gram) Analyze(ctx context.Context, lambdas []float64) ([]Analysis, error) {
	return g.analyze(ctx, gridOf(lambdas), nil)
}

// analyze is Analyze, which advances p by one part.
func (g *Gram) analyze(ctx context.Context, lambdas []float64, p *stage) ([]Analysis, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	all, err := s.Analyze(ctx, inside.Engine(g.m), lambdas, p.add)
	if err != nil {
		return nil, public(err)
	}
	out := make([]Analysis, len(all))
	for i, a := range all {
		out[i] = Analysis{a.Lambda, a.Freedom, a.RSS, a.Noise, a.GCV, a.LogEvidence, a.R2, solvedOf(a.Solved)}
	}
	return out, nil
}

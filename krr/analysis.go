package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/internal/ridge"
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

// Analyze returns the analysis of every λ, from one reduction of ZᵀZ and no
// data. Errors: those of Solve.
func (g *Gram) Analyze(ctx context.Context, lambdas []float64) ([]Analysis, error) {
	return g.analyze(ctx, lambdas, nil)
}

// analyze is Analyze, which advances p by one part.
func (g *Gram) analyze(ctx context.Context, lambdas []float64, p *stage) ([]Analysis, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	all, err := s.Analyze(ctx, g.m.Engine(), lambdas, p.add)
	if err != nil {
		return nil, ridgeError(err)
	}
	out := make([]Analysis, len(all))
	for i, a := range all {
		out[i] = Analysis{a.Lambda, a.Freedom, a.RSS, a.Noise, a.GCV, a.LogEvidence, a.R2, solvedOf(a.Solved)}
	}
	return out, nil
}

// system checks what solving needs and forms the problem.
func (g *Gram) system(lambdas []float64) (*ridge.System, error) {
	for _, l := range lambdas {
		if err := checkLambda(l); err != nil {
			return nil, err
		}
	}
	if err := g.solvable(); err != nil {
		return nil, err
	}
	sums := g.Sums()
	if sums.Rows < 1 || !(sums.W > 0) {
		return nil, &EmptyError{"rows of positive weight"}
	}
	if err := g.shift.resolved(g.precision, g.shift.at); err != nil {
		return nil, err
	}
	for _, l := range lambdas {
		if err := checkRidge(sums.W, l); err != nil {
			return nil, err
		}
	}
	return ridge.New(sums, nil, g.shift.at), nil
}

// mostRidge bounds Σw·λ: its square is a number.
const mostRidge = 0x1p500

// checkRidge returns an error unless λ for rows of weight w makes a ridge that can
// be computed with.
func checkRidge(w, lambda float64) error {
	if !(float64(w*lambda) <= mostRidge) {
		return &SettingError{"lambda", lambda, fmt.Sprintf("times Σw = %g it must be at most %.2g", w, mostRidge)}
	}
	return nil
}

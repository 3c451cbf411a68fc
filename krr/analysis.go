package krr

import (
	"context"

	"github.com/rffgo/rff/internal/inside"
)

// Analyze returns the estimated error, the degrees of freedom and the evidence of every λ. It
// takes one reduction of ZᵀZ and reads no data. nil stands for the grid of Settings.Lambdas.
// The errors are those of generalised cross-validation, (RSS/n)/(1 − (1+Freedom)/n)² (Golub,
// Heath and Wahba, 1979). Errors: those of Solve.
func (g *Gram) Analyze(ctx context.Context, lambdas []float64) ([]PathPoint, error) {
	if g.Rows() == 1 {
		return nil, oneRow("the evidence")
	}
	return g.analyze(ctx, gridOf(lambdas), nil)
}

// analyze is Analyze, which advances p by one part.
func (g *Gram) analyze(ctx context.Context, lambdas []float64, p *stage) ([]PathPoint, error) {
	s, err := g.system(lambdas)
	if err != nil {
		return nil, err
	}
	all, err := s.Analyze(ctx, inside.Engine(g.m), lambdas, p.add)
	if err != nil {
		return nil, public(err)
	}
	out := make([]PathPoint, len(all))
	for i, a := range all {
		out[i] = PathPoint{Lambda: a.Lambda, Error: a.GCV, Solved: solvedOf(a.Solved), Freedom: a.Freedom, Noise: a.Noise, LogEvidence: a.LogEvidence}
	}
	return out, nil
}

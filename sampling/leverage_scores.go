package sampling

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
)

// defaultScoreLambda is the regularisation of leverage scores when none is
// given: directions of the kernel matrix above a thousandth of its trace count.
const defaultScoreLambda = 1e-3

func scoreLambda(lambda float64) (float64, error) {
	if lambda == 0 {
		return defaultScoreLambda, nil
	}
	return lambda, inside.CheckPositive("lambda", lambda)
}

// leverageScores returns the leverage score of each column of m over the rows
// of data, from sums in precision p, and the number of rows.
func leverageScores(ctx context.Context, sampler string, m *rff.Map, data rff.Source, lambda float64, p *stream.Precision, e blas.Engine) ([]float64, int64, error) {
	if p.For(m) != p {
		return nil, 0, &rff.ParameterError{Name: "precision", Value: p.Name, Need: "sums features that are cosines: take sums in " + p.For(m).Name}
	}
	pass := &pass{sampler: sampler, features: m, gram: true, precision: p, engine: e}
	sums, err := pass.run(ctx, data)
	if err != nil {
		return nil, 0, err
	}
	ridge := float64(sums.W * lambda) // rounded, not fused, in every use
	a := sums.G
	if least := p.LeastRidge * trace(a); least > 0 && !(ridge >= least) {
		return nil, 0, &rff.ParameterError{Name: "lambda", Value: lambda,
			Need: fmt.Sprintf("must be at least %.2g for sums in %s, whose rounding errors count as a ridge does: take a larger one, or sums in %s", least/sums.W, p.Name, p.Finer)}
	}
	zero := make([]bool, a.Rows) // columns that are zero in every row
	for c := range a.Rows {
		zero[c] = a.Row(c)[c] == 0
		a.Row(c)[c] += ridge - float64(sums.W*sums.Bias)
	}
	if err := blas.Cholesky(e, a); err != nil {
		return nil, 0, fmt.Errorf("sampling: %s with λ = %g: %w", sampler, lambda, err)
	}
	tau := make([]float64, a.Rows)
	dense.InverseDiagonal(e, tau, a)
	for c, v := range tau {
		// Rounding may give a column without leverage a score just below zero. A column
		// of zeros must have the score 0, not one just above.
		tau[c] = min(max(1-float64(ridge*v), 0), 1)
		if zero[c] {
			tau[c] = 0
		}
	}
	return tau, sums.Rows, nil
}

func trace(a blas.General[float64]) float64 {
	var sum float64
	for i := range a.Rows {
		sum += a.Row(i)[i]
	}
	return sum
}

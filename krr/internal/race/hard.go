package race

import (
	"context"

	"github.com/rffgo/rff/internal/trial"
)

// hardWeights are how often hard rows may count, and hardLambdas the λ of second solutions,
// times the best before: rows that count more make fewer of them decide.
var (
	hardWeights = []float64{2, 4, 10}
	hardLambdas = []float64{1, 10}
)

// hardRows proposes to solve the best fit a second time, with hard rows counted more often.
func hardRows(r *Race) []proposal {
	if r.Classes == nil || r.HardWeight != 0 || !r.measured(r.best) || r.best.weights != nil || r.best.isExact() {
		return nil
	}
	j := r.best.job // with its maps
	j.grid, j.weights = nil, hardWeights
	for _, by := range hardLambdas {
		if by == 1 || r.Lambdas == nil { // a grid that was given stays as it is
			j.grid = append(j.grid, by*r.best.Lambda)
		}
	}
	z := r.first(r.best.size)
	if r.seen[j.key(z)] {
		return nil
	}
	return []proposal{{name: "hard rows", gain: r.gainOf("hard rows"), work: r.workOf(j, z), more: r.secondWork(), run: func(ctx context.Context) error {
		return r.challenge(ctx, "hard rows", []job{j}, z)
	}}}
}

// secondWork is that of a second solution of the fit of all rows: the margins of all rows,
// and the sums of the hard ones.
func (r *Race) secondWork() float64 {
	share := r.best.HardShare()
	return trial.Size{In: r.in, Targets: r.targets, Features: r.final(), Train: int(share * float64(r.n)), Valid: int(r.n), Lambdas: 1, Float32: r.Float32}.Work()
}

// hardWork is that of trying second solutions: solutions by Cholesky factors, and a pass
// for the margins of each λ.
func (r *Race) hardWork(j job, z size) float64 {
	f, t, n := float64(z.features), float64(r.targets), float64(z.rows)
	solve := float64(f * f * (float64(f/4) + t))
	margins := float64(n * f * (float64(float64(r.in+20)/2) + t))
	ways := float64(len(j.grid) * (1 + len(j.weights)))
	return float64(ways*solve) + float64(float64(len(j.grid))*margins)
}

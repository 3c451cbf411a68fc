package race

import (
	"context"

	"github.com/rffgo/rff/internal/reweight"
	"github.com/rffgo/rff/internal/trial"
)

// ruleLambdas are the λ of solutions under a rule, times the best before: rows that count
// more make fewer of them decide.
var ruleLambdas = []float64{1, 10}

// rules proposes to solve the best fit again with other weights of the rows.
func rules(r *Race) []proposal {
	candidates := reweight.Candidates(r.Classes != nil)
	if r.Rule || candidates == nil || !r.measured(r.best) || r.best.rules != nil || r.best.isExact() {
		return nil
	}
	j := r.best.job // with its maps
	j.grid, j.rules = nil, candidates
	for _, by := range ruleLambdas {
		if by == 1 || r.Lambdas == nil { // a grid that was given stays as it is
			j.grid = append(j.grid, by*r.best.Lambda)
		}
	}
	z := r.first(r.best.size)
	if r.seen[j.key(z)] {
		return nil
	}
	return []proposal{{name: "rule", gain: r.gainOf("rule"), work: r.workOf(j, z), more: r.ruleWork(), run: func(ctx context.Context) error {
		return r.challenge(ctx, "rule", []job{j}, z)
	}}}
}

// ruleWork is that of the second solution of the fit of all rows: the scores of all rows,
// and the sums of those that count more.
func (r *Race) ruleWork() float64 {
	return trial.Size{In: r.in, Targets: r.targets, Features: r.final(), Train: int(r.best.LossShare() * float64(r.n)), Valid: int(r.n), Lambdas: 1, Precision: r.Precision}.Work()
}

// rulesWork is that of trying rules: solutions by Cholesky factors, and a pass for the
// scores of each λ.
func (r *Race) rulesWork(j job, z size) float64 {
	f, t, n := float64(z.features), float64(r.targets), float64(z.rows)
	solve := float64(f * f * (float64(f/4) + t))
	scores := float64(n * f * (float64(float64(r.in+20)/2) + t))
	ways := float64(len(j.grid) * (1 + len(j.rules)))
	return float64(ways*solve) + float64(float64(len(j.grid))*scores)
}

package race

import (
	"context"

	"github.com/rffgo/rff/internal/reweight"
)

// rules proposes to solve the best fit again with other weights of the rows.
func rules(r *Race) []proposal {
	candidates := reweight.Candidates(r.Classes != nil)
	if r.Rule || candidates == nil || !r.measured(r.best) || r.best.rules != nil || r.best.isExact() || r.best.isBoosted() {
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

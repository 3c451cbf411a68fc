package race

import (
	"context"

	"github.com/rffgo/rff/sampling"
)

// scales proposes to learn a bandwidth per input for the best kernel sections, on some rows
// or on all of them.
func scales(r *Race) []proposal {
	if r.best == nil {
		return nil
	}
	s, ok := r.best.sampler.(sampling.Nystrom)
	if !ok || s.Metric || r.Sampler != nil || r.in == 1 || r.fruitless["scales"] > 0 {
		return nil
	}
	j := r.best.job
	j.axes = &axes{sampler: s, exponent: j.exponent}
	s.Metric = true
	j.sampler = s
	return []proposal{{name: "scales", gain: r.gainOf("scales"), work: r.workOf(j, r.best.size),
		run: func(ctx context.Context) error { return r.challenge(ctx, "scales", []job{j}, r.best.size) }}}
}

package race

import (
	"context"

	"github.com/rffgo/rff"
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
	s.Metric = true
	j := r.best.job
	j.sampler = s
	return []proposal{{name: "scales", gain: r.gainOf("scales"), work: r.workOf(j, r.best.size), more: r.learnWork(s, int(r.n), r.best.features),
		run: func(ctx context.Context) error { return r.challenge(ctx, "scales", []job{j}, r.best.size) }}}
}

// learnWork is that of learning a bandwidth per input for kernel sections; 0 where none is learned.
func (r *Race) learnWork(sampler rff.Sampler, rows, features int) float64 {
	s, ok := sampler.(sampling.Nystrom)
	if !ok || !s.Metric {
		return 0
	}
	all := r.samplerWork(s, rows, features)
	s.Metric = false
	return all - r.samplerWork(s, rows, features)
}

package race

import (
	"context"

	"github.com/rffgo/rff/sampling"
)

// scales proposes a bandwidth per input, learned, for the landmarks of the best, some rows
// or all of them.
func scales(r *Race) []proposal {
	if r.best == nil {
		return nil
	}
	s, ok := r.best.sampler.(sampling.Nystrom)
	if !ok || s.Metric || r.Sampler != nil || r.in == 1 || r.fruitless["scales"] > 0 {
		return nil
	}
	task := sampling.Task{Rows: int(r.n), In: r.in, Targets: r.targets, Features: r.best.features}
	before := s.Work(task)
	s.Metric = true
	j := r.best.job
	j.sampler = s
	return []proposal{{name: "scales", gain: r.gainOf("scales"), work: r.workOf(j, r.best.size), more: s.Work(task) - before,
		run: func(ctx context.Context) error { return r.challenge(ctx, "scales", []job{j}, r.best.size) }}}
}

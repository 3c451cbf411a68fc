package race

import "context"

// levels proposes a column per value of columns of few values (scaling_levels.go) in place of the
// best plain features. As with sections, it tries all kernels, with bandwidths about that of the
// best, on a part of the rows with half of the features, and then the best of these on all rows.
func levels(r *Race) []proposal {
	base, last := r.base(), len(r.scalings)-1
	if last < r.firstScalings || r.fruitless["levels"] > 0 || !r.measured(base) || base.kind != drawn || base.scaling == last || r.trainsFirst() {
		return nil
	}
	full := r.full(base.features)
	small := r.part(full)
	var jobs []job
	var work float64
	for k := range r.Kernels {
		for _, by := range levelsAround {
			j := job{candidate: base.candidate, grid: r.grid}
			j.scaling, j.kernel, j.exponent = last, k, j.exponent+by
			if abs(j.exponent) <= gridMost {
				jobs = append(jobs, j)
				work += r.workOf(j, small)
			}
		}
	}
	for range sectionFinals {
		work += r.workOf(job{candidate: jobs[0].candidate, grid: r.around(base.Lambda, aroundMany)}, full)
	}
	return []proposal{{name: "levels", gain: r.gainOf("levels") - (base.Mean/r.best.Mean - 1), work: work, run: func(ctx context.Context) error {
		r.fruitless["levels"]++ // once is enough
		trials, err := r.step(ctx, "levels", jobs, small)
		if err != nil {
			return err
		}
		finals := r.finals(trials)
		if len(finals) == 0 || r.over() {
			return nil
		}
		return r.challenge(ctx, "levels", finals, full)
	}}}
}

package race

import (
	"context"
	"slices"
)

// levels proposes a column per value of columns of few values (scaling_levels.go) in place of the
// best plain features. As with sections, it tries bandwidths about that of the best on a part of the
// rows with half of the features. If one is better there than the best plain features are, it tries
// the other kernels, and the best of all go on to all rows.
func levels(r *Race) []proposal {
	base, last := r.base(), len(r.scalings)-1
	if last < r.firstScalings || r.fruitless["levels"] > 0 || !r.measured(base) || base.kind != drawn || base.scaling == last || r.trainsFirst() {
		return nil
	}
	full := r.full(base.features)
	small := r.part(full)
	plain := job{candidate: base.candidate, grid: r.grid}
	own, others := []job{plain}, []job(nil)
	work := r.workOf(plain, small)
	for k := range r.Kernels {
		for _, by := range levelsAround {
			j := plain
			j.scaling, j.kernel, j.exponent = last, k, j.exponent+by
			if abs(j.exponent) > gridMost {
				continue
			}
			if work += r.workOf(j, small); k == base.kernel {
				own = append(own, j)
			} else {
				others = append(others, j)
			}
		}
	}
	final := job{candidate: base.candidate, grid: r.around(base.Lambda, aroundMany)}
	final.scaling = last
	work += float64(sectionFinals * r.workOf(final, full))
	return []proposal{{name: "levels", gain: r.gainOf("levels") - (base.Mean/r.best.Mean - 1), work: work, run: func(ctx context.Context) error {
		r.fruitless["levels"]++ // once is enough
		trials, err := r.onPart(ctx, "levels", own, small, nil)
		if err != nil {
			return err
		}
		if trials[0].scaling != last {
			r.last().Why = "the columns as they are do better"
			return nil
		}
		if len(others) > 0 && !r.over() {
			if trials, err = r.onPart(ctx, "levels", others, small, trials); err != nil {
				return err
			}
		}
		trials = slices.DeleteFunc(trials, func(t *tried) bool { return t.scaling != last })
		finals := r.finals(trials)
		if len(finals) == 0 || r.over() {
			return nil
		}
		return r.challenge(ctx, "levels", finals, full)
	}}}
}

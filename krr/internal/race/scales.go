package race

import (
	"context"

	"github.com/rffgo/rff/sampling"
)

// scales proposes to learn a bandwidth per input for the best kernel sections, on some rows
// or on all of them, and then for the best of other kernels: with bandwidths of their own, they
// may change places.
func scales(r *Race) []proposal {
	t := r.plainSections()
	if t == nil {
		return nil
	}
	j := r.ownScales(job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)})
	return []proposal{{name: "scales", gain: r.gainOf("scales"), work: r.workOf(j, t.size), more: max(0, r.fitWork(t, t.features)-r.fitWork(r.best, r.final())),
		run: func(ctx context.Context) error { return r.challenge(ctx, "scales", []job{j}, t.size) }}}
}

// ownScales returns a job of sections with bandwidths per input.
func (r *Race) ownScales(j job) job {
	s := j.sampler.(sampling.Nystrom)
	j.axes = &axes{sampler: s, exponent: j.exponent}
	s.Metric = true
	j.sampler = s
	return j
}

// scaled reports whether bandwidths per input are worth a try.
func (r *Race) scaled() bool { return r.Sampler == nil && r.in > 1 && r.gainOf("scales") > 0 }

// plainSections returns the best trial of sections whose kernel has no bandwidths per input in
// any trial yet, or nil if there is none not far behind the best.
func (r *Race) plainSections() (best *tried) {
	if !r.scaled() {
		return nil
	}
	learned := map[int]bool{}
	for _, t := range r.all {
		if t.axes != nil {
			learned[t.kernel] = true
		}
	}
	for _, t := range r.all {
		s, ok := t.sampler.(sampling.Nystrom)
		if ok && !s.Metric && !learned[t.kernel] && t.Mean <= farBehind*r.best.Mean && (best == nil || compare(t, best) < 0) {
			best = t
		}
	}
	return best
}

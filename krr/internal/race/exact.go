package race

import (
	"context"
	"slices"
)

// exact proposes the kernel ridge regression without features: sections on all rows. All
// kernels that have sections are tried at bandwidths of half a median and more on a part of
// the rows, the best of them with other scalings, each kernel with bandwidths per input, and the
// best of three kernels on all rows. Few rows say little about whether bandwidths per input are
// better for many, and a mean of both ways may be better than either, so where the budget pays for
// it each of these kernels goes on in both.
func exact(r *Race) []proposal {
	n := r.rows.X.Rows
	if r.Sampler != nil || r.Features > 0 || !r.measured(r.best) || r.fruitless["exact"] > 0 || n > mostExact || r.n > mostAlike*int64(n) || r.Check(n, r.n) != nil {
		return nil
	}
	from, full := r.base(), r.full(n)
	var jobs []job
	for _, k := range r.sectionKernels() {
		for exponent := exactLow; exponent <= exactHigh; exponent += exactStep {
			jobs = append(jobs, job{candidate: candidate{scaling: from.scaling, kernel: k, exponent: exponent, sampler: uniformRows, kind: sectioned}, grid: r.grid})
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	small := full
	small.splits = 1
	var work float64
	for _, small.rows = range exactRungs {
		small.rows = min(small.rows, full.rows)
		small.features, small.valid = small.rows, min(full.valid, max(leastValid, small.rows/heldPart))
		work = float64(len(jobs)) * r.workOf(jobs[0], small)
		for other := range r.scalings {
			if j := jobs[0]; other != j.scaling {
				j.scaling = other
				work += float64(float64(exactScaled*len(exactAround)) * r.workOf(j, small))
			}
		}
		if work < exactShare*r.available() {
			break
		}
	}
	final := job{candidate: jobs[0].candidate, grid: r.around(from.Lambda, aroundOne)}
	last := exactFinals * r.workOf(final, full)
	few := last > exactShare*r.available()
	kernels := float64(len(jobs) / ((exactHigh-exactLow)/exactStep + 1))
	learn := float64(kernels * r.workOf(r.ownScales(jobs[0]), small))
	own := r.scaled() && learn < ownShare*r.available()
	if own {
		work += learn
		last = exactFinals * r.workOf(r.ownScales(final), full)
		few = few || last > ownShare*r.available()
	}
	if few { // a few splits say little more than one
		full.splits = 1
		last = exactFinals * r.workOf(final, full)
	}
	plain := float64(exactFinals * r.workOf(final, full))
	both := own && plain < exactShare*r.available()
	if work += last; both {
		work += plain
	}
	return []proposal{{name: "exact", gain: r.gainOf("exact"), work: work, more: r.exactWork() - r.fitWork(r.best, r.final()), run: func(ctx context.Context) error {
		r.fruitless["exact"]++ // once is enough
		return r.raceExact(ctx, jobs, own, both, small, full)
	}}}
}

// exactWay is a kernel with or without bandwidths per input.
type exactWay struct {
	kernel int
	own    bool
}

// raceExact chooses on a part of the rows, and tries what it chose on all of them. Bandwidths per
// input are learned if own is set, and kernels go on with and without them if both is.
func (r *Race) raceExact(ctx context.Context, jobs []job, own, both bool, small, full size) error {
	trials, err := r.onPart(ctx, "exact", jobs, small, nil)
	if err != nil || trials[0].err != nil {
		return err
	}
	var others []job
	best := bestOf(trials, scaledKernel)
	for _, t := range best[:min(exactScaled, len(best))] {
		for sc := range r.scalings {
			if sc == t.scaling {
				continue
			}
			for _, by := range exactAround {
				j := job{candidate: t.candidate, grid: r.grid}
				j.scaling, j.exponent = sc, j.exponent+by
				others = append(others, j)
			}
		}
	}
	if len(others) > 0 && !r.over(r.allWork(others, small)) {
		if trials, err = r.onPart(ctx, "exact", others, small, trials); err != nil {
			return err
		}
	}
	if own && !r.over(0) {
		var scaled []job
		for _, t := range bestOf(trials, kernelAlone) {
			scaled = append(scaled, r.ownScales(job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)}))
		}
		if trials, err = r.onPart(ctx, "exact", scaled, small, trials); err != nil {
			return err
		}
	}
	var finals []job
	best = bestOf(trials, kernelAlone)
	best = best[:min(exactFinals, len(best))] // few rows say little about which kernel is best for many
	for _, t := range bestOf(trials, func(t *tried) exactWay { return exactWay{t.kernel, t.axes != nil} }) {
		i := slices.IndexFunc(best, func(b *tried) bool { return b.kernel == t.kernel })
		if i >= 0 && (both || t == best[i]) {
			finals = append(finals, job{candidate: t.candidate, grid: r.around(t.Lambda, aroundOne)})
		}
	}
	if r.over(r.allWork(finals, full)) {
		return nil
	}
	return r.challenge(ctx, "exact", finals, full)
}

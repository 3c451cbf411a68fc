package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff/sampling"
)

// sections proposes kernel sections on rows of the data in place of as many random features. It
// tries all kernels that have sections, with bandwidths about that of the best, on a part of
// the rows with half of the features, and then the best of these on all rows.
func sections(r *Race) []proposal {
	if out := exact(r); out != nil && out[0].work+out[0].more <= r.available() || r.fruitless["exact"] > 0 {
		return out
	}
	full, from := r.full(r.final()), r.smooth()
	if r.Sampler != nil || !r.measured(r.best) || from.kind != drawn || r.fruitless["landmarks"] > 0 || r.trainsFirst() {
		return nil
	}
	small := r.part(full)
	var jobs []job
	for _, k := range r.sectionKernels() {
		for _, by := range sectionAround {
			j := job{candidate: candidate{scaling: from.scaling, kernel: k, exponent: from.exponent + by, sampler: uniformRows, kind: sectioned}, grid: r.grid}
			if abs(j.exponent) <= gridMost {
				jobs = append(jobs, j)
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	final := job{candidate: jobs[0].candidate, grid: r.around(from.Lambda, aroundMany)}
	work := r.allWork(jobs, small)
	for range sectionFinals {
		work += r.workOf(final, full)
	}
	var fit float64
	ways := r.sectionWays(full.features)
	for _, w := range ways {
		final.sampler = w.pick
		work += r.workOf(final, full)
		fit = max(fit, r.samplerWork(w.pick, r.rows.X.Rows, full.features))
	}
	return []proposal{{name: "landmarks", gain: r.gainOf("landmarks"), work: work, more: fit, room: work/landmarkShare + fit, run: func(ctx context.Context) error {
		return r.raceSections(ctx, jobs, ways, small, full)
	}}}
}

// part returns a size that costs an eighth of a full one.
func (r *Race) part(full size) size {
	z := size{max(full.rows/sectionPart, min(full.rows, max(sectionRows, 2*full.features))), 0, max(leastFeatures, full.features/2), 1}
	z.valid = min(full.valid, max(leastValid, z.rows/heldPart))
	return z
}

// finals returns the jobs of the best of the trials of a part, which go on to all rows.
func (r *Race) finals(trials []*tried) (out []job) {
	for _, t := range trials[:min(sectionFinals, len(trials))] {
		if t.err == nil {
			out = append(out, job{candidate: t.candidate, grid: r.around(t.Lambda, aroundMany)})
		}
	}
	return out
}

// sectionWay is a way to make sections: a bandwidth, in steps from that of the best sections,
// and how rows are picked.
type sectionWay struct {
	exponent int
	pick     sampling.Nystrom
}

// sectionWays returns the ways of sectionWays that leave a part of the budget for more features:
// where landmarks are many, picking them may take more than all else.
func (r *Race) sectionWays(features int) []sectionWay {
	return slices.DeleteFunc(slices.Clone(sectionWays), func(w sectionWay) bool {
		return r.samplerWork(w.pick, r.rows.X.Rows, 2*features) > pickShare*r.available()
	})
}

func (r *Race) raceSections(ctx context.Context, jobs []job, ways []sectionWay, small, full size) error {
	r.fruitless["landmarks"]++ // once is enough
	trials, err := r.onPart(ctx, "landmarks", jobs, small, nil)
	if err != nil {
		return err
	}
	finals, best := r.finals(trials), trials[0]
	if len(finals) == 0 {
		return nil
	}
	for _, by := range ways {
		j := job{candidate: best.candidate, grid: r.around(best.Lambda, aroundMany)}
		j.exponent, j.sampler = j.exponent+by.exponent, by.pick
		if abs(j.exponent) <= gridMost {
			finals = append(finals, j)
		}
	}
	if r.over(r.allWork(finals, full)) {
		return nil
	}
	return r.challenge(ctx, "landmarks", finals, full)
}

package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// trees proposes boosted trees: functions with steps, which no kernel here has. A few trees on a part of
// the rows choose a depth. Trees of that depth are then grown for one split, which says how many there
// should be, and for the others, if there are others: where rows are many one split is enough. Trees that
// are far behind the best go no further. The rows that trees have seen would have a regression on them
// exaggerate their sums, by half on credit-g; λ draws them back.
func trees(r *Race) []proposal {
	if !r.Trees || r.Sampler != nil || r.Features > 0 || r.fruitless["trees"] > 0 || !r.measured(r.best) || r.trainsFirst() {
		return nil
	}
	all := r.full(0)
	if r.n > int64(treeRows) {
		all.splits = 1
	}
	part, one := r.part(all), all
	one.splits = 1
	var jobs []job
	for _, depth := range treeDepths {
		jobs = append(jobs, job{candidate: candidate{kernel: r.base().kernel, sampler: boost.Sampler{Depth: depth}, kind: learned}, grid: r.grid})
	}
	deepest := jobs[len(jobs)-1]
	further := deepest
	var work float64
	for _, count := range treeCounts {
		all.features, one.features, part.features = count, count, min(count, fewTrees)
		further.sampler = boost.Sampler{Depth: slices.Max(treeDepths), Trees: count}
		work = r.workOf(deepest, one) + r.furtherWork(further, all, 1)
		for _, j := range jobs {
			work += r.workOf(j, part)
		}
		if work < treeShare*r.available() {
			break
		}
	}
	return []proposal{{name: "trees", gain: r.gainOf("trees"), work: work, run: func(ctx context.Context) error {
		r.fruitless["trees"]++ // once is enough
		best, err := r.glance(ctx, jobs, part, farBehindPart, "the best of them goes on to all rows")
		if best == nil || err != nil {
			return err
		}
		final := job{candidate: best.candidate, grid: r.grid}
		if all.splits > 1 {
			best, err = r.glance(ctx, []job{final}, one, farBehind, "it goes on to all splits")
			if best == nil || err != nil {
				return err
			}
			s := final.sampler.(boost.Sampler)
			s.Trees = inside.Trees(best.maps[0].Map)
			final.sampler, final.maps = s, slices.Clone(best.maps)
		}
		return r.challenge(ctx, "trees", []job{final}, all)
	}}}
}

// glance tries trees before they are tried on all rows and splits. It returns the best, or nil if it is of
// no use or has more than far times the loss of the best of all. The report says why it goes on.
func (r *Race) glance(ctx context.Context, jobs []job, z size, far float64, why string) (*tried, error) {
	before := len(r.all)
	trials, err := r.onPart(ctx, "trees", jobs, z, nil)
	r.all = r.all[:before]
	if err != nil || trials[0].err != nil {
		return nil, err
	}
	if -trial.Compare(r.best.Result, trials[0].Result).Mean > (far-1)*r.best.Mean {
		r.last().Why = "it is far behind the best"
		return nil, nil
	}
	r.last().Why = why
	return trials[0], nil
}

package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// trees proposes boosted trees: functions with steps, which no kernel here has. Those of several depths are
// grown for one split, and the best of them for all, if they are not far behind the best. Where rows are
// many, a part of them compares depths, and one split is enough. The rows that trees have seen would have a
// regression on them exaggerate their sums, by half on credit-g; λ draws them back.
func trees(r *Race) []proposal {
	if !r.Trees || r.Sampler != nil || r.Features > 0 || r.fruitless["trees"] > 0 || !r.measured(r.best) || r.trainsFirst() {
		return nil
	}
	all := r.full(0)
	one, many := all, r.n > int64(treeRows)
	if one.splits = 1; many {
		all.splits, one.rows = 1, max(all.rows/sectionPart, min(all.rows, sectionRows))
	}
	var jobs []job
	var work float64
	for _, all.features = range treeCounts {
		one.features, jobs, work = all.features, nil, 0
		for _, depth := range treeDepths {
			j := job{candidate: candidate{kernel: r.base().kernel, sampler: boost.Sampler{Depth: depth}, kind: learned}, grid: r.grid}
			jobs = append(jobs, j)
			work += r.workOf(j, one)
		}
		last := jobs[len(jobs)-1]
		if many {
			work += r.workOf(last, all)
		} else {
			last.sampler = boost.Sampler{Depth: treeDepths[len(treeDepths)-1], Trees: all.features}
			work += r.furtherWork(last, all, 1)
		}
		if work < treeShare*r.available() {
			break
		}
	}
	return []proposal{{name: "trees", gain: r.gainOf("trees"), work: work, run: func(ctx context.Context) error {
		r.fruitless["trees"]++ // once is enough
		before := len(r.all)
		trials, err := r.onPart(ctx, "trees", jobs, one, nil)
		r.all = r.all[:before]
		if err != nil || trials[0].err != nil {
			return err
		}
		t := trials[0]
		if -trial.Compare(r.best.Result, t.Result).Mean > (farBehind-1)*r.best.Mean {
			r.last().Why = "it is far behind the best"
			return nil
		}
		r.last().Why = "the best of them goes on to all rows"
		final := t.job
		if final.maps = nil; !many {
			r.last().Why = "the best of them goes on to all splits"
			s := t.sampler.(boost.Sampler)
			s.Trees = inside.Trees(t.maps[0].Map)
			final.sampler, final.maps = s, slices.Clone(t.maps)
		}
		return r.challenge(ctx, "trees", []job{final}, all)
	}}}
}

package race

import (
	"context"
	"slices"

	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// trees proposes boosted trees: functions with steps, which no kernel here has. A few trees on a part of
// the rows come first. They choose a depth, and say what to expect of more.
func trees(r *Race) []proposal {
	if !r.Trees || r.Sampler != nil || r.Features > 0 || !r.measured(r.best) || r.trainsFirst() {
		return nil
	}
	switch {
	case r.fruitless["trees"] == 0:
		return r.fewTrees()
	case r.few != nil:
		return r.manyTrees()
	}
	return nil
}

// treesOf returns the job of trees of a depth.
func (r *Race) treesOf(s boost.Sampler) job {
	return job{candidate: candidate{kernel: r.base().kernel, sampler: s, kind: learned}, grid: r.grid}
}

// fewTrees proposes few trees of each depth, none of which is kept.
func (r *Race) fewTrees() []proposal {
	var jobs []job
	for _, depth := range treeDepths {
		jobs = append(jobs, r.treesOf(boost.Sampler{Depth: depth}))
	}
	z := r.part(r.full(0))
	var work float64
	for _, z.features = range fewCounts {
		work = 0
		for _, j := range jobs {
			work += r.workOf(j, z)
		}
		if work < fewShare*r.available() {
			break
		}
	}
	return []proposal{{name: "trees", gain: r.gainOf("trees"), work: work, run: func(ctx context.Context) (err error) {
		r.few, err = r.glance(ctx, jobs, z, "more of the best of them may be tried on all rows")
		return err
	}}}
}

// manyTrees proposes as many trees as the budget pays for. They are grown for one split, which says how many
// there should be, and for the others, if there are others: where rows are many one split is enough. Trees
// that are far behind the best go no further. The rows that trees have seen would have a regression on them
// exaggerate their sums, by half on credit-g; λ draws them back.
func (r *Race) manyTrees() []proposal {
	behind := r.behind(r.few)
	if behind > farFew {
		r.skipped["trees"] = "more of them are not worth their work, since the few tried first were far behind the best"
		return nil
	}
	all := r.full(0)
	if r.n > int64(treeRows) {
		all.splits = 1
	}
	one := all
	one.splits = 1
	s := r.few.sampler.(boost.Sampler)
	first := r.treesOf(s)
	var work float64
	for _, s.Trees = range treeCounts {
		all.features, one.features = s.Trees, s.Trees
		if work = r.workOf(first, one) + r.furtherWork(r.treesOf(s), all, 1); work < treeShare*r.available() {
			break
		}
	}
	gain := r.gainOf("trees") // few were not kept
	if behind <= levelFew {
		gain = levelGain
	}
	return []proposal{{name: "trees", gain: gain, work: work, run: func(ctx context.Context) error {
		r.few = nil // once is enough
		final := first
		if all.splits > 1 {
			t, err := r.glance(ctx, []job{first}, one, "it goes on to all splits")
			if t == nil || err != nil {
				return err
			}
			if r.behind(t) > farBehind {
				r.last().Why = "it is far behind the best"
				return nil
			}
			s.Trees = inside.Trees(t.maps[0].Map)
			final = r.treesOf(s)
			final.maps = slices.Clone(t.maps)
		}
		return r.challenge(ctx, "trees", []job{final}, all)
	}}}
}

// glance tries trees that are no candidates for a fit, and returns the best of them, or nil if none is of
// use. The report says why they are tried.
func (r *Race) glance(ctx context.Context, jobs []job, z size, why string) (*tried, error) {
	before := len(r.all)
	trials, err := r.onPart(ctx, "trees", jobs, z, nil)
	r.all = r.all[:before]
	if err != nil || trials[0].err != nil {
		return nil, err
	}
	r.last().Why = why
	return trials[0], nil
}

// behind returns the loss of a trial over that of the best on the same rows.
func (r *Race) behind(t *tried) float64 {
	return 1 - trial.Compare(r.best.Result, t.Result).Mean/r.best.Mean
}

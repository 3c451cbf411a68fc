package race

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/trial"
)

// trees proposes boosted trees: functions with steps, which no kernel here has. A few trees on a part of
// the rows come first. They choose a depth, and say what to expect of more.
func trees(r *Race) []proposal {
	if !r.Trees || r.Sampler != nil || r.Features > 0 || !r.measured(r.best) {
		return nil
	}
	switch {
	case r.fruitless["trees"] == 0:
		return r.fewTrees()
	case r.few != nil:
		if p := r.manyTrees(); p != nil {
			return p
		}
		return r.finalTrees()
	}
	return r.finalTrees()
}

// treesOf returns the job of trees of a depth.
func (r *Race) treesOf(s boost.Sampler) job {
	return job{candidate: candidate{kernel: r.base().kernel, sampler: s, kind: learned}, grid: r.grid}
}

// fewTrees proposes few trees of each depth, none of which is kept.
func (r *Race) fewTrees() []proposal {
	z := r.part(r.full(0))
	few := func(shapes []boost.Sampler) (jobs []job, work float64) {
		for _, s := range shapes {
			jobs = append(jobs, r.treesOf(s))
		}
		z.features = r.treesFor(jobs, z, fewShare, leastFew, mostFew)
		return jobs, r.allWork(jobs, z)
	}
	jobs, work := few(shallowShapes)
	if enoughInLeaf<<treeShapes[len(treeShapes)-1].Depth <= z.rows {
		if jobs, work = few(treeShapes); work > treeShare*r.available() {
			jobs, work = few(someShapes)
		}
	}
	return []proposal{{name: "trees", gain: r.gainOf("trees"), work: work, need: work / treeShare, run: func(ctx context.Context) (err error) {
		r.few, err = r.glance(ctx, jobs, z, "more of the best of them may be tried on all rows")
		return err
	}}}
}

// manyTrees proposes as many trees as the budget pays for, grown on a part of the rows of one split, which says
// how many are of use. Where nearly all are, so that the error would go on to fall, deeper ones with larger steps
// are proposed next, or twice as many of the deepest. Trees that are far behind the best go no further.
func (r *Race) manyTrees() []proposal {
	limit, why := float64(farFew), "more of them are not worth their work, since the few tried first were far behind the best"
	if r.oneSplit != nil {
		limit, why = farShallow, "they are not worth more work, since they are far behind the best"
	}
	if r.behind(r.few) > limit {
		r.few, r.oneSplit = nil, nil
		r.skipped["trees"] = why
		return nil
	}
	s, one, ok := r.nextTrees()
	if !ok {
		r.few = nil
		return nil
	}
	// That the fit may grow them on all rows does not count: it does so where the budget is left, and gains by it.
	return []proposal{{name: "trees", gain: r.gainOfTrees(r.few), work: r.workOf(r.treesOf(s), one), run: func(ctx context.Context) error {
		before := r.oneSplit
		r.few = nil
		t, err := r.glance(ctx, []job{r.treesOf(s)}, one, "the best depth goes on")
		if t == nil || err != nil {
			return err
		}
		if before != nil && before.proper() <= t.proper() {
			return nil
		}
		r.oneSplit = t
		if used := inside.Trees(t.maps[0].Map); float64(used) > enoughTrees*float64(one.features) {
			r.few = t
		}
		return nil
	}}}
}

// nextTrees returns the trees to grow after those tried so far, and false if the budget pays for none.
func (r *Race) nextTrees() (s boost.Sampler, one size, ok bool) {
	s, one = r.few.sampler.(boost.Sampler), r.full(0)
	one.splits = 1
	first, least, most := r.oneSplit == nil, leastTrees, mostTrees
	s.Steps = 0
	switch {
	case first && s.Own: // as many rows in a leaf as where they were tried
		s.Depth = min(deepest, s.Depth+bits.Len(uint(one.rows/r.few.rows))-1)
	case first: // of the depth that was tried
	case s.Depth+deeper <= deepest:
		s.Depth, s.Own = s.Depth+deeper, true
	default:
		least = 2 * r.few.features
		most = least
	}
	n := min(r.treesFor([]job{r.treesOf(s)}, one, treeShare, 0, most), tableBytes/r.tableBytes(s, 1))
	if one.features = least; first && r.workOf(r.treesOf(s), one) > r.available() {
		least /= 2
	}
	if one.features = max(n, least); !first && least < most {
		s.Steps = one.features / 2
	}
	return s, one, first || least <= min(n, mostTrees)
}

// treesFor returns how many trees a share of what is left pays for, between least and most.
func (r *Race) treesFor(jobs []job, z size, share float64, least, most int) int {
	z.features = 1
	first := r.allWork(jobs, z)
	z.features = most
	each := (r.allWork(jobs, z) - first) / float64(most-1)
	return max(least, int(min(float64(most), 1+(float64(share*r.available())-first)/each)))
}

// finalTrees proposes as many trees as were of use, of the best depth so far, for all rows of all splits, or of the
// first if the budget pays for no more. The rows that trees have seen would have a regression on them exaggerate their
// sums, by half on credit-g; λ draws them back.
func (r *Race) finalTrees() []proposal {
	if r.oneSplit == nil {
		return nil
	}
	t := r.oneSplit
	if r.folds == 1 { // it was measured already
		r.oneSplit = nil
		return nil
	}
	if r.behind(t) > farBehind {
		r.oneSplit = nil
		r.skipped["trees"] = "those tried on one division of the rows were far behind the best"
		return nil
	}
	s := t.sampler.(boost.Sampler)
	s.Trees, s.Part = inside.Trees(t.maps[0].Map), false
	final, all := r.treesOf(s), r.full(t.features)
	if r.workOf(final, all) > r.available() {
		all.splits = 1
	}
	return []proposal{{name: "trees", gain: r.gainOfTrees(t), work: r.workOf(final, all), run: func(ctx context.Context) error {
		r.oneSplit = nil // once is enough
		return r.challenge(ctx, "trees", []job{final}, all)
	}}}
}

// tableBytes bounds the memory of the tables of so many trees, and of the comparisons that nodes have of their own.
func (r *Race) tableBytes(s boost.Sampler, trees int) int {
	numbers := r.targets
	if s.Own {
		numbers += 2
	}
	return 8 * trees * numbers << s.Depth
}

// gainOfTrees returns what more or all of the trees of a glance are expected to gain: a little more than they gained
// there, if they are ahead, and more still where it had a part of the rows.
func (r *Race) gainOfTrees(t *tried) float64 {
	behind := r.behind(t)
	if behind > levelFew {
		return priors["trees"].gain * doubt
	}
	behind *= moreTrees
	for rows := 2 * t.rows; rows <= r.full(0).rows; rows *= 2 {
		behind *= moreRows
	}
	return max(levelGain, 1-float64(behind))
}

// glance tries trees on a part of the rows or of the splits, and returns the best of them, or nil if none is of
// use. The report says why they are tried. Scores say more of few rows than labels do: of 1,000 rows, 1 % of
// wrong labels is noise. Where the part is all there is, the best may be what the race ends at.
func (r *Race) glance(ctx context.Context, jobs []job, z size, why string) (*tried, error) {
	before := len(r.all)
	trials, err := r.step(ctx, "trees", jobs, z)
	if err != nil {
		return nil, err
	}
	best := slices.MinFunc(trials, func(a, b *tried) int { return cmp.Compare(a.proper(), b.proper()) })
	if best.err != nil {
		r.last().Why = best.err.Error()
		return nil, nil
	}
	r.last().Best, r.last().Error = r.describe(best), r.told(best)
	if z == r.full(z.features) {
		r.judge(ctx, "trees", best)
		return best, ctx.Err()
	}
	r.all, r.last().Why = r.all[:before], why
	return best, nil
}

// behind returns the loss of a trial over that of the best on the same rows.
func (r *Race) behind(t *tried) float64 {
	return 1 - trial.Compare(r.best.Result, t.Result).Mean/r.best.Mean
}

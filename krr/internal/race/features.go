package race

import "context"

// moreFeatures proposes twice the features of the best, or 1.4 times as many where the budget
// does not pay for twice. It proposes the same for the best trial without learned features.
func moreFeatures(r *Race) []proposal {
	if r.Features > 0 || !r.measured(r.best) || r.best.rules != nil || r.trainsFirst() {
		return nil
	}
	var out []proposal
	if !r.best.isTrained() && !r.best.isBoosted() { // further draws are joined with trained features instead
		out = r.grown(r.best)
	}
	if p := r.plain; p != nil && p != r.best && r.measured(p) {
		out = append(out, r.grown(p)...)
	}
	if r.best.kind == learned && !r.best.isBoosted() && r.plain != nil && r.plain.features < r.best.features {
		// Try as many plain features, in case the learned ones gained by their number alone.
		out = append(out, r.larger(r.plain, r.best.features)...)
	}
	return out
}

// grown proposes more features made as a trial made them.
func (r *Race) grown(t *tried) []proposal {
	var last []proposal
	for _, features := range []int{2 * t.features, int(halfAgain*float64(t.features)) / 2 * 2} {
		if last = r.larger(t, features); len(last) == 0 || last[0].work+last[0].more <= r.available() {
			break
		}
	}
	return last
}

// larger proposes that many features, made as a trial made them. It proposes nothing if that
// was tried, or if rows or memory do not allow it.
func (r *Race) larger(t *tried, features int) []proposal {
	if features > featuresPerRow*int(r.n) || t.kind == sectioned && features > r.rows.X.Rows {
		return nil
	}
	j := job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)}
	z := r.full(features)
	if t.kind == learned {
		j.grid = r.around(t.Lambda, aroundMany)
		z.splits = min(t.splits, r.folds)
	}
	if r.seen[j.key(z)] {
		return nil
	}
	if err := r.Check(features, r.n); err != nil {
		r.skipped["features"] = err.Error()
		return nil
	}
	p := proposal{name: "features", gain: r.gainOf("features") - (t.Mean/r.best.Mean - 1), work: r.workOf(j, z)}
	p.more = max(0, r.fitWork(&tried{job: j, size: z}, features)-r.fitWork(r.best, r.final()))
	p.run = func(ctx context.Context) error { return r.challenge(ctx, "features", []job{j}, z) }
	return []proposal{p}
}

package race

import "context"

// joined proposes to join further trained frequencies, of another draw, with those of the
// best: the kernel of all is the mean of theirs, and the ridge regression on it varies less
// with the draw.
func joined(r *Race) []proposal {
	if r.Features > 0 || !r.measured(r.best) || !r.best.isTrained() || r.best.rules != nil {
		return nil
	}
	t := r.best
	n := t.draws + 1
	j := job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew)}
	j.draws++
	z := t.size
	z.features = t.features / n * (n + 1)
	z.splits = min(z.splits, r.folds)
	if r.seen[j.key(z)] || r.Check(z.features, r.n) != nil {
		return nil
	}
	p := proposal{name: "joined", gain: r.gainOf("joined"), work: r.workOf(j, z), more: r.finalWork(z.features) - r.finalWork(r.final())}
	j.beside = t.maps
	p.run = func(ctx context.Context) error { return r.challenge(ctx, "joined", []job{j}, z) }
	return []proposal{p}
}

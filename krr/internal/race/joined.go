package race

import (
	"context"
	"math"

	"github.com/rffgo/rff/internal/trial"
)

// joined proposes to join further trained frequencies, of another draw, with those trained
// last: the kernel of all is the mean of theirs, and the ridge regression on it varies less
// with the draw. So it does where these were not kept, but are little behind the best.
func joined(r *Race) []proposal {
	t := r.trained
	if r.Features > 0 || t == nil || r.best.rules != nil {
		return nil
	}
	n := t.draws + 1
	j := job{candidate: t.candidate, grid: r.around(t.Lambda, aroundFew), beside: t.maps}
	j.draws++
	z := t.size
	z.features = t.features / n * (n + 1)
	z.splits = min(z.splits, r.folds)
	if r.seen[j.key(z)] || r.Check(z.features, r.n) != nil {
		return nil
	}
	behind := max(0, -trial.Compare(r.best.Result, t.Result).Mean/max(r.best.Mean, math.SmallestNonzeroFloat64))
	p := proposal{name: "joined", gain: r.gainOf("joined") - behind, work: r.workOf(j, z), more: r.finalWork(z.features) - r.fitWork(r.best, r.final())}
	p.run = func(ctx context.Context) error { return r.challenge(ctx, "joined", []job{j}, z) }
	return []proposal{p}
}

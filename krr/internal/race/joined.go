package race

import (
	"context"
	"math"

	"github.com/rffgo/rff/internal/trial"
)

// joined proposes to train frequencies of another draw, for the metric of the first, and to join
// them with those trained last. The joint kernel is the mean of their kernels, and its ridge
// regression varies less with the draw. It proposes this also if the frequencies trained last were
// not kept, but are little behind the best. Where the draw before gained less than enoughJoined,
// a further one does as much in a mean (trainings), whose fit has fewer features.
func joined(r *Race) []proposal {
	t := r.trained
	if r.Features > 0 || t == nil || r.best.rules != nil || t.draws > 0 && r.gained < enoughJoined {
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
	p.run = func(ctx context.Context) error {
		err := r.challenge(ctx, "joined", []job{j}, z)
		if now := r.trained; now.draws > t.draws {
			r.gained = trial.Compare(t.Result, now.Result).Mean / t.Mean
		}
		return err
	}
	return []proposal{p}
}

package race

import "context"

// neighbours proposes the next wider and the next narrower bandwidth of the best, at its
// size: more features ask for another bandwidth than few.
func neighbours(r *Race) []proposal {
	if r.best.kind == learned || !r.measured(r.best) || r.best.rules != nil {
		return nil
	}
	if s := r.last(); s.Name == "bandwidth" && s.Kept && s.Gain < leastGain*r.best.Mean {
		return nil
	}
	var jobs []job
	for _, by := range []int{-1, 1} {
		j := job{candidate: r.best.candidate, grid: r.around(r.best.Lambda, aroundOne)}
		j.exponent += by
		if abs(j.exponent) <= gridMost && !r.seen[j.key(r.best.size)] {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	z := r.first(r.best.size)
	return []proposal{{name: "bandwidth", gain: r.gainOf("bandwidth"), work: r.allWork(jobs, z), run: func(ctx context.Context) error {
		return r.challenge(ctx, "bandwidth", jobs, z)
	}}}
}

// first returns a size whose splits do not repeat the folds.
func (r *Race) first(z size) size {
	z.splits = min(z.splits, r.folds)
	return z
}

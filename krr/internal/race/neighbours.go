package race

import (
	"context"

	"github.com/rffgo/rff/internal/trial"
)

// neighbours proposes the next wider and the next narrower bandwidth of the best, at its
// size: more features ask for another bandwidth than few.
func neighbours(r *Race) []proposal {
	if r.best.kind == learned || !r.measured(r.best) || r.best.weights != nil {
		return nil
	}
	var jobs []job
	var work float64
	for _, by := range []int{-1, 1} {
		j := job{r.best.candidate, r.around(r.best.Lambda, 1), nil, nil}
		j.exponent += by
		if abs(j.exponent) <= gridMost && !r.seen[j.key(r.first(r.best.size))] {
			jobs = append(jobs, j)
			work += r.workOf(j, r.first(r.best.size))
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	return []proposal{{name: "bandwidth", gain: r.gainOf("bandwidth"), work: work, run: func(ctx context.Context) error {
		before := r.best
		trials, err := r.step(ctx, "bandwidth", jobs, r.first(before.size))
		if err != nil {
			return err
		}
		t := trials[0]
		if t.err == nil {
			d := trial.Compare(before.Result, t.Result)
			r.last().Gain, r.last().StdErr = d.Mean, d.StdErr
			if d.Mean > 0 { // neither is simpler than the other: the least error is the best guess
				r.take(t)
				return nil
			}
		}
		r.last().Why = "its neighbours are no better"
		return nil
	}}}
}

// first is a size without repeats of the folds.
func (r *Race) first(z size) size {
	z.splits = min(z.splits, r.folds)
	return z
}

package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rffgo/rff/blas"
)

// job is a trial to do.
type job struct {
	candidate
	grid []float64
}

// step tries candidates of one size, takes their cost off the budget and adds the
// step to the report. It returns the trials, best first.
func (s *Search) step(ctx context.Context, name string, jobs []job, z size, extra float64) ([]trial, error) {
	begin := time.Now()
	out := make([]trial, len(jobs))
	cost := extra
	for _, j := range jobs {
		cost += s.costOf(j.candidate, z, len(j.grid))
	}
	errs := make([]error, len(jobs))
	s.engine.Each(len(jobs), func(share blas.Engine, i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			out[i], errs[i] = s.try(ctx, share, jobs[i].candidate, z, jobs[i].grid)
		}
		s.advance(s.costOf(jobs[i].candidate, z, len(jobs[i].grid)) / s.budget.whole)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	s.budget.left -= cost
	slices.SortStableFunc(out, compareTrials)
	for _, t := range out {
		s.tried[key{t.candidate, z}] = true
	}
	s.report.Steps = append(s.report.Steps, Step{Name: name, Candidates: len(jobs), Rows: z.rows, HeldOut: len(out[0].loss), Features: z.features,
		Best: s.describe(out[0]), Error: out[0].errors, Estimated: duration(cost), Elapsed: time.Since(begin)})
	return out, nil
}

// skip reports a step that does not fit the budget.
func (s *Search) skip(name, why string) {
	s.report.Steps = append(s.report.Steps, Step{Name: name, Why: why})
}

// challenge tries candidates and keeps the best of them if it is better than the best
// before by more than the standard error; of many rows more features if they are not
// worse by as much.
func (s *Search) challenge(ctx context.Context, name string, jobs []job, z size, extra float64) error {
	before := s.best
	trials, err := s.step(ctx, name, jobs, z, extra)
	if err != nil {
		return err
	}
	step, t := s.last(), trials[0]
	s.latest = t
	if t.err == nil {
		step.Gain, step.StdErr = gain(before, t)
	}
	switch {
	case t.err != nil:
		step.Why = t.err.Error()
	case beyond(step.Gain, step.StdErr), s.moreFor(z) && !beyond(-step.Gain, step.StdErr):
		s.best, s.size, s.final, step.Kept = t, z, z.features, true
	default:
		step.Why = notKept(step.Gain, step.StdErr)
	}
	return nil
}

// notKept says why a gain is not enough.
func notKept(gain, stdErr float64) string {
	if gain > 0 {
		return fmt.Sprintf("the gain, %.2g ± %.2g, is within its standard error", gain, stdErr)
	}
	return "held-out rows are no better off"
}

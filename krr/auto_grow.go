package krr

import (
	"context"
	"fmt"
)

// skip reports a step that does not fit the budget.
func (s *search) skip(name, why string) {
	s.report.Steps = append(s.report.Steps, AutoStep{Name: name, Why: why})
}

// challenge tries one candidate and keeps it if it is better than the best by more
// than the standard error.
func (s *search) challenge(ctx context.Context, name string, j job, z size, extra float64) error {
	before := s.best
	trials, err := s.step(ctx, name, []job{j}, z, extra)
	if err != nil {
		return err
	}
	step, t := s.last(), trials[0]
	if t.err == nil {
		step.Gain, step.StdErr = gain(before, t)
	}
	switch {
	case t.err != nil:
		step.Why = t.err.Error()
	case step.Gain > step.StdErr:
		s.best, s.size, s.final, step.Kept = t, z, z.features, true
	case step.Gain > 0:
		step.Why = fmt.Sprintf("the gain, %.2g ± %.2g, is within its standard error", step.Gain, step.StdErr)
	default:
		step.Why = "held-out rows are no better off"
	}
	return nil
}

// grow doubles the features for as long as the held-out error falls beyond its
// standard error and the budget lasts.
func (s *search) grow(ctx context.Context) error {
	if s.Features > 0 || s.size.features != s.final {
		return nil
	}
	for {
		features := 2 * s.final
		if features > 2*int(s.n) {
			s.report.Stopped = "there are no more features than rows to take"
			return nil
		}
		if s.stop() {
			return nil
		}
		if err := CheckMemory(s.in, features, s.targets, s.n, s.Settings); err != nil {
			s.skip("features", err.Error())
			return nil
		}
		before := len(s.report.Steps)
		if err := s.more(ctx, features); err != nil {
			return err
		}
		if len(s.report.Steps) == before || s.last().Candidates == 0 {
			return nil // the budget has ended
		}
		if !s.last().Kept {
			s.report.Stopped = fmt.Sprintf("%d features are no better than %d", features, s.final)
			return nil
		}
	}
}

// more tries the best with more features, which a learner learns anew.
func (s *search) more(ctx context.Context, features int) error {
	if s.best.learned != "" {
		return s.tryLearning(ctx, "features", s.best.candidate, features)
	}
	z := s.size
	z.features = features
	j := job{s.best.candidate, s.around(s.best.lambda, 2)}
	if cost := s.cost(z, len(j.grid)); cost > s.available(features) {
		s.skip("features", fmt.Sprintf("%d take %.3g s, with the fit, and %.3g are left", features, cost+seconds(s.finalWork(features)), s.budget.left))
		return nil
	}
	return s.challenge(ctx, "features", j, z, 0)
}

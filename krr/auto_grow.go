package krr

import (
	"context"
	"fmt"
)

// skip reports a step that does not fit the budget.
func (s *search) skip(name, why string) {
	s.report.Steps = append(s.report.Steps, AutoStep{Name: name, Why: why})
}

// challenge tries candidates and keeps the best of them if it is better than the best
// before by more than the standard error.
func (s *search) challenge(ctx context.Context, name string, jobs []job, z size, extra float64) error {
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
// standard error and the budget lasts: first of what was learned, which is learned
// anew, then of plain features.
func (s *search) grow(ctx context.Context) error {
	if s.Features > 0 || s.size.features != s.final {
		return nil
	}
	if s.best.learned == "" {
		s.plain, s.plainSize = s.best, s.size
	}
	for s.best.learned != "" && s.mayTake(2*s.final) {
		if err := s.tryLearning(ctx, "features", s.best.candidate, 2*s.final); err != nil {
			return err
		}
		if !s.last().Kept {
			break
		}
	}
	for s.mayTake(2 * s.plainSize.features) {
		better, err := s.growPlain(ctx)
		if err != nil || !better {
			return err
		}
	}
	return nil
}

// mayTake reports whether that many features may be tried.
func (s *search) mayTake(features int) bool {
	if features > 2*int(s.n) {
		s.report.Stopped = "there are no more features than rows to take"
		return false
	}
	if err := CheckMemory(s.in, features, s.targets, s.n, s.Settings); err != nil {
		s.skip("features", err.Error())
		return false
	}
	return !s.stop()
}

// growPlain tries twice the plain features and reports whether they are better than
// as many as there were. They may take the place of learned ones.
func (s *search) growPlain(ctx context.Context) (better bool, err error) {
	z := s.plainSize
	z.features *= 2
	j := job{s.plain.candidate, s.around(s.plain.lambda, 2)}
	if cost := s.costOf(j.candidate, z, len(j.grid)); cost > s.available(z.features) {
		s.skip("features", fmt.Sprintf("%d plain ones take %.3g s, with the fit, and %.3g are left", z.features, cost+seconds(s.finalWork(z.features)), s.budget.left))
		return false, nil
	}
	before := s.plain
	if err := s.challenge(ctx, "features", []job{j}, z, 0); err != nil {
		return false, err
	}
	t := s.latest
	if mean, stdErr := gain(before, t); t.err != nil || mean <= stdErr {
		s.report.Stopped = fmt.Sprintf("%d features are no better than %d", z.features, s.plainSize.features)
		return false, nil
	}
	s.plain, s.plainSize = t, z
	return true, nil
}

package search

import (
	"context"
	"fmt"
)

// grow doubles the features for as long as the held-out error falls beyond its
// standard error and the budget lasts: first of what was learned, which is learned
// anew, then of plain features.
func (s *Search) grow(ctx context.Context) error {
	if s.Features > 0 || s.size.features != s.final {
		return nil
	}
	if s.best.learned == "" {
		s.plain, s.plainSize = s.best, s.size
	}
	for s.best.learned != "" && s.mayTake(2*s.final) {
		if err := s.tryLearning(ctx, "features", []candidate{s.best.candidate}, 2*s.final); err != nil {
			return err
		}
		if !s.last().Kept {
			break
		}
	}
	if s.large() && s.best.learned != "" {
		return nil // far behind
	}
	for s.mayTake(2 * s.plainSize.features) {
		better, err := s.growPlain(ctx)
		if err != nil || !better {
			return err
		}
	}
	return nil
}

// growFirst grows before anything is learned.
func (s *Search) growFirst(ctx context.Context) error {
	if err := s.grow(ctx); err != nil {
		return err
	}
	if !s.budget.over(len(s.report.Steps)) {
		s.report.Stopped = "" // that more features are no better ends the growth alone
	}
	return nil
}

// mayTake reports whether that many features may be tried.
func (s *Search) mayTake(features int) bool {
	if features > 2*int(s.n) {
		s.report.Stopped = "there are no more features than rows to take"
		return false
	}
	if err := s.learner.Check(features, s.n); err != nil {
		s.skip("features", err.Error())
		return false
	}
	return !s.stop()
}

// growPlain tries twice the plain features and reports whether they are better than
// as many as there were. They may take the place of learned ones.
func (s *Search) growPlain(ctx context.Context) (better bool, err error) {
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
	if mean, stdErr := gain(before, t); t.err != nil || !(beyond(mean, stdErr) || s.best.candidate == t.candidate && s.size == z) {
		s.report.Stopped = fmt.Sprintf("%d features are no better than %d", z.features, s.plainSize.features)
		return false, nil
	}
	s.plain, s.plainSize = t, z
	return true, nil
}

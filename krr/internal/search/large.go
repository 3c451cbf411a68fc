package search

import "context"

// large reports whether there are more rows than a thorough search learns on. Then
// rows are what learning gains most of: refined features come first, trained on all of
// them and as many as the budget pays for, and the rest takes little of it.
func (s *Search) large() bool {
	return s.Sampler == nil && s.splits[0].Train.X.Rows > manyLearned
}

// enoughRows per feature leave little variance: then more features do no harm, and what
// rows held out cannot tell apart, as of a rare class, all rows can.
const enoughRows = 32

// moreFor reports whether a size has more features than the best, and enough rows for
// them.
func (s *Search) moreFor(z size) bool {
	return s.large() && z.features > s.size.features && s.n >= int64(enoughRows*z.features)
}

// learnWide tries refined features, twice as many as the final fit was to have if the
// budget pays for a quarter of the epochs of these. done reports whether that is all the
// learning there is to do.
func (s *Search) learnWide(ctx context.Context) (done bool, err error) {
	if s.stop() {
		return false, nil
	}
	before := s.best
	c := s.best.candidate
	c.kernel, c.learned, c.landmarks, c.uniform = s.turning(c.kernel), "refined", false, false
	features := s.final
	if s.Features == 0 && s.learner.Check(2*features, s.n) == nil {
		c.effort = wideQuarter
		z := s.full(2 * features)
		z.splits = 1
		if s.learningCost(c, z)+s.cost(z, 2*learnedSteps+1) <= s.available(2*features) {
			features *= 2
		}
	}
	if err := s.tryLearning(ctx, "refined", []candidate{c}, features); err != nil || s.best.learned == "" {
		return false, err
	}
	if step := s.last(); beyond(step.Gain, step.StdErr) {
		return true, nil
	}
	return true, s.plainInstead(ctx, before)
}

// plainInstead tries plain features where as many learned ones were kept for being more
// only, and keeps them unless the learned ones are better by more than the standard error.
func (s *Search) plainInstead(ctx context.Context, before trial) error {
	j := job{before.candidate, s.around(before.lambda, learnedSteps)}
	if s.stop() || s.costOf(j.candidate, s.size, len(j.grid)) > s.available(s.final) {
		return nil
	}
	learned := s.best
	trials, err := s.step(ctx, "features", []job{j}, s.size, 0)
	if err != nil {
		return err
	}
	step, t := s.last(), trials[0]
	if t.err != nil {
		step.Why = t.err.Error()
		return nil
	}
	step.Gain, step.StdErr = gain(learned, t)
	if beyond(-step.Gain, step.StdErr) {
		step.Why = "the learned ones are better"
		return nil
	}
	s.best, step.Kept = t, true
	s.plain, s.plainSize = t, s.size
	return nil
}

// wide reports whether there are more inputs than frequencies. Then products of rows with
// frequencies cost more than sums of features: fewer candidates go on to more rows, and
// twice the features, which cost a tenth of learning them, come before that.
func (s *Search) wide() bool { return s.in > s.final/2 }

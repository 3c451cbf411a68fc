package search

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/krr/internal/sample"
)

// learners are samplers that learn features from the rows.
var learners = []string{"metric", "refined"}

// learn tries samplers that learn the features, and keeps one if held-out rows say
// so beyond the standard error.
func (s *Search) learn(ctx context.Context) error {
	if s.Sampler != nil || s.size != s.full(s.final) {
		return nil
	}
	s.plain, s.plainSize = s.best, s.size
	for _, name := range learners {
		if s.stop() {
			return nil
		}
		c := s.best.candidate
		c.kernel, c.learned = s.turning(c.kernel), name
		if err := s.tryLearning(ctx, name, c, s.final); err != nil {
			return err
		}
	}
	return nil
}

// turning returns the kernel to learn with: the first that is a function of the
// Euclidean distance if this one is not. A metric turns the axes, which a distance of
// another kind rests on.
func (s *Search) turning(kernel int) int {
	if sample.OwnDistance(s.Kernels[kernel]) == nil {
		return kernel
	}
	for i, k := range s.Kernels {
		if sample.OwnDistance(k) == nil {
			return i
		}
	}
	return kernel
}

// tryLearning tries the candidate, a learner, with that many features, as
// thoroughly as half of what is left pays for. One split has to do.
func (s *Search) tryLearning(ctx context.Context, name string, c candidate, features int) error {
	z := s.full(features)
	z.splits = 1
	grid := s.around(s.best.lambda, 3)
	left := s.available(features) - s.cost(z, len(grid))
	c.fast = c.learned == "metric" || s.learningCost(c, z) > left/2 // refined begins with the metric
	cost := s.learningCost(c, z)
	if cost > left {
		s.skip(name, fmt.Sprintf("%d features take %.3g s to learn and %.3g are left", features, cost, max(0, left)))
		return nil
	}
	return s.challenge(ctx, name, job{c, grid}, z, cost)
}

// learningCost returns the estimated seconds of learning features.
func (s *Search) learningCost(c candidate, z size) float64 {
	most, small, fits, full := 32000, shape{train: 6000, features: 512}, 60, 28
	if c.fast {
		most, small, fits, full = 8000, shape{train: 4000, features: 256}, 45, 12
	}
	most = min(most, z.rows)
	fit := func(rows, features int) float64 {
		rows = min(rows, most*4/5)
		return shape{s.in, s.targets, features, rows, most / 5, folds * 2, false}.work()
	}
	work := float64(float64(fits)*fit(small.train, small.features)) + float64(float64(full)*fit(most, z.features))
	if c.learned == "refined" {
		work += float64(4*fit(most, z.features)) + float64(refineEpochs*float64(most*4/5)*float64(z.features/2)*float64(4*s.in+6*s.targets+60))
	}
	return seconds(work)
}

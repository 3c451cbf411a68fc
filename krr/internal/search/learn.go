package search

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/krr/internal/sample"
)

// learners are samplers that learn features from the rows.
var learners = []string{"metric", "refined"}

// effortShare is the most of what is left that an effort may take: room for twice the
// features after a thorough one.
var effortShare = [...]float64{thorough: 0.6, manyRows: 1, fast: 1}

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
		c.kernel, c.learned, c.landmarks = s.turning(c.kernel), name, false
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
// thoroughly as what is left pays for. One split has to do.
func (s *Search) tryLearning(ctx context.Context, name string, c candidate, features int) error {
	z := s.full(features)
	z.splits = 1
	grid := s.around(s.best.lambda, 3)
	left := s.available(features) - s.cost(z, len(grid))
	c.effort = s.effortFor(c, z, left)
	cost := s.learningCost(c, z)
	if cost > left {
		s.skip(name, fmt.Sprintf("%d features take %.3g s to learn and %.3g are left", features, cost, max(0, left)))
		return nil
	}
	return s.challenge(ctx, name, []job{{c, grid}}, z, cost)
}

// effortFor returns the most effort that a learner may take of the seconds left,
// whatever that of the candidate before was.
func (s *Search) effortFor(c candidate, z size, left float64) effort {
	c.effort = fast // of the metric, with which refined begins
	if c.learned == "refined" {
		for c.effort = thorough; c.effort < fast; c.effort++ {
			if s.learningCost(c, z) <= left*effortShare[c.effort] {
				break
			}
		}
	}
	return c.effort
}

// learningCost returns the estimated seconds of learning features.
func (s *Search) learningCost(c candidate, z size) float64 {
	small, fits, full := shape{train: 6000, features: 512}, 60, 28
	if c.effort != thorough {
		small, fits, full = shape{train: 4000, features: 256}, 30, 8
	}
	most := min(c.effort.rows(), z.rows)
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

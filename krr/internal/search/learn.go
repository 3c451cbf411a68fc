package search

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/krr/internal/sample"
)

// learners are samplers that learn features from the rows.
var learners = []string{"metric", "refined"}

// learnedSteps is how many steps of the grid λ may be from that of the best before.
const learnedSteps = 3

// learn tries samplers that learn the features, and keeps one if held-out rows say
// so beyond the standard error.
func (s *Search) learn(ctx context.Context) error {
	if s.Sampler != nil || s.size != s.full(s.final) {
		return nil
	}
	s.plain, s.plainSize = s.best, s.size
	if s.large() {
		if done, err := s.learnWide(ctx); err != nil || done {
			return err
		}
	}
	for _, name := range learners {
		if s.stop() || (name == "refined" && s.large()) {
			return nil
		}
		c := s.best.candidate
		c.kernel, c.learned, c.landmarks, c.uniform = s.turning(c.kernel), name, false, false
		tried := []candidate{c}
		if k := s.axial(s.plain.kernel); name == "metric" && k >= 0 {
			c.kernel, c.diagonal = k, true
			tried = append(tried, c)
		}
		if err := s.tryLearning(ctx, name, tried, s.final); err != nil {
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

// axial returns the kernel to learn a scale per input with: the first that is a function
// of another distance than the Euclidean if this one is not, −1 if there is none. With
// scales of its own for every input such a kernel is one of sums over inputs, as trees are.
func (s *Search) axial(kernel int) int {
	if sample.OwnDistance(s.Kernels[kernel]) != nil {
		return kernel
	}
	for i, k := range s.Kernels {
		if sample.OwnDistance(k) != nil {
			return i
		}
	}
	return -1
}

// tryLearning tries candidates, of one learner, with that many features, as
// thoroughly as what is left pays for; the first ones if not for all. One split has to do.
func (s *Search) tryLearning(ctx context.Context, name string, tried []candidate, features int) error {
	z := s.full(features)
	z.splits = 1
	grid := s.around(s.best.lambda, learnedSteps)
	left := s.available(features)
	var jobs []job
	var sum float64
	for _, c := range tried {
		once := s.cost(z, len(grid))
		c.effort = s.effortFor(c, z, left-once)
		cost := s.learningCost(c, z)
		if cost+once > left {
			if len(jobs) == 0 {
				s.skip(name, fmt.Sprintf("%d features take %.3g s to learn and %.3g are left", features, cost, max(0, left-once)))
				return nil
			}
			break
		}
		jobs = append(jobs, job{c, grid})
		left -= cost + once
		sum += cost
	}
	return s.challenge(ctx, name, jobs, z, sum)
}

package search

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/internal/learn"
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
	grid := s.around(s.best.lambda, 3)
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

// learningCost returns the estimated seconds of learning features, as the sampler
// counts what it does.
func (s *Search) learningCost(c candidate, z size) float64 {
	e := c.effort.preset()
	task := learn.Task{Rows: z.rows, In: s.in, Targets: s.targets, Features: z.features, Jumps: s.jumps}
	fits, work := e.Fits(task), 0.0
	if c.learned == "refined" {
		training, descent := e.Training(task, refineEpochs)
		fits, work = append(fits, training...), descent
	}
	for _, f := range fits {
		work += float64(f.Count * shape{s.in, s.targets, f.Features, f.Rows, f.Held, f.Lambdas, false}.work())
	}
	return seconds(work)
}

// preset returns what the sampler does with an effort.
func (e effort) preset() learn.Effort {
	p := learn.Fast
	if e == thorough {
		p = learn.Thorough
	}
	p.Most = e.rows()
	return p
}

package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/sampling"
)

// learners are samplers that learn features from the rows.
var learners = []string{"metric", "refined"}

// refineEpochs of the training of frequencies: three times the default of the
// sampler, since the search before it costs more than they do.
const refineEpochs = 60

// effort is how much work learning is.
type effort uint8

const (
	thorough effort = iota
	manyRows        // a fast search of the metric, on as many rows as a thorough one
	fast
)

// effortShare is the most of what is left that an effort may take: room for twice the
// features after a thorough one.
var effortShare = [...]float64{thorough: 0.6, manyRows: 1, fast: 1}

// rows to learn on. Of many rows refined features gain the most.
func (e effort) rows() int {
	if e == fast {
		return 8000
	}
	return 32000
}

// learn tries samplers that learn the features, and keeps one if held-out rows say
// so beyond the standard error.
func (s *search) learn(ctx context.Context) error {
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

// turning returns the kernel to learn with: one whose frequencies have no axes of
// their own, since a metric turns them.
func (s *search) turning(kernel int) int {
	if _, axes := s.Kernels[kernel].(rff.Laplacian); axes {
		for i, k := range s.Kernels {
			if _, ok := k.(rff.Gaussian); ok {
				return i
			}
		}
	}
	return kernel
}

// tryLearning tries the candidate, a learner, with that many features, as
// thoroughly as half of what is left pays for. One split has to do.
func (s *search) tryLearning(ctx context.Context, name string, c candidate, features int) error {
	z := s.full(features)
	z.splits = 1
	grid := s.around(s.best.lambda, 3)
	left := s.available(features) - s.cost(z, len(grid))
	c.effort = fast // of the metric, with which refined begins
	if c.learned == "refined" {
		for c.effort = thorough; c.effort < fast; c.effort++ {
			if may := left * effortShare[c.effort]; s.learningCost(c, z) <= may {
				break
			}
		}
	}
	cost := s.learningCost(c, z)
	if cost > left {
		s.skip(name, fmt.Sprintf("%d features take %.3g s to learn and %.3g are left", features, cost, max(0, left)))
		return nil
	}
	return s.challenge(ctx, name, []job{{c, grid}}, z, cost)
}

// learningCost returns the estimated seconds of learning features.
func (s *search) learningCost(c candidate, z size) float64 {
	small, fits, full := shape{train: 6000, features: 512}, 60, 28
	if c.effort != thorough {
		small, fits, full = shape{train: 4000, features: 256}, 45, 12
	}
	most := min(c.effort.rows(), z.rows)
	fit := func(rows, features int) float64 {
		rows = min(rows, most*4/5)
		return shape{s.in, s.targets, features, rows, most / 5, defaultFolds * 2, Float64}.work()
	}
	work := float64(float64(fits)*fit(small.train, small.features)) + float64(float64(full)*fit(most, z.features))
	if c.learned == "refined" {
		work += float64(4*fit(most, z.features)) + float64(refineEpochs*float64(most*4/5)*float64(z.features/2)*float64(4*s.in+6*s.targets+60))
	}
	return seconds(work)
}

// nothingLearned says that a learner found nothing better than plain features.
type nothingLearned struct{ outcome sampling.Outcome }

func (e *nothingLearned) Error() string { return e.outcome.String() }

// learnMap learns the features of a candidate from scaled rows. The error is a
// *nothingLearned if they are plain ones.
func (s *search) learnMap(ctx context.Context, e blas.Engine, c candidate, features int, rows *memory, sc inputScaling) (*made, error) {
	k, err := rff.WithBandwidth(s.Kernels[c.kernel], s.bandwidth(c))
	if err != nil {
		return nil, fmt.Errorf("krr: kernel %v: %w", s.Kernels[c.kernel], err)
	}
	metric := sampling.Metric{Base: sampling.Default(k.(rff.Stationary), s.in), Fast: c.effort != thorough, Rows: c.effort.rows(), Engine: e}
	var by rff.Sampler = metric
	if c.learned == "refined" {
		by = sampling.Refined{Metric: metric, Epochs: refineEpochs}
	}
	l, err := sampling.SampleLearned(ctx, by, k, s.in, features, rows.scaled(sc.Scaling), s.source())
	if err != nil {
		return nil, err
	}
	if l.Outcome != sampling.LearnedFeatures {
		return nil, &nothingLearned{l.Outcome}
	}
	return &made{l.Map.On(e), l.Importance}, nil
}

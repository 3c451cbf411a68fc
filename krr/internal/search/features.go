package search

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/sample"
	"github.com/rffgo/rff/sampling"
)

// draw makes the features of a candidate from scaled rows.
func (s *Search) draw(ctx context.Context, e blas.Engine, c candidate, features int, rows *sample.Rows, sc inputScaling) (*rff.Map, error) {
	k, err := rff.WithBandwidth(s.Kernels[c.kernel], s.bandwidth(c))
	if err != nil {
		return nil, fmt.Errorf("krr: kernel %v: %w", s.Kernels[c.kernel], err)
	}
	sampler := s.Sampler
	if c.landmarks {
		pick := landmarkPick
		if c.uniform {
			pick = "uniform"
		}
		sampler = sampling.Nystrom{Pick: pick, Engine: e}
	} else if sampler == nil {
		sampler = sampling.Default(k.(rff.Stationary), s.in)
	}
	m, err := sampler.Sample(ctx, k, s.in, features, rows.Scaled(sc.Scaling), s.source())
	if err != nil {
		return nil, err
	}
	return m.On(e), nil
}

// learnMap learns the features of a candidate from scaled rows. The error is a
// *nothingLearned if they are plain ones.
func (s *Search) learnMap(ctx context.Context, e blas.Engine, c candidate, features int, rows *sample.Rows, sc inputScaling) (*made, error) {
	k, err := rff.WithBandwidth(s.Kernels[c.kernel], s.bandwidth(c))
	if err != nil {
		return nil, fmt.Errorf("krr: kernel %v: %w", s.Kernels[c.kernel], err)
	}
	metric := c.effort.metric(s.width())
	metric.Base, metric.Diagonal, metric.Engine = sampling.Default(k.(rff.Stationary), s.in), c.diagonal, e
	var by rff.Sampler = metric
	if c.learned == "refined" {
		refined := sampling.Refined{Metric: metric, Epochs: c.effort.epochs()}
		if c.effort.wide() {
			refined.MetricRows = c.effort.metricRows()
		}
		by = refined
	}
	l, err := sampling.SampleLearned(ctx, by, k, s.in, features, rows.Scaled(sc.Scaling), s.source())
	if err != nil {
		return nil, err
	}
	if l.Outcome != sampling.LearnedFeatures {
		return nil, &nothingLearned{l.Outcome}
	}
	return &made{l.Map.On(e), l.Importance}, nil
}

// nothingLearned says that a learner found nothing better than plain features.
type nothingLearned struct{ outcome sampling.Outcome }

func (e *nothingLearned) Error() string { return e.outcome.String() }

// source of the draws of maps: the same for every candidate.
func (s *Search) source() rand.Source { return rand.NewPCG(s.Seed, 0x5bd1e995) }

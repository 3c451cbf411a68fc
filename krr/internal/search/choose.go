package search

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// Choose makes the features of the best candidate for a fit of all rows. The error is
// that of Learner.Check if there is no memory for the fit, or of the sampler.
func (s *Search) Choose(ctx context.Context) (*Choice, error) {
	features := s.final
	if err := s.learner.Check(features, s.n); err != nil {
		return nil, err
	}
	sc := s.scalings[s.best.scaling]
	c := &Choice{Sampler: s.samplerName(), Scaling: sc.Scaling, ScalingName: sc.name, Lambdas: s.grid, Learned: s.best.learned, Landmarks: s.best.landmarks, HardWeight: s.hardWeight}
	if l := s.best.made; l != nil { // on the rows of the first split, as measured
		c.Map, c.Importance = l.m.On(s.Engine), l.importance
	} else {
		m, err := s.draw(ctx, s.Engine, s.best.candidate, features, s.sample, sc)
		if err != nil {
			return nil, err
		}
		c.Map = m
	}
	if s.measured() {
		c.Lambda = s.best.lambda
	}
	c.Summary = fmt.Sprintf("%s, %d features: held-out error %.4g after %d steps of a budget of %v; %s",
		s.describe(s.best)+hardText(s.hardWeight), features, s.best.errors, len(s.report.Steps), s.Budget, s.report.Stopped)
	s.budget.left -= seconds(s.finalWork(features))
	if s.hardWeight > 0 {
		s.budget.left -= seconds(s.secondWork(s.hardShare))
	}
	if s.best.landmarks {
		s.budget.left -= s.landmarkCost(s.best.candidate, size{rows: int(s.n), features: features, splits: 1})
	}
	c.Estimated = duration(s.budget.whole - s.budget.left)
	return c, nil
}

// samplerName names the sampler of the best, "" if it is that of the settings.
func (s *Search) samplerName() string {
	switch {
	case s.best.learned != "":
		return s.best.learned
	case s.best.landmarks && s.best.uniform:
		return "nystrom"
	case s.best.landmarks:
		return "nystrom:pick=" + landmarkPick
	case s.Sampler != nil:
		return ""
	}
	return PlainSampler(s.Kernels[s.best.kernel], s.in)
}

// PlainSampler names the sampler that is the default for a kernel, as sampling.ByName knows it.
func PlainSampler(k rff.Stationary, in int) string {
	if sampling.Default(k, in) == (sampling.ORF{}) {
		return "orf"
	}
	return "rff"
}

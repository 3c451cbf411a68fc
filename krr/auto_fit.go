package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff"
)

// fit fits the choice of the search to all rows.
func (s *search) fit(ctx context.Context) (*Model, *AutoReport, error) {
	r, features := s.report, s.final
	if err := CheckMemory(s.in, features, s.targets, s.n, s.Settings); err != nil {
		return nil, nil, err
	}
	sc := s.scalings[s.best.scaling]
	var m *rff.Map
	var err error
	if l := s.best.made; l != nil { // on the rows of the first split, as measured
		m, r.Importance = l.m.On(s.Engine), l.importance
	} else if m, err = s.draw(ctx, s.Engine, s.best.candidate, features, s.sample, sc); err != nil {
		return nil, nil, err
	}
	r.Kernel, r.Features, r.Scaling, r.ScalingName, r.Learned = m.Kernel(), features, sc.Scaling, sc.name, s.best.learned
	r.Landmarks = s.best.landmarks && s.best.made == nil
	set := s.Settings
	set.Scaling = sc.Scaling
	switch {
	case s.Lambda != 0:
	case len(s.splits) > 0 && s.size.features == s.final && s.size.rows == s.splits[0].train.x.Rows:
		set.Lambda = s.best.lambda
	default: // no trial had the size of the fit
		set.Lambdas, r.AtEdge = s.grid, false
	}
	set.ClipPredictions = s.Classes == nil && !s.KeepUnclipped
	set.Probabilities = s.Classes != nil
	set.Provenance = map[string]string{
		"auto": fmt.Sprintf("%s, %d features: held-out error %.4g after %d steps of a budget of %v; %s",
			s.describe(s.best), features, s.best.errors, len(r.Steps), s.Budget, r.Stopped),
	}
	for k, v := range s.Provenance {
		set.Provenance[k] = v
	}
	s.budget.left -= seconds(s.finalWork(features))
	if s.best.landmarks {
		s.budget.left -= s.landmarkCost(size{rows: int(s.n), features: features, splits: 1})
	}
	r.Estimated = duration(s.budget.whole - s.budget.left)
	model, fitted, err := Fit(ctx, m, s.data, set)
	if err != nil {
		return nil, nil, err
	}
	r.Fit = fitted
	return model, r, nil
}

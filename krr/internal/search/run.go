package search

import (
	"context"
	"fmt"
	"time"

	"github.com/rffgo/rff"
)

// New reads the rows that the choice rests on. Beside the errors of the Learner there
// are a *rff.DegenerateDataError for data without rows and a *rff.ValueError for a
// value too far from the others.
func New(ctx context.Context, data rff.Source, learner Learner, a Settings) (*Search, error) {
	s := &Search{Settings: a, learner: learner, engine: a.Engine, tried: map[key]bool{}}
	s.budget = newBudget(&s.Settings)
	s.in, s.targets = data.Schema().Dims()
	if s.targets < 1 {
		return nil, &rff.ParameterError{Name: "targets", Value: s.targets, Need: "learning needs a target column"}
	}
	var err error
	if s.sample, s.n, err = learner.Sample(ctx, a.searchRows(s.in, s.targets)); err != nil {
		return nil, err
	}
	s.sample.Labels = s.Classes
	s.jumps = s.sample.HasFlags()
	s.grid = s.lambdas()
	s.report = &Report{Rows: s.n, Searched: s.sample.X.Rows, LeastLambda: s.grid[0]}
	if s.Scaling.IsIdentity() {
		s.scalings = scalings(s.sample)
	} else {
		s.scalings = []inputScaling{{"given", s.Scaling}}
	}
	for _, sc := range s.scalings {
		m, err := s.sample.MedianDistances(s.Kernels, sc.Scaling, s.Seed)
		if err != nil {
			return nil, err
		}
		s.medians = append(s.medians, m)
	}
	return s, nil
}

// lambdas returns the grid of λ: to 10⁻¹² in float64. In float32 ZᵀZ has a
// relative error of 2·10⁻⁷, so that a λ below 10⁻⁸ would fit rounding errors.
func (s *Search) lambdas() []float64 {
	if s.Lambdas != nil {
		return s.Lambdas
	}
	grid := []float64{1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
	if s.Float32 {
		grid = grid[4:]
	}
	return grid
}

// Run searches. It calls advance, on any worker, with shares of the budget.
func (s *Search) Run(ctx context.Context, advance func(share float64)) (*Report, error) {
	begin := time.Now()
	s.advance = advance
	defer func() {
		s.report.Elapsed, s.report.Error, s.report.Late = time.Since(begin), s.best.errors, s.budget.late
		s.report.AtEdge = s.best.lambda == s.grid[0] && len(s.grid) > 1
	}()
	s.final = s.features(int(s.n))
	varies := s.targetRanges()
	if s.sample.X.Rows < leastSearched || !varies {
		s.report.Stopped = fmt.Sprintf("%d rows are too few to search on", s.n)
		if !varies {
			s.report.Stopped = "the target is the same in all rows"
		}
		return s.report, nil
	}
	s.splits = Splits(s.sample, s.Seed)
	if len(s.splits) == 0 {
		s.report.Stopped = "all rows share a fold: none can be held out"
		return s.report, nil
	}
	steps := []func(context.Context) error{s.halve, s.climb, s.landmarks, s.learn, s.grow}
	switch {
	case s.large():
		steps = []func(context.Context) error{s.halve, s.climb, s.learn, s.landmarks, s.grow}
	case s.wide():
		steps = []func(context.Context) error{s.halve, s.climb, s.landmarks, s.growFirst, s.learn}
	}
	for _, step := range steps {
		if s.report.Stopped != "" {
			break
		}
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.weighHard(ctx); err != nil {
		return nil, err
	}
	if s.report.Stopped == "" {
		s.report.Stopped = "nothing that was left to try fits the budget"
	}
	return s.report, nil
}

// features returns the number of features that the search ends at, before it takes
// more: a few trials of them and the final fit take less than half of the budget.
func (s *Search) features(rows int) int {
	if s.Features > 0 {
		return s.Features
	}
	f := 256
	for 2*f <= 1024 && 2*f <= max(256, rows/4) {
		z := shape{s.in, s.targets, 2 * f, min(rows, s.sample.X.Rows) * 4 / 5, mostHeldOut / 4, 3, s.Float32}
		if seconds(float64(6*z.work())+s.finalWork(2*f)) > 0.4*s.budget.left {
			break
		}
		f *= 2
	}
	for f > 32 && seconds(2*s.finalWork(f)) > s.budget.left {
		f /= 2
	}
	return f
}

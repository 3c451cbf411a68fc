package krr

import (
	"context"
	"fmt"

	"github.com/rffgo/rff/sampling"
)

// learners are samplers that learn features from the rows, each from what the one
// before it starts from.
var learners = []string{"metric", "refined"}

// learn tries samplers that learn the features, and keeps one if held-out rows say
// so beyond the standard error.
func (s *search) learn(ctx context.Context) error {
	if s.Sampler != nil || s.size != s.full(s.final) {
		return nil
	}
	for _, name := range learners {
		if _, err := sampling.ByName(name); err != nil {
			continue // this build has none
		}
		if s.stop() {
			return nil
		}
		c := s.best.candidate
		c.learned = name
		learning := s.learningCost(name, s.size)
		grid := s.around(s.best.lambda, 3)
		if cost := learning + s.cost(s.size, len(grid)); cost > s.available(s.final) {
			s.skip(name, fmt.Sprintf("it takes %.3g s and %.3g are left", cost, s.available(s.final)))
			continue
		}
		if err := s.challenge(ctx, name, job{c, grid}, s.size, learning); err != nil {
			return err
		}
	}
	return nil
}

// skip reports a step that does not fit the budget.
func (s *search) skip(name, why string) {
	s.report.Steps = append(s.report.Steps, AutoStep{Name: name, Why: why})
}

// challenge tries one candidate and keeps it if it is better than the best by more
// than the standard error.
func (s *search) challenge(ctx context.Context, name string, j job, z size, extra float64) error {
	before := s.best
	trials, err := s.step(ctx, name, []job{j}, z, extra)
	if err != nil {
		return err
	}
	step, t := s.last(), trials[0]
	step.Gain, step.StdErr = gain(before, t)
	switch {
	case t.err != nil:
		step.Why = t.err.Error()
	case step.Gain > step.StdErr:
		s.best, s.size, step.Kept = t, z, true
		s.final = max(s.final, z.features)
	case step.Gain > 0:
		step.Why = fmt.Sprintf("the gain, %.2g ± %.2g, is within its standard error", step.Gain, step.StdErr)
	default:
		step.Why = "held-out rows are no better off"
	}
	return nil
}

// learningCost returns the estimated seconds of learning features on every split.
func (s *search) learningCost(name string, z size) float64 {
	small := shape{s.in, s.targets, 256, min(4000, z.rows), min(1000, z.valid), len(s.grid), s.Precision}.work()
	whole := shape{s.in, s.targets, z.features, min(6000, z.rows), min(1500, z.valid), len(s.grid), s.Precision}.work()
	work := 10*small + 13*whole
	if name == "refined" {
		const steps, batch = 2000, 256
		f := float64(z.features) / 2
		work += steps*batch*f*float64(4*s.in+6*s.targets+60) + 3*whole
	}
	return float64(z.splits+1) * seconds(work) // and once more for the final fit
}

// grow doubles the features for as long as the held-out error falls beyond its
// standard error and the budget lasts.
func (s *search) grow(ctx context.Context) error {
	if s.Features > 0 || s.size != s.full(s.final) {
		return nil
	}
	for {
		z := s.size
		z.features *= 2
		if z.features > 2*int(s.n) {
			s.report.Stopped = "there are no more features than rows to take"
			return nil
		}
		j := job{s.best.candidate, s.around(s.best.lambda, 2)}
		cost := s.cost(z, len(j.grid))
		var learning float64
		if j.learned != "" {
			learning = s.learningCost(j.learned, z)
		}
		if cost+learning > s.available(z.features) {
			s.skip("features", fmt.Sprintf("%d take %.3g s, with the fit, and %.3g are left", z.features, cost+learning+seconds(s.finalWork(z.features)), s.budget.left))
			return nil
		}
		if s.stop() {
			return nil
		}
		if err := CheckMemory(s.in, z.features, s.targets, s.n, s.Settings); err != nil {
			s.skip("features", err.Error())
			return nil
		}
		if err := s.challenge(ctx, "features", j, z, learning); err != nil {
			return err
		}
		if !s.last().Kept {
			s.report.Stopped = fmt.Sprintf("%d features are no better than %d", z.features, s.size.features)
			return nil
		}
	}
}

package search

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/rffgo/rff"
)

// secondSolution is a way to solve a fit again: hard rows count so often, and λ is so many
// times that of the best before, whose rows all counted alike.
type secondSolution struct{ weight, lambda float64 }

var hardWeights = []float64{2, 4, 10}

// hardLambdas are the λ of second solutions, times the best before: rows that count more
// make fewer of them decide. A grid that was given stays as it is.
func (s *Search) hardLambdas() []float64 {
	if s.Lambdas != nil {
		return []float64{1}
	}
	return []float64{1, 10}
}

// weighHard tries to solve the best fit a second time, with hard rows counted more
// often, and keeps the best weight if held-out rows say so beyond the standard error.
func (s *Search) weighHard(ctx context.Context) error {
	if s.Classes == nil || s.HardWeight != 0 || !s.measured() || s.best.err != nil || s.budget.over(len(s.report.Steps)) {
		return nil
	}
	z := s.size
	cost, share := s.hardCost(z), s.best.hardShare()
	if again := cost + seconds(s.secondWork(share)); again > s.available(s.final) {
		s.skip("hard rows", fmt.Sprintf("a second solution takes %.3g s and %.3g are left", again, max(0, s.available(s.final))))
		return nil
	}
	begin := time.Now()
	t, by, err := s.tryHard(ctx, z)
	if err != nil {
		return err
	}
	s.budget.left -= cost
	step := Step{Name: "hard rows", Candidates: len(s.hardLambdas()) * len(hardWeights), Rows: z.rows, HeldOut: len(t.loss), Features: z.features,
		Best: fmt.Sprintf("λ %.0e%s", t.lambda, hardText(by.weight)), Error: t.errors, Estimated: duration(cost)}
	if t.err == nil {
		step.Gain, step.StdErr = gain(s.best, t)
	}
	switch {
	case t.err != nil:
		step.Best, step.Why = "", t.err.Error()
	case beyond(step.Gain, step.StdErr):
		s.best, s.hardWeight, s.hardShare, step.Kept = t, by.weight, share, true
	default:
		step.Why = notKept(step.Gain, step.StdErr)
	}
	step.Elapsed = time.Since(begin)
	s.report.Steps = append(s.report.Steps, step)
	return nil
}

// hardText says how often hard rows count, if that is more than once.
func hardText(weight float64) string {
	if weight == 0 {
		return ""
	}
	return fmt.Sprintf(", hard rows count %g times", weight)
}

// hardShare returns the share of the held-out rows that are hard: those with a loss, which
// begins at the margin at which rows are hard.
func (t *trial) hardShare() float64 {
	n := 0
	for _, v := range t.loss {
		if v > 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(t.loss)))
}

// secondWork is that of a second solution of the final fit: the margins of all rows, and
// the sums of that share of them.
func (s *Search) secondWork(share float64) float64 {
	return shape{s.in, s.targets, s.final, int(share * float64(s.n)), int(s.n), 1, s.Float32}.work()
}

// hardCost returns the estimated seconds of trying second solutions: sums of all rows,
// solutions by Cholesky factors, and a pass for the margins of each λ.
func (s *Search) hardCost(z size) float64 {
	f, t, n := float64(z.features), float64(s.targets), float64(z.rows)
	solve := float64(f * f * (float64(f/4) + t))
	margins := float64(n * f * (float64(float64(s.in+20)/2) + t))
	lambdas := float64(len(s.hardLambdas()))
	ways := float64(lambdas * float64(1+len(hardWeights)))
	return s.costOf(s.best.candidate, z, 1) + float64(float64(z.splits)*seconds(float64(ways*solve)+float64(lambdas*margins)))
}

// measured reports whether the best was tried on all rows with the features of the
// final fit, so that its λ is that of the fit.
func (s *Search) measured() bool {
	return len(s.splits) > 0 && s.size.features == s.final && s.size.rows == s.splits[0].Train.X.Rows
}

// tryHard measures second solutions of the best, and returns the best of them and how it
// was made.
func (s *Search) tryHard(ctx context.Context, z size) (t trial, by secondSolution, err error) {
	var ways []secondSolution
	var lambdas []float64
	for _, l := range s.hardLambdas() {
		lambdas = append(lambdas, l*s.best.lambda)
		for _, w := range hardWeights {
			ways = append(ways, secondSolution{w, l})
		}
	}
	all, wrong := make([][]float64, len(ways)), make([]float64, len(ways))
	sc := s.scalings[s.best.scaling]
	for i := range z.splits {
		sp := &s.splits[i]
		train, valid := sp.Train.Head(z.rows), sp.Valid.Head(z.valid)
		var m *rff.Map
		if s.best.made != nil {
			m = s.best.made.m.On(s.engine)
		} else {
			m, err = s.draw(ctx, s.engine, s.best.candidate, z.features, train, sc)
		}
		if err == nil {
			err = s.learner.Harder(ctx, m, sc.Scaling, train, lambdas, hardWeights, valid.X, s.lossesOf(valid, all, wrong))
		}
		if err := ctx.Err(); err != nil {
			return trial{}, by, err
		}
		if unusable(err) {
			return failed(s.best.candidate, err), by, nil
		}
		if err != nil {
			return trial{}, by, err
		}
	}
	t, at := s.least(trial{candidate: s.best.candidate, mean: math.Inf(1), made: s.best.made}, all, wrong)
	t.lambda = ways[at].lambda * s.best.lambda
	return t, ways[at], nil
}

package search

import (
	"context"
	"testing"

	"github.com/rffgo/rff/krr/internal/sample"
)

// atFinal returns a search that has come to the features of the final fit.
func atFinal(rows, in, targets int) *Search {
	s := sized(rows, in)
	s.targets, s.final, s.report = targets, 1024, &Report{}
	s.grid = s.lambdas()
	part := func(n int) *sample.Rows {
		r := &sample.Rows{}
		r.X.Rows = n
		return r
	}
	s.splits = []Split{{part(rows * 4 / 5), part(rows / 5)}}
	s.size = s.full(s.final)
	return s
}

// With more inputs than frequencies a search costs more than the sums of its features:
// fewer candidates go on to more rows.
func TestSurvivorsOfManyInputs(t *testing.T) {
	next := size{8000, 4000, 512, 1}
	share := func(in int) float64 {
		s := atFinal(21000, in, 10)
		var trials []trial
		for e := lowExponent; e <= highExponent; e++ {
			for scaling := range 16 {
				trials = append(trials, trial{candidate: candidate{scaling: scaling, exponent: e}, mean: float64(len(trials))})
			}
		}
		n := len(s.survivors(trials, next, false))
		return float64(n) * s.cost(next, 3) / s.budget.whole
	}
	few, many := share(500), share(600)
	if many > 0.05 || few < 0.08 || few > 0.12 {
		t.Errorf("survivors take %.3f of the budget with 500 inputs, %.3f with 600", few, many)
	}
}

// That more features are no better ends their growth and nothing else, unless no step may
// follow.
func TestGrowFirst(t *testing.T) {
	for steps, want := range map[int]string{0: "", 1: "no better"} {
		s := atFinal(21000, 600, 10)
		s.Features = s.final // they are given: there is nothing to grow
		s.budget.steps, s.report.Steps, s.report.Stopped = steps, make([]Step, 1), "no better"
		if err := s.growFirst(context.Background()); err != nil || s.report.Stopped != want {
			t.Errorf("%d steps at most: %q, %v", steps, s.report.Stopped, err)
		}
	}
}

// A second solution costs what its hard rows do, and a pass for the margins of all.
func TestSecondWork(t *testing.T) {
	b := trial{loss: []float64{0, 0.25, 0, 1}}
	if got := b.hardShare(); got != 0.5 {
		t.Errorf("a share of %v is hard", got)
	}
	if got := (&trial{}).hardShare(); got != 0 {
		t.Errorf("of no rows %v are hard", got)
	}
	s := atFinal(400000, 100, 1)
	none, all := s.secondWork(0), s.secondWork(1)
	n, f := float64(s.n), float64(s.final)
	if pass := n * f / 2 * 120; none < pass || none > 1.1*pass {
		t.Errorf("%.3g multiply-adds without a hard row, a pass has %.3g", none, pass)
	}
	if gram := n * f * f / 2; all-none < gram || all-none > 1.3*gram {
		t.Errorf("%.3g multiply-adds more where all are hard, their sums take %.3g", all-none, gram)
	}
}

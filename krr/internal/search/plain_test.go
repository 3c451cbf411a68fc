package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr/internal/sample"
)

// scripted is a Learner whose fits predict what they are told to.
type scripted struct {
	Learner // of which nothing else is called
	scores  []float64
	err     error
}

func (l *scripted) Path(_ context.Context, _ *rff.Map, _ rff.Scaling, _ *sample.Rows, grid []float64, x blas.General[float64], each func(int, []float64)) error {
	if l.err != nil {
		return l.err
	}
	for i := range x.Rows {
		each(i, slices.Repeat(l.scores[i:i+1], len(grid)))
	}
	return nil
}

// Learned features kept for being more give way to as many plain ones, unless they are
// better by more than chance, or plain ones are of no use, or there is no budget.
func TestPlainInstead(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(1, 1))
	y, good, equal, bad := blas.NewGeneral[float64](n, 1), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		y.Row(i)[0] = float64(1 - 2*(i%2))
		good[i] = 0.3 * y.Row(i)[0]
		equal[i] = good[i] + 0.1*rng.NormFloat64()
		bad[i] = 0.1 * y.Row(i)[0]
	}
	for name, c := range map[string]struct {
		scores []float64
		err    error
		left   float64
		want   bool
	}{
		"equal":  {equal, nil, 30, true},
		"better": {good, nil, 30, true},
		"worse":  {bad, nil, 30, false},
		"none":   {nil, &Unsolved{context.DeadlineExceeded}, 30, false},
		"late":   {equal, nil, 0, false},
	} {
		s := sized(64000, 2)
		s.Classes, s.learner = []string{"a", "b"}, &scripted{scores: c.scores, err: c.err}
		s.advance, s.report, s.tried, s.engine = func(float64) {}, &Report{}, map[key]bool{}, blas.Engine{Workers: 1}
		s.scalings, s.medians, s.grid = []inputScaling{{}}, [][]float64{{1}}, []float64{1e-3}
		rows := &sample.Rows{X: blas.NewGeneral[float64](n, 2), Y: y, Index: make([]int64, n)}
		s.splits = []Split{{rows, rows}}
		s.final, s.size, s.budget.left = 64, s.full(64), c.left
		learned := trial{candidate: candidate{learned: "refined"}, mean: 0.2, loss: slices.Repeat([]float64{0.2}, n)} // of good
		s.best = learned
		if err := s.plainInstead(context.Background(), trial{lambda: 1e-3}); err != nil {
			t.Fatal(err)
		}
		if got := s.best.learned == ""; got != c.want || (got && s.plain.loss == nil) {
			t.Errorf("%s: plain features %v, want %v: %+v", name, got, c.want, s.report.Steps)
		}
		if steps := len(s.report.Steps); (c.left > 0) != (steps == 1 && s.last().Kept == c.want) {
			t.Errorf("%s: %+v", name, s.report.Steps)
		}
	}
}

package race

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/internal/trial"
	"github.com/rffgo/rff/sampling"
)

// Two draws are the first, and beside it other frequencies of its metric that are trained twice as
// long.
func TestDraws(t *testing.T) {
	rows := waves(400, 0.05)
	for i := range rows.X.Rows {
		rows.Y.Row(i)[0] = math.Sin(3 * rows.X.Row(i)[0]) // whatever the other input is
	}
	r, ctx := begun(t, rows, Settings{Budget: time.Minute}), context.Background()
	s := sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: 300}, Epochs: 3}
	train := r.splits[0].Train
	c := candidate{kind: learned, sampler: s, draws: 1}
	both, _, err := r.sampled(ctx, r.engine, c, 64, 0, train, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := inside.Widened(r.Kernels[0], r.bandwidth(c))
	q := rff.Request{Kernel: k, Dim: r.in, Features: 32, Data: train.Scaled(r.scalings[0].Scaling), Rand: r.source(0), Engine: r.Settings.Engine}
	first, err := sampling.SampleLearned(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, q.Rand = 6, r.source(1)
	another, err := hook.Another(ctx, first, s, q)
	if err != nil {
		t.Fatal(err)
	}
	second := another.(*sampling.Learned)
	if want := slices.Concat(inside.Spec(first.Map).W.Data, inside.Spec(second.Map).W.Data); !slices.Equal(inside.Spec(both).W.Data, want) {
		t.Errorf("frequencies %v, want %v", inside.Spec(both).W.Data, want)
	}
}

// The first draw decides whether further ones are trained. On a wave along one of ten inputs, in much
// noise, training is of no use.
func TestUntrainedDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := &trial.Rows{X: blas.NewGeneral[float64](500, 10), Y: blas.NewGeneral[float64](500, 1), Low: slices.Repeat([]float64{-5}, 10), High: slices.Repeat([]float64{5}, 10)}
	for i := range rows.X.Rows {
		for j := range rows.X.Cols {
			rows.X.Row(i)[j] = rng.NormFloat64()
		}
		rows.Y.Row(i)[0] = math.Sin(rows.X.Row(i)[0]) + 2*rng.NormFloat64()
		rows.Index = append(rows.Index, int64(i))
	}
	r, ctx := begun(t, rows, Settings{Budget: time.Minute}), context.Background()
	c := candidate{kind: learned, sampler: sampling.Refined{Metric: sampling.Metric{Fast: true, Rows: 400}, Epochs: 40}}
	train := r.splits[0].Train
	_, first, err := r.sampled(ctx, r.engine, c, 64, 0, train, nil)
	if err != nil || !first.Untrained {
		t.Fatalf("the test needs a training that is of no use: %+v, %v", first, err)
	}
	for draws := 1; draws <= 4; draws++ { // some of these trainings are of use
		c.draws = draws
		for _, untrained := range []bool{true, false} {
			beside := *first
			beside.Untrained = untrained
			_, both, err := r.sampled(ctx, r.engine, c, 64*(draws+1), 0, train, &beside)
			if err != nil {
				t.Fatal(err)
			}
			if both.Untrained != untrained || (len(both.History) == 0) != untrained {
				t.Errorf("after a draw with Untrained %v it is %v, with %d fits", untrained, both.Untrained, len(both.History))
			}
		}
	}
}

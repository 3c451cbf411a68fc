package race

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
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
	second, err := first.Another(ctx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Concat(inside.Spec(first.Map).W.Data, inside.Spec(second.Map).W.Data); !slices.Equal(inside.Spec(both).W.Data, want) {
		t.Errorf("frequencies %v, want %v", inside.Spec(both).W.Data, want)
	}
}

package sampling_test

import (
	"context"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// slow is a program's own sampler, which says its work.
type slow struct{ sampling.MonteCarlo }

func (slow) Work(rows, inputs, targets, features int) float64 {
	return float64(1000*rows + 100*inputs + 10*targets + features)
}

func (s slow) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return s.MonteCarlo.Sample(ctx, r)
}

// A search counts the work of a program's own sampler as that says it.
func TestOwnWork(t *testing.T) {
	task := inside.Task{Rows: 5, In: 4, Targets: 3, Features: 2}
	if w := inside.Work(slow{}, task); w != 5432 {
		t.Errorf("%v multiply-adds", w)
	}
	if w := inside.Work(sampling.MonteCarlo{}, task); w != 0 {
		t.Errorf("random draws: %v multiply-adds", w)
	}
	if w := inside.Work(sampling.Metric{}, task); !(w > 0) {
		t.Errorf("metric: %v multiply-adds", w)
	}
	task.Another = true
	if w := inside.Work(sampling.Metric{}, task); w != 0 {
		t.Errorf("another draw for a known metric: %v multiply-adds", w)
	}
}

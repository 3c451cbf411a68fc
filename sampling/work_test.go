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
	// The roots of average gradients grow with d³, for Refined too, and a scale per input has none.
	task = inside.Task{Rows: 80, In: 2000, Targets: 1, Features: 256}
	scales := sampling.Metric{Fast: true, Diagonal: true}
	for _, s := range [][2]rff.Sampler{{sampling.Metric{Fast: true}, scales}, {sampling.Refined{Metric: sampling.Metric{Fast: true}}, sampling.Refined{Metric: scales}}} {
		if more := inside.Work(s[0], task) - inside.Work(s[1], task); !(more > 4*2000*2000*2000) {
			t.Errorf("%T: the roots of 2,000 inputs count as %g", s[0], more)
		}
	}
	// Another draw for a known metric reads the rows, and no more.
	task.Another = true
	read := inside.Work(sampling.Metric{}, task)
	once := task
	if once.Features = 2; inside.Work(sampling.Refined{Epochs: 1}, once) < read {
		t.Error("training reads no rows")
	}
	task.Rows *= 10
	if ten := inside.Work(sampling.Metric{}, task); !(read > 0 && read < 2000*2000*2000 && ten == 10*read) {
		t.Errorf("another draw for a known metric: %v multiply-adds, and %v for ten times the rows", read, ten)
	}
}

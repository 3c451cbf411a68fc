package sampling

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
)

// Another draw has the metric and the bandwidth of the first, frequencies of its own, and errors
// like those of the first, without a search.
func TestAnotherDraw(t *testing.T) {
	const dim, features = 4, 64
	ctx := context.Background()
	data := planted(1500, dim, func(x []float64, _ *rand.Rand) []float64 { return []float64{math.Sin(2*x[0]+x[1]) * x[2]} })
	ask := func(seed uint64) rff.Request {
		return rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(seed, 2)}
	}
	least := func(l *Learned, what string) float64 {
		e := math.Inf(1)
		for _, a := range l.History {
			if a.Full && strings.HasPrefix(a.What, what) {
				e = min(e, a.Error)
			}
		}
		return e
	}
	for _, s := range []rff.Sampler{Metric{Fast: true}, Refined{Metric: Metric{Fast: true}, Epochs: 12}} {
		first, err := SampleLearned(ctx, s, ask(1))
		if err != nil || first.Outcome != gained {
			t.Fatalf("%T: %v, %v", s, first, err)
		}
		other, err := first.another(ctx, s, ask(2))
		if err != nil || other.Outcome != gained || first.Untrained || other.Untrained {
			t.Fatalf("another of %T: %v, %v", s, other, err)
		}
		// Standard deviations of 1,200 rows of 1,500 each differ by some 2 %.
		if other.Bandwidth != first.Bandwidth || !near(first.Transform, other.Transform, 0.1) {
			t.Errorf("%T: bandwidths %v and %v, metrics %v and %v", s, first.Bandwidth, other.Bandwidth, first.Transform, other.Transform)
		}
		if slices.Equal(inside.Spec(first.Map).W.Data, inside.Spec(other.Map).W.Data) {
			t.Errorf("%T: another draw has the same frequencies", s)
		}
		if slices.ContainsFunc(other.History, func(a Attempt) bool {
			return !strings.HasPrefix(a.What, "epoch") && !strings.HasPrefix(a.What, "pilot")
		}) {
			t.Errorf("%T searched again: %v", s, other.History)
		}
		if len(other.Eigenvalues) != dim || len(other.Importance) != dim || math.Abs(other.Importance[0]-first.Importance[0]) > 0.05 {
			t.Errorf("%T: importance %v and %v, eigenvalues %v", s, first.Importance, other.Importance, other.Eigenvalues)
		}
		third, err := other.another(ctx, s, ask(2))
		if err != nil || !slices.Equal(inside.Spec(third.Map).W.Data, inside.Spec(other.Map).W.Data) {
			t.Errorf("%T: a draw from the same numbers is another one: %v", s, err)
		}
		if _, ok := s.(Refined); ok {
			plain, one, two := least(first, "inputs as given"), least(first, "epoch"), least(other, "epoch")
			if !(two < 2*one && two < plain/4) {
				t.Errorf("errors: plain %.4f, first %.4f, another %.4f", plain, one, two)
			}
		}
	}
}

// A metric of other inputs is refused, and where there was none for want of rows, there is a search.
func TestAnotherOfOtherRows(t *testing.T) {
	ctx, s := context.Background(), Refined{Metric: Metric{Fast: true}, Epochs: 3}
	ask := func(rows, dim int) rff.Request {
		data := planted(rows, dim, func(x []float64, _ *rand.Rand) []float64 { return []float64{math.Sin(2 * x[0])} })
		return rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 32, Data: data, Rand: rand.NewPCG(1, 2)}
	}
	few, err := SampleLearned(ctx, s, ask(30, 3))
	if err != nil || few.Outcome != fewRows {
		t.Fatal(few, err)
	}
	l, err := few.another(ctx, s, ask(900, 3))
	if err != nil || l.Outcome != gained {
		t.Fatal(l, err)
	}
	_, err = l.another(ctx, s, ask(900, 4))
	if p := (*rff.ParameterError)(nil); !errors.As(err, &p) || p.Name != "dim" {
		t.Error(err)
	}
}

// Where trained frequencies do no better than those of the metric, another draw has frequencies of
// the metric, and nothing is trained. A wave along one of ten inputs, in much noise, is such a case.
func TestAnotherUntrained(t *testing.T) {
	ctx, metric := context.Background(), Metric{Fast: true}
	data := planted(400, 10, func(x []float64, rng *rand.Rand) []float64 { return []float64{math.Sin(x[0]) + 2*normal(rng)} })
	ask := func(seed uint64) rff.Request {
		return rff.Request{Kernel: rff.NewGaussian(), Dim: 10, Features: 64, Data: data, Rand: rand.NewPCG(seed, 2)}
	}
	s := Refined{Metric: metric, Epochs: 40}
	first, err := SampleLearned(ctx, s, ask(1))
	if err != nil || !first.Untrained {
		t.Fatalf("the test needs a training that is of no use: %+v, %v", first, err)
	}
	other, err := first.another(ctx, s, ask(2))
	if err != nil || !other.Untrained || len(other.History) > 0 {
		t.Fatalf("%+v, %v", other, err)
	}
	want, err := first.another(ctx, metric, ask(2))
	if err != nil || !slices.Equal(inside.Spec(want.Map).W.Data, inside.Spec(other.Map).W.Data) || want.Untrained {
		t.Errorf("frequencies %v, want those of the metric, %v, %v", inside.Spec(other.Map).W.Data, inside.Spec(want.Map).W.Data, err)
	}
}

// near reports whether b differs from a by less than a share of its norm.
func near(a, b rff.Matrix, share float64) bool {
	var d, norm float64
	for i := range a.Rows {
		for j := range a.Cols {
			d += (a.Row(i)[j] - b.Row(i)[j]) * (a.Row(i)[j] - b.Row(i)[j])
			norm += a.Row(i)[j] * a.Row(i)[j]
		}
	}
	return d < share*share*norm
}

// Where nothing is learned, another draw has plain features too.
func TestAnotherPlainDraw(t *testing.T) {
	ctx := context.Background()
	data := planted(800, 3, func(_ []float64, rng *rand.Rand) []float64 { return []float64{normal(rng)} })
	for _, base := range []rff.Sampler{nil, ORF{}} {
		ask := rff.Request{Kernel: rff.NewGaussian(), Dim: 3, Features: 32, Data: data, Rand: rand.NewPCG(1, 2)}
		s := Metric{Fast: true, Base: base}
		first, err := SampleLearned(ctx, s, ask)
		if err != nil || first.Outcome != noGain {
			t.Fatalf("%v, %v", first, err)
		}
		other, err := first.another(ctx, s, ask)
		if err != nil || other.Outcome != noGain || !(math.Abs(other.Bandwidth/first.Bandwidth-1) < 0.1) || other.Map.Kernel() == nil {
			t.Errorf("%+v after %+v: %v", other, first, err)
		}
	}
}

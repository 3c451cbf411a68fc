package sampling

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
)

// The frequencies are trained on all rows, whatever the search for the metric saw of
// them: a noisy function of two inputs is learned better from 8000 rows than from 600.
func TestRefinedMetricRows(t *testing.T) {
	const dim, features = 8, 64
	data := planted(8000, dim, func(x []float64, rng *rand.Rand) []float64 {
		return []float64{math.Sin(2*x[0]+x[1]) + math.Sin(3*x[1]-x[2]) + 0.5*normal(rng)}
	})
	best := func(s Refined) (l *Learned, least float64) {
		t.Helper()
		l, err := SampleLearned(context.Background(), s, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(err)
		}
		least = math.Inf(1)
		for _, a := range l.History {
			if strings.HasPrefix(a.What, "epoch") {
				least = min(least, a.Error)
			}
		}
		return l, least
	}
	all := Metric{Fast: true, Rows: 8000}
	few, errFew := best(Refined{Metric: Metric{Fast: true, Rows: 600}, Epochs: 12})
	l, err := best(Refined{Metric: all, Epochs: 12, MetricRows: 750})
	if few.Rows != 600 || l.Rows < 6000 {
		t.Fatalf("learned on %d and %d rows", few.Rows, l.Rows)
	}
	if !(err < 0.9*errFew) {
		t.Errorf("held-out error %.4f of %d rows, %.4f of %d", err, l.Rows, errFew, few.Rows)
	}
	same, errSame := best(Refined{Metric: all, Epochs: 12, MetricRows: 8000})
	if whole, errWhole := best(Refined{Metric: all, Epochs: 12}); errSame != errWhole || same.Bandwidth != whole.Bandwidth || err == errWhole {
		t.Errorf("errors %v with as many rows as there are, %v without a number, %v with few", errSame, errWhole, err)
	}
	_, refusal := SampleLearned(context.Background(), Refined{Metric: all, MetricRows: -1}, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: features, Data: data, Rand: rand.NewPCG(1, 2)})
	if p := (*rff.ParameterError)(nil); !errors.As(refusal, &p) || p.Name != "metric rows" {
		t.Errorf("−1 rows: %v", refusal)
	}
}

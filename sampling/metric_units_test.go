package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/learn"
)

// TestLearnedMapIsTheOneJudged: inputs have units of their own and are learned on in
// standard deviations. The frequencies of the map, taken back to those units, have the
// error on the rows held out that the search reports for what it chose.
func TestLearnedMapIsTheOneJudged(t *testing.T) {
	const dim = 4
	data := planted(500, dim, func(x []float64, rng *rand.Rand) []float64 {
		y := math.Sin(2*x[0]+x[1]) + math.Sin(2*x[1]-x[0])
		for j, unit := range []float64{1000, 0.01, 3, 1} {
			x[j] = x[j]*unit + 5*unit
		}
		return []float64{y}
	})
	metric := Metric{Fast: true}
	for _, s := range []rff.Sampler{metric, Metric{Fast: true, Diagonal: true}, Refined{Metric: metric, Epochs: 12}} {
		l, err := SampleLearned(context.Background(), s, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 40, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(err)
		}
		lowest := math.Inf(1)
		for _, a := range l.History {
			if a.Full {
				lowest = min(lowest, a.Error)
			}
		}
		again, err := metric.begin(context.Background(), "metric", rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 40, Data: data, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := again.problem.Fit(context.Background(), learn.Transform{Scale: again.rows.given}.Frequencies(again.q.engine, inside.Spec(l.Map).W, 1))
		if err != nil {
			t.Fatal(err)
		}
		// λ down to 10⁻⁹ leaves some seven digits of the rounding of the units.
		if l.Outcome != gained || !(math.Abs(fit.Error-lowest) <= 1e-6*lowest) {
			t.Errorf("%T: %v with error %g, the search says %g", s, l.Outcome, fit.Error, lowest)
		}
	}
}

// TestRefinedFarEnds: single values far away do not keep the training from gaining.
func TestRefinedFarEnds(t *testing.T) {
	const dim = 4
	row := 0
	data := planted(900, dim, func(x []float64, rng *rand.Rand) []float64 {
		y := math.Sin(3*x[0]*x[1]) + math.Sin(2*x[2]+x[3])
		if row++; row%450 == 0 {
			x[0] = 1e6
		}
		return []float64{y}
	})
	l, err := SampleLearned(context.Background(), Refined{Metric: Metric{Fast: true}, Epochs: 12}, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 40, Data: data, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	var start float64
	for _, a := range l.History {
		if a.What == "epoch 0" {
			start = a.Error
		}
	}
	last := l.History[len(l.History)-1]
	if !(last.Error < 0.9*start) {
		t.Errorf("error %g before the training, %g after %s", start, last.Error, last.What)
	}
}

package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
)

// TestImportanceOfFewValues: inputs of few values that have nothing to do with the
// target have about the importance of a normal input that has nothing to do with it
// either, and a flag that decides the target has a large one.
//
// A fit varies along an input of no effect as noise does. Of stationary noise of
// bandwidth h the mean square of a difference over a step δ, divided by δ², is
// 2(1 − e^{−δ²/2h²})/δ², at most the 1/h² of the derivative: so a flag's importance is
// no larger in expectation. Each is one number of few effective terms, and a factor of
// four above the mean, and a floor of 1 %, stand for that; gradients gave up to 99 %.
func TestImportanceOfFewValues(t *testing.T) {
	const n, dim = 600, 9
	flag := func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) }
	for _, c := range []struct {
		name   string
		matter []int
		label  func(x []float64) float64
	}{
		{"numbers decide", []int{0, 1}, func(x []float64) float64 { return (x[0] - 0.5) * x[1] }},
		{"a flag decides", []int{1, 2}, func(x []float64) float64 { return (x[2] - 0.5) * x[1] }},
	} {
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 6))
			x, y := mat.NewDense(n, dim, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				row := x.RawRowView(i)
				row[0], row[1] = rng.Float64(), rng.NormFloat64()
				row[2], row[3] = flag(rng), flag(rng)
				row[4] = float64(rng.IntN(3)) // one of three values
				row[5+rng.IntN(3)] = 1        // a category
				row[8] = rng.NormFloat64()    // a number
				y.Set(i, 0, math.Copysign(1, c.label(row)))
			}
			data, err := rff.FromMatrix(x, y)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []rff.Sampler{Metric{Fast: true}, Metric{Fast: true, Diagonal: true}, Refined{Metric: Metric{Fast: true}, Epochs: 8}} {
				l, err := SampleLearned(context.Background(), s, rff.Request{Kernel: rff.NewGaussian(), Dim: dim, Features: 64, Data: data, Rand: rand.NewPCG(seed, 2)})
				if err != nil {
					t.Fatal(err)
				}
				most := max(4*l.Importance[8], 0.01)
				for j, v := range l.Importance[:8] {
					if j != c.matter[0] && j != c.matter[1] && v > most {
						t.Errorf("%s, seed %d, %T: input %d, of no effect, has importance %.3f of %.3f", c.name, seed, s, j, v, l.Importance)
					}
				}
				for _, j := range c.matter {
					if v := l.Importance[j]; v < 0.05 {
						t.Errorf("%s, seed %d, %T: input %d decides and has importance %.3f of %.3f", c.name, seed, s, j, v, l.Importance)
					}
				}
			}
		}
	}
}

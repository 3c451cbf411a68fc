package krr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// noisySignal returns rows of five inputs whose target is a share of signal in noise: a class
// of which that share is not drawn at random, or a number.
func noisySignal(n int, share float64, class bool, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 9))
	x, y = mat.NewDense(n, 5, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		signal, noise := math.Sin(row[0]*row[1]), rng.NormFloat64()
		v := share*signal + (1-share)*noise
		if class {
			v = math.Copysign(1, signal)
			if rng.Float64() >= share {
				v = math.Copysign(1, noise)
			}
		}
		y.Set(i, 0, v)
	}
	return x, y
}

// TestLearningNoise: on pure noise nothing is learned, and on noisy labels what is
// learned does not do worse on 2000 new rows than plain features at the bandwidth that
// cross-validation chooses. The two choose bandwidth and λ on different rows, whose luck
// 4 % of the error stand for.
func TestLearningNoise(t *testing.T) {
	ctx := context.Background()
	for i, share := range []float64{0, 0.2, 0.6} {
		for _, class := range []bool{false, true} {
			t.Run(fmt.Sprintf("signal %g, class %v", share, class), func(t *testing.T) {
				t.Parallel() // fits of 600 rows keep one worker busy
				x, y := noisySignal(600, share, class, uint64(2*i))
				newX, newY := noisySignal(2000, share, class, uint64(100+2*i))
				data, err := rff.FromMatrix(x, y)
				if err != nil {
					t.Fatal(err)
				}
				median, err := rff.MedianDistance(x, 1000, rand.NewPCG(1, 2))
				if err != nil {
					t.Fatal(err)
				}
				h, err := hook.FindBandwidth(ctx, rff.NewGaussian(), data, median, krr.Settings{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				k := rff.NewGaussian(h)
				errorOf := func(m *rff.Map) float64 {
					model, _, err := krr.Fit(ctx, m, data, krr.Settings{Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					var out mat.Dense
					if err := model.Predict(&out, newX); err != nil {
						t.Fatal(err)
					}
					out.Sub(&out, newY)
					return mat.Norm(&out, 2) / math.Sqrt(2000)
				}
				plain, err := sampling.ORF{}.Sample(ctx, rff.Request{Kernel: k, Dim: 5, Features: 64, Rand: rand.NewPCG(1, 2)})
				if err != nil {
					t.Fatal(err)
				}
				want := errorOf(plain)
				for _, s := range []rff.Sampler{sampling.Metric{Fast: true}, sampling.Refined{Metric: sampling.Metric{Fast: true}, Epochs: 8}} {
					l, err := sampling.SampleLearned(ctx, s, rff.Request{Kernel: rff.NewGaussian(), Dim: 5, Features: 64, Data: data, Rand: rand.NewPCG(1, 2)})
					if err != nil {
						t.Fatal(err)
					}
					if share == 0 && !strings.Contains(l.Outcome, "no better") {
						t.Errorf("%T on pure noise: %v", s, l.Outcome)
					}
					if got := errorOf(l.Map); !(got <= 1.04*want) {
						t.Errorf("%T: error %.4f on new rows, %.4f of plain features (%v)", s, got, want, l.Outcome)
					}
				}
			})
		}
	}
}

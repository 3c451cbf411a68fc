package quality_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/quality"
	"github.com/rffgo/rff/sampling"
)

// The largest error is relative to the largest value of the kernel, which is not
// 1 for a kernel of inner products.
func TestMeasureKernelOfDotProducts(t *testing.T) {
	const n, d = 40, 3
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 3 * rng.NormFloat64() }, x)
	k := rff.NewArcCosine(1)
	for seed := range uint64(6) { // the worst error is too large or too small
		m, err := sampling.MonteCarlo{}.Sample(context.Background(), rff.Request{Kernel: k, Dim: d, Features: 200, Rand: rand.NewPCG(seed, 4)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := quality.MeasureKernel(m, x)
		if err != nil {
			t.Fatal(err)
		}
		var z, approx mat.Dense
		if err := m.Transform(&z, x); err != nil {
			t.Fatal(err)
		}
		approx.Mul(&z, z.T())
		var worst, most float64
		for i := range n {
			for j := range n {
				v := k.Eval(x.RawRowView(i), x.RawRowView(j))
				worst, most = max(worst, math.Abs(approx.At(i, j)-v)), max(most, math.Abs(v))
			}
		}
		if want := worst / most; !(math.Abs(got.Max-want) <= 1e-12*want) || most < 5 {
			t.Errorf("largest error %v, want %v", got.Max, want)
		}
	}
}

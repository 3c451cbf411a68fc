package race

import (
	"context"
	"math"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// Features of a shared draw are those that the sampler draws for the kernel of that bandwidth, to
// rounding, and the random numbers of a step are drawn once for all bandwidths and scalings.
func TestDrawsShared(t *testing.T) {
	ctx := context.Background()
	kernels := []rff.Stationary{rff.NewGaussian(), rff.NewMatern(2.5), rff.NewMatern(1.5), rff.NewLaplacian(), rff.NewMatern(0.5)}
	r := begun(t, waves(60, 0.1), Settings{Seed: 4, Kernels: kernels})
	x := []float64{0.3, -0.7, 1.1}[:r.in]
	features := func(m *rff.Map, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		_, n := m.Dims()
		z := make([]float64, n)
		if err := m.TransformVec(z, x); err != nil {
			t.Fatal(err)
		}
		return z
	}
	check := func(c candidate, n int) {
		t.Helper()
		k, err := inside.Widened(kernels[c.kernel], r.bandwidth(c))
		if err != nil {
			t.Fatal(err)
		}
		alone := features(sampling.Default(k, r.in).Sample(ctx, rff.Request{Kernel: k, Dim: r.in, Features: n, Rand: r.source(0)}))
		for i, v := range features(r.drawnMap(ctx, r.engine, c, n)) {
			// Frequencies of up to some thousands, of relative error 2⁻⁵².
			if math.Abs(v-alone[i]) > 1e-11 {
				t.Fatalf("%v, exponent %d, scaling %d: feature %d is %g, alone %g", kernels[c.kernel], c.exponent, c.scaling, i, v, alone[i])
			}
		}
	}
	for k := range kernels {
		for exponent := -5; exponent <= 4; exponent++ {
			check(candidate{kernel: k, exponent: exponent}, 30)
			check(candidate{kernel: k, exponent: exponent, scaling: 1}, 30)
		}
	}
	if len(r.draws.of) != len(kernels) {
		t.Errorf("%d draws for %d kernels", len(r.draws.of), len(kernels))
	}
	r.draws.used = drawBytes // no room for more
	check(candidate{exponent: 1}, 40)
	if len(r.draws.of) != len(kernels) {
		t.Errorf("without room %d draws are kept", len(r.draws.of))
	}
	r.draws.forget()
	if r.draws.used != 0 || len(r.draws.of) != 0 {
		t.Error("draws of a step before are kept")
	}
}

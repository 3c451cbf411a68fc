package sampling_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// A map rescaled gives the features of points moved together: z_{cσ}(x) = z_σ(x/c).
func TestMapsRescale(t *testing.T) {
	const n, d, c = 7, 3, 4
	rng := rand.New(rand.NewPCG(1, 2))
	x, near := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			x.Set(i, j, v)
			near.Set(i, j, v/c)
		}
	}
	for _, sampler := range []rff.Sampler{sampling.MonteCarlo{}, sampling.ORF{}, sampling.SORF{}, sampling.Fastfood{}} {
		m, err := sampler.Sample(t.Context(), rff.Request{Kernel: rff.NewGaussian(1.5), Dim: d, Features: 16, Rand: rand.NewPCG(3, 4)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Rescale(c)
		if err != nil {
			t.Fatal(err)
		}
		var got, want mat.Dense
		if err := errors.Join(r.Transform(&got, x), m.Transform(&want, near)); err != nil {
			t.Fatal(err)
		}
		// Scaling by a power of two is exact, in the frequencies as in the inputs.
		if !mat.Equal(&got, &want) {
			t.Errorf("%T: features differ", sampler)
		}
		if k := fmt.Sprint(r.Kernel()); k != "gaussian:sigma=6" {
			t.Errorf("%T: kernel %s", sampler, k)
		}
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-320} {
			var p *rff.ParameterError
			if r, err := m.Rescale(bad); !errors.As(err, &p) || r != nil {
				t.Errorf("%T, factor %v: %v, %v", sampler, bad, r, err)
			}
		}
	}
	own, err := rff.FromFrequencies(mat.NewDense(1, 1, []float64{2}), nil, nil, rff.CosSin)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := own.Rescale(2); err != nil || r.Kernel() != nil || inside.Spec(r).W.Data[0] != 1 || inside.Spec(own).W.Data[0] != 2 {
		t.Errorf("%v, %v", r, err)
	}
}

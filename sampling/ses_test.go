package sampling_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/sampling"
)

// The map of SES, and not only its weights, is closer to the kernel than plain
// features from the same stream, on letter against the exact kernel of 400 rows.
// Each repetition gives a ratio of spectral errors. The mean of R = 32 log ratios
// with standard deviation s must be below the bound with 4·s/√R to spare: 4 is the
// 1 − 2·10⁻⁴ quantile of Student's t with 31 degrees of freedom. The bound at 64
// frequencies is what an implementation in NumPy had on rows of its own,
// .115/.154; with a pool it is a half. Weights scaled to Σβ = 1 have 1 or more.
func TestSESKernelError(t *testing.T) {
	const reps = 32
	all := standardised(t, "letter", 2000)
	rows := mat.DenseCopyOf(all.Slice(0, 400, 0, 16))
	sigma, err := rff.NeighbourDistance(rows, 50, 400, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newKernelRows(rff.NewGaussian(sigma), rows)
	data, err := rff.FromMatrix(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f, pool int
		bound   float64
	}{{16, 1, 1}, {64, 1, .115 / .154}, {64, 4, 0.5}} {
		var logs []float64
		for rep := range uint64(reps) {
			s := sampling.SES{Pool: sampling.Pool{Multiple: c.pool}}
			m, err := s.Sample(context.Background(), rff.Request{Kernel: r.kernel, Dim: 16, Features: 2 * c.f, Data: data, Rand: rand.NewPCG(rep, 9)})
			if err != nil {
				t.Fatal(err)
			}
			plain, err := rff.New(r.kernel, 16, 2*c.f, rand.NewPCG(rep, 9))
			if err != nil {
				t.Fatal(err)
			}
			logs = append(logs, math.Log(r.spectralOf(m)/r.spectralOf(plain)))
		}
		mean, sd := stat.MeanStdDev(logs, nil)
		t.Logf("F = %d of a pool of %d·F: %.3f of the error of plain features, one map ± %.0f %%", c.f, c.pool, math.Exp(mean), 100*sd)
		if mean+4*sd/math.Sqrt(reps) > math.Log(c.bound) {
			t.Errorf("F = %d of a pool of %d·F: %.3f of the error of plain features, want below %.2f", c.f, c.pool, math.Exp(mean), c.bound)
		}
	}
}

// With two frequencies nothing shrinks the weights, and one of them may be 0.
func TestSESTakesWeightsOfZero(t *testing.T) {
	for seed := range uint64(40) {
		x := mat.NewDense(100, 2, nil)
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = r.NormFloat64()
		}
		data, err := rff.FromMatrix(x, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := sampling.SES{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(2), Dim: 2, Features: 4, Data: data, Rand: rand.NewPCG(seed, 2)})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, s := m.Dims(); s != 4 {
			t.Fatalf("seed %d: %d columns", seed, s)
		}
	}
}

// SES looks at no labels, and its errors are not about them.
func TestSESWithoutAKernel(t *testing.T) {
	data, err := rff.FromMatrix(mat.NewDense(2, 1, []float64{0, 1}), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for seed := range uint64(100) {
		_, err := sampling.SES{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: 1, Features: 2, Data: data, Rand: rand.NewPCG(seed, 2)})
		var e *rff.DegenerateDataError
		found = found || err != nil
		if err != nil && (!errors.As(err, &e) || !strings.Contains(e.Why, "enlarge the pool")) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if !found {
		t.Error("no seed was refused")
	}
}

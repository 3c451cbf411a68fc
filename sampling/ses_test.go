package sampling_test

import (
	"context"
	"math"
	"math/rand/v2"
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

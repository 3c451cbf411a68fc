package sampling_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/quality"
)

// convergence measures a sampler's error against the number of frequencies, on
// fixed rows.
type convergence struct {
	kernel rff.Stationary
	x      *mat.Dense
	exact  *mat.Dense
}

func newConvergence(k rff.Stationary, x *mat.Dense) *convergence {
	return &convergence{k, x, quality.KernelMatrix(k, x)}
}

// frobenius returns the root mean square, over reps maps, of ‖K̃−K‖_F/‖K‖_F.
func (c *convergence) frobenius(t *testing.T, s rff.Sampler, f, reps int) float64 {
	t.Helper()
	n, d := c.x.Dims()
	var z mat.Dense
	approx := blas.NewGeneral[float64](n, n)
	var sum float64
	for r := range reps {
		m, err := s.Sample(context.Background(), rff.Request{Kernel: c.kernel, Dim: d, Features: 2 * f, Rand: rand.NewPCG(uint64(r), uint64(f))})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Transform(&z, c.x); err != nil {
			t.Fatal(err)
		}
		raw := z.RawMatrix()
		g := blas.General[float64]{Rows: n, Cols: 2 * f, Stride: raw.Stride, Data: raw.Data}
		blas.Gemm(blas.Engine{}, false, true, 1, g, g, 0, approx)
		for i, exact := range c.exact.RawMatrix().Data {
			e := approx.Data[i] - exact
			sum += e * e
		}
		z.Reset()
	}
	return math.Sqrt(sum/float64(reps)) / mat.Norm(c.exact, 2)
}

// slope fits log error = a + b·log F for F = from, 2·from, …, to and returns b.
func (c *convergence) slope(t *testing.T, s rff.Sampler, from, to, reps int) float64 {
	t.Helper()
	var x, y []float64
	for f := from; f <= to; f *= 2 {
		x = append(x, math.Log(float64(f)))
		y = append(y, math.Log(c.frobenius(t, s, f, reps)))
	}
	_, b := stat.LinearRegression(x, y, nil, false)
	return b
}

func synthetic(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(d), 31))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// standardised rows of a real set; values are clipped to the 0.5 and 99.5
// percentiles first, for eeg has spikes of 700,000.
func standardised(t *testing.T, name string, n int) *mat.Dense {
	t.Helper()
	table := tableOf(t, name)
	x := sampleRows(mat.NewDense(table.X.Rows, table.X.Cols, table.X.Data), n, rand.NewPCG(2, 2))
	_, d := x.Dims()
	for j := range d {
		c := mat.Col(nil, j, x)
		sorted := slices.Clone(c)
		slices.Sort(sorted)
		low, high := stat.Quantile(.005, stat.Empirical, sorted, nil), stat.Quantile(.995, stat.Empirical, sorted, nil)
		for i, v := range c {
			c[i] = min(max(v, low), high)
		}
		mean, sd := stat.MeanStdDev(c, nil)
		if sd == 0 {
			sd = 1
		}
		for i := range c {
			c[i] = (c[i] - mean) / sd
		}
		x.SetCol(j, c)
	}
	return x
}

// Theory: the error of independent frequencies falls as F^−½ whatever the
// dimension, and so does that of orthogonal and structured ones from F = d on;
// low-discrepancy points do better in few dimensions. A slope over six octaves
// with 8 maps each has a standard error of about 0.03.
func TestErrorFallsAsTheorySays(t *testing.T) {
	dims := []int{1, 2, 7, 16}
	if !testing.Short() {
		dims = append(dims, 123, 784)
	}
	for _, d := range dims {
		c := newConvergence(rff.NewGaussian(math.Sqrt(float64(d))), synthetic(100, d))
		from, to := 32, 1024
		for _, name := range []string{"rff", "rff-phase", "orf", "sorf", "fastfood", "sobol", "halton"} {
			t.Run(fmt.Sprintf("%s, d = %d", name, d), func(t *testing.T) {
				t.Parallel()
				s := byName(t, name)
				reps := 8
				if d <= 2 { // all errors of one map move together
					reps = 24
				} else if d > 16 { // and hardly at all
					reps = 3
				}
				b := c.slope(t, s, from, to, reps)
				low, high := -.6, -.4
				switch {
				case name == "orf" || name == "sorf" || name == "fastfood":
					if d > 16 { // F = d is inside the range: the error falls faster until then
						low = -.8
					}
				case (name == "sobol" || name == "halton") && d <= 2:
					low, high = -1.6, -.7
				case name == "sobol" || name == "halton":
					low, high = -.9, -.42
				}
				if b < low || b > high {
					t.Errorf("slope %.2f, want %g to %g", b, low, high)
				} else {
					t.Logf("slope %.2f", b)
				}
			})
		}
	}
}

func TestErrorFallsOnRealData(t *testing.T) {
	for _, set := range []string{"letter", "eeg", "cpuact"} {
		t.Run(set, func(t *testing.T) {
			x := standardised(t, set, 150)
			sigma, err := rff.MedianDistance(x, 150, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := newConvergence(rff.NewGaussian(sigma), x)
			for _, name := range []string{"rff", "rff-phase", "orf", "sorf", "fastfood", "sobol", "halton"} {
				b := c.slope(t, byName(t, name), 32, 1024, 8)
				low := -.6
				if name == "sobol" || name == "halton" {
					low = -.95
				}
				if b < low || b > -.4 {
					t.Errorf("%s: slope %.2f", name, b)
				} else {
					t.Logf("%s: slope %.2f", name, b)
				}
			}
		})
	}
}

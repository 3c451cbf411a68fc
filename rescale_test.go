package rff_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// No name of a kernel is left out: those with a spectral measure have a bandwidth,
// and their text is what ParseKernel reads.
func TestEveryKernelRescales(t *testing.T) {
	for _, name := range inside.KernelNames() {
		k, err := rff.ParseKernel(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := rff.ParseKernel(fmt.Sprint(k)); err != nil || again.(fmt.Stringer).String() != fmt.Sprint(k) {
			t.Errorf("%s reads as %v: %v", name, again, err)
		}
		if _, ok := k.(rff.Stationary); !ok {
			continue
		}
		wide, err := rff.WithBandwidth(k, 4)
		if err != nil || wide.Eval([]float64{8}, []float64{0}) != k.Eval([]float64{2}, []float64{0}) {
			t.Errorf("%s with the bandwidth 4 is %v: %v", name, wide, err)
		}
	}
}

// Every kernel that ParseKernel reads and that has a bandwidth says what it is at
// another one: k_{cσ}(x, y) = k_σ(x/c, y/c), without changing the kernel itself.
func TestKernelsRescale(t *testing.T) {
	x, y := []float64{1, 2, -0.5}, []float64{0.25, 4, 2}
	xs, ys := make([]float64, 3), make([]float64, 3)
	const c = 4 // a power of two divides exactly
	for j := range x {
		xs[j], ys[j] = x[j]/c, y[j]/c
	}
	for _, spec := range []string{"gaussian", "gaussian:sigma=1.5", "gaussian:sigma=1/2/3", "laplacian:sigma=3", "laplacian:sigma=1/2/3",
		"cauchy", "cauchy:sigma=2", "matern:nu=0.5,length=2", "matern:nu=2.5", "matern:nu=1.5,length=1/2/3"} {
		k, err := rff.ParseKernel(spec)
		if err != nil {
			t.Fatal(err)
		}
		rescaled, bandwidth, ok := rff.RescaleKernel(k, c)
		if !ok {
			t.Errorf("%s has a bandwidth and no Rescale", spec)
			continue
		}
		if got, want := rescaled.Eval(x, y), k.Eval(xs, ys); math.Abs(got-want) > 1e-15*want {
			t.Errorf("%s at %d times the bandwidth: %v, want %v", spec, c, got, want)
		}
		open := len(bandwidth) == 0
		if want := spec == "gaussian" || spec == "cauchy" || spec == "matern:nu=2.5"; open != want {
			t.Errorf("%s: bandwidth %v", spec, bandwidth)
		}
		if again, err := rff.ParseKernel(fmt.Sprint(rescaled)); err != nil || fmt.Sprint(again) != fmt.Sprint(rescaled) {
			t.Errorf("%s: %v is read back as %v, %v", spec, rescaled, again, err)
		}
		if before, _ := rff.ParseKernel(spec); fmt.Sprint(before) != fmt.Sprint(k) {
			t.Errorf("%s became %v", spec, k)
		}
	}
	for _, k := range []rff.Kernel{rff.NewArcCosine(0), rff.NewLinear()} {
		if _, _, ok := rff.RescaleKernel(k, 2); ok {
			t.Errorf("%v has no bandwidth", k)
		}
	}
}

// ownKernel is a program's kernel.
type ownKernel struct{ rff.Stationary }

// A map keeps the kernel of a program at every bandwidth, as it keeps those of this package.
func TestOwnKernelRescales(t *testing.T) {
	m, err := sampling.MonteCarlo{}.Sample(t.Context(), rff.Request{Kernel: ownKernel{rff.NewGaussian()}, Dim: 2, Features: 8, Rand: rand.NewPCG(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for _, factor := range []float64{2, 0.75} {
		if m, err = m.Rescale(factor); err != nil {
			t.Fatal(err)
		}
	}
	x, y := []float64{0.5, -1}, []float64{2, 0.25}
	if got, want := m.Kernel().Eval(x, y), rff.NewGaussian(1.5).Eval(x, y); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v has %g at bandwidth 1.5, want %g", m.Kernel(), got, want)
	}
	if text := fmt.Sprint(m.Kernel()); strings.Count(text, "widened") != 1 {
		t.Error(text)
	}
}

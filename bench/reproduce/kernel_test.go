package reproduce

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// The matrix is that of the kernel; kernel ridge regression solves its system, on more
// rows than a block has, and its expansion is f.
func TestKernelRidge(t *testing.T) {
	const n, sigma, lambda = blas.RowBlock + 90, 0.8, 1e-3
	rng := rand.New(rand.NewPCG(7, 1))
	x, y := blas.NewGeneral[float64](n, 2), make([]float64, n)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = rng.NormFloat64(), rng.NormFloat64()
		y[i] = 3 + math.Sin(2*x.Row(i)[0]) + 0.3*rng.NormFloat64()
	}
	k := blas.NewGeneral[float64](n, n)
	Gaussian(k, x, x, sigma)
	exact := rff.NewGaussian(sigma)
	for i := range n {
		for j := range n { // ‖x‖² up to 20 cancels to 2⁻⁵³·20·3
			if want := exact.Eval(x.Row(i), x.Row(j)); math.Abs(k.Row(i)[j]-want) > 1e-14 {
				t.Fatalf("rows %d, %d: %v, want %v", i, j, k.Row(i)[j], want)
			}
		}
	}
	coef, offset, err := KernelRidge(k, y, lambda)
	if err != nil {
		t.Fatal(err)
	}
	f, err := (&Expansion{x, coef, offset, sigma}).Predict(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range y { // f + nλα = y
		sum += coef[i]
		if got := f[i] + n*lambda*coef[i]; math.Abs(got-y[i]) > 1e-9 {
			t.Fatalf("row %d: %v, want %v", i, got, y[i])
		}
	}
	if math.Abs(sum) > 1e-8 {
		t.Errorf("Σα = %v", sum)
	}
}

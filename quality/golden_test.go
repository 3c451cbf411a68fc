package quality

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/golden"
)

// TestGolden compares digests of the diagnostics' bits on every instruction set
// that runs here with those the reference kernels gave on amd64.
func TestGolden(t *testing.T) {
	engine := func(isa string, workers int) rff.Engine {
		return rff.Engine{Backend: "native:" + isa, Workers: workers}
	}
	want := golden.Want(t, func() map[string]string { return goldenDiagnostics(t, engine("go", 1)) })
	for _, k := range asm.All[float64]() {
		for _, workers := range []int{1, 3} {
			golden.Compare(t, k.ISA, goldenDiagnostics(t, engine(k.ISA, workers)), want)
		}
	}
}

func goldenDiagnostics(t *testing.T, e rff.Engine) map[string]string {
	const n, d = 300, 4 // more rows than Lanczos steps, and than a task has
	r := rand.New(rand.NewPCG(7, 8))
	dyadic := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				x.Set(i, j, float64(r.Int64N(1<<12)-1<<11)*0x1p-10)
			}
		}
		return x
	}
	x, y := dyadic(n, d), dyadic(n, 2)
	all := map[string]string{}
	for name, k := range map[string]rff.Stationary{"gaussian": rff.NewGaussian(1.5), "matern": rff.NewMatern(1.5, 2), "laplacian": rff.NewLaplacian(1)} {
		m, err := rff.New(k, d, 64, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.On(e); err != nil {
			t.Fatal(err)
		}
		got, err := MeasureKernel(m, x)
		if err != nil {
			t.Fatal(err)
		}
		alignment, err := TargetAlignment(m, x, y)
		if err != nil {
			t.Fatal(err)
		}
		var sum golden.Digest
		sum.Add(got.Spectral, got.Frobenius, got.Max, got.Alignment, alignment)
		all["diagnostics/"+name] = sum.Sum()
	}
	return all
}

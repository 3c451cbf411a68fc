package blas_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// Some columns at a time are those of Transform, each once and in its place, for maps of
// one and of two columns for each frequency, of structured projections and of products.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	const d = 3
	dense := func(f asm.Func, freqs int) *blas.Spec {
		return &blas.Spec{Dim: d, W: blas.General[float64]{Rows: freqs, Cols: d, Stride: d, Data: normal(freqs * d)},
			Func: f, Phase: normal(freqs), Weight: normal(freqs * f.Outputs())}
	}
	product := dense(asm.Cos, 9)
	product.Product = blas.General[float64]{Rows: 9, Cols: 600, Stride: 600, Data: normal(9 * 600)}
	walsh := dense(asm.CosSin, 9)
	walsh.Walsh = &blas.Walsh{D: normal(18), Columns: rng.Perm(32)}
	for name, spec := range map[string]*blas.Spec{
		"walsh": walsh, "pairs": dense(asm.CosSin, 2*blas.BlockK+3), "few pairs": dense(asm.CosSin, 5), "phases": dense(asm.Cos, blas.BlockK+1), "product": product,
		"structured": {Dim: d, Blocks: []blas.Block{{Size: 4, Keep: 4, D: [][]float64{normal(4)}, Scale: normal(4)}}, Func: asm.CosSin, Weight: normal(8)},
	} {
		m := blas.Pack[float64](spec)
		_, out := m.Dims()
		x := blas.General[float64]{Rows: 7, Cols: d, Stride: d, Data: normal(7 * d)}
		want := blas.NewGeneral[float64](7, out)
		m.Transform(blas.Engine{}, want, x)
		seen := make([]int, out)
		m.Columns(blas.Engine{}, x, func(z blas.General[float64], half, first, second int) bool {
			if z.Rows != 7 || z.Cols > blas.BlockK {
				t.Fatalf("%s: %d×%d", name, z.Rows, z.Cols)
			}
			for j := range z.Cols {
				at := first + j
				if j >= half {
					at = second + j - half
				}
				seen[at]++
				for i := range z.Rows {
					if z.Row(i)[j] != want.Row(i)[at] {
						t.Fatalf("%s: column %d of row %d is %g, want %g", name, at, i, z.Row(i)[j], want.Row(i)[at])
					}
				}
			}
			return true
		})
		for at, n := range seen {
			if n != 1 {
				t.Fatalf("%s: column %d came %d times", name, at, n)
			}
		}
		calls := 0
		m.Columns(blas.Engine{}, x, func(blas.General[float64], int, int, int) bool { calls++; return false })
		if calls != 1 {
			t.Errorf("%s: %d calls after the end", name, calls)
		}
	}
}

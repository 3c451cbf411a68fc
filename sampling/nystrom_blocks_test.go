package sampling

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// Over several blocks of proposals a row is picked once, whatever copies it has: after
// the first of them there is nothing left of the others.
func TestNystromCholeskyOverBlocks(t *testing.T) {
	const distinct, copies = 2*landmarkBlock + 20, 5
	x := mat.NewDense(distinct*copies, 2, nil)
	for i := range distinct * copies {
		x.SetRow(i, []float64{float64(i % distinct % 15), float64(i % distinct / 15)})
	}
	data, err := rff.FromMatrix(x, mat.NewDense(distinct*copies, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, sigma := range []float64{0.4, 0.8} { // neighbours have kernels of 0.04 and 0.46
		for seed := range uint64(3) {
			f, err := Nystrom{Pick: "rpcholesky"}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(sigma), Dim: 2, Features: distinct, Data: data, Rand: rand.NewPCG(seed, 1)})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[[2]float64]bool{}
			for i := range distinct {
				seen[[2]float64(inside.Spec(f).W.Row(i))] = true
			}
			if len(seen) != distinct {
				t.Errorf("σ = %v, seed %d: %d of %d distinct rows", sigma, seed, len(seen), distinct)
			}
		}
	}
}

// The columns that a block of accepted rows adds are those of a Cholesky factor: F·Fᵀ is
// what was left of the kernel, on the accepted rows.
func TestNystromCholeskyExtends(t *testing.T) {
	const n, done = 30, 2
	rng := rand.New(rand.NewPCG(1, 2))
	b := blas.NewGeneral[float64](n, n)
	for i := range b.Data {
		b.Data[i] = rng.NormFloat64()
	}
	left := blas.NewGeneral[float64](n, n)
	blas.Gemm(blas.Engine{}, false, true, 1, b, b, 0, left)
	draws, accepted := []int{4, 9, 20, 11}, []int{0, 2, 3}
	g, h := blas.NewGeneral[float64](n, len(draws)), blas.NewGeneral[float64](len(draws), len(draws))
	for i, r := range draws {
		for j := range n {
			g.Row(j)[i] = left.Row(j)[r]
		}
	}
	// The factor of the accepted proposals, as rows and columns of all of them.
	var chol mat.Cholesky
	s := mat.NewSymDense(len(accepted), nil)
	for i, p := range accepted {
		for j, q := range accepted {
			s.SetSym(i, j, left.Row(draws[p])[draws[q]])
		}
	}
	if !chol.Factorize(s) {
		t.Fatal("no factor")
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i, p := range accepted {
		for j := range i + 1 {
			h.Row(p)[accepted[j]] = l.At(i, j)
		}
	}
	f := blas.NewGeneral[float64](n, done+len(accepted))
	(&landmarkPool{}).extend(f, g, h, done, accepted)
	for i := range n {
		if f.Row(i)[0] != 0 || f.Row(i)[1] != 0 {
			t.Fatalf("row %d: columns before those added changed", i)
		}
		for _, p := range accepted {
			var got float64
			for c := done; c < f.Cols; c++ {
				got += f.Row(i)[c] * f.Row(draws[p])[c]
			}
			if want := left.Row(i)[draws[p]]; !(abs(got-want) < 1e-9*left.Row(draws[p])[draws[p]]) {
				t.Fatalf("row %d of proposal %d: %v, want %v", i, p, got, want)
			}
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

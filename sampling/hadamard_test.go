package sampling

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/fold"
	"github.com/rffgo/rff/internal/inside"
)

// The fast transform is the product with Θ, entry by entry. Sums of n terms of at most weight
// times feature differ by n roundings at most.
func TestHadamardIsTheProduct(t *testing.T) {
	const n, d, l = 1300, 3, 40
	rng := rand.New(rand.NewPCG(6, 1))
	m, err := rff.New(rff.NewGaussian(1), d, 10, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	f := inside.Features64(m)
	x, weight := blas.NewGeneral[float64](n, d), make([]float64, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range weight {
		weight[i] = float64(rng.IntN(3))
	}
	h := newHadamard(n, l, rand.NewPCG(8, 8), blas.Engine{Workers: 1}, f)
	for first := 0; first < n; {
		end := min(n, first+1+rng.IntN(300))
		h.add(rff.Batch{First: int64(first), X: x.RowRange(first, end), Weight: weight[first:end]})
		first = end
	}
	h.flush()
	z, rows := blas.NewGeneral[float64](n, 10), int64(0)
	f.Transform(blas.Engine{Workers: 1}, z, x)
	want, size := blas.NewGeneral[float64](l, 10), 0.0
	for i := range n {
		if weight[i] > 0 {
			rows++
		}
		size += weight[i]
		for k, c := range h.column {
			sign := 1 - 2*float64((bits.OnesCount64(uint64(i)&c)+int(fold.Hash(h.seed, int64(i)-1)&1))%2)
			for j, v := range z.Row(i) {
				want.Row(k)[j] += float64(sign * weight[i] * v)
			}
		}
	}
	for i, v := range want.Data {
		if d := math.Abs(v - h.y.Data[i]); !(d <= n*0x1p-52*size) {
			t.Fatalf("element %d: %g for %g", i, h.y.Data[i], v)
		}
	}
	if h.rows != rows {
		t.Error(h.rows, "rows of", rows)
	}
}

package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rffgo/rff/blas"
)

// The errors of held-out rows are those of their predictions, for few targets, for more than
// a group of λ has columns and for more than there are columns at a time, and every number
// of workers gives the same bits of them and of the coefficients.
func TestHeldOut(t *testing.T) {
	const n, rows, w = 70, 40, 30.0
	for _, targets := range []int{1, 3, 200, 600, 1100} {
		for _, grid := range [][]float64{{1e-3, 1e-2, 1e-1, 1, 2, 3, 4}, {0.1, 1}} {
			rng := rand.New(rand.NewPCG(1, 2))
			d := make([]float64, n)
			for i := range d {
				d[i] = 1 + float64(i)
			}
			h, z, y := &blas.Sums{}, blas.NewGeneral[float64](rows, n), blas.NewGeneral[float64](rows, targets)
			*h = *blas.NewSums(n, targets, true)
			for r := range rows {
				h.W++
				for i := range n {
					z.Row(r)[i] = rng.NormFloat64()
					h.Z[i] += z.Row(r)[i]
				}
				for k := range targets {
					v := rng.NormFloat64()
					y.Row(r)[k] = v
					h.Y[k], h.YY[k] = h.Y[k]+v, h.YY[k]+v*v
				}
				for i := range n {
					for j := i; j < n; j++ {
						h.G.Row(i)[j] += z.Row(r)[i] * z.Row(r)[j]
					}
					for k := range targets {
						h.ZY.Row(i)[k] += z.Row(r)[i] * y.Row(r)[k]
					}
				}
			}
			var first []float64
			for _, workers := range []int{1, 3} {
				s, _ := spectral(t, d, targets, w)
				for i := range s.Z {
					s.Z[i] = 0.1 * float64(i%7)
				}
				for k := range s.Y {
					s.Y[k] = 0.2 * float64(k%5)
				}
				all, e := blas.NewGeneral[float64](n, targets*len(grid)), blas.Engine{Workers: workers}
				errs, solved, err := s.HeldOut(context.Background(), e, h, grid, all, func(float64) {})
				if err != nil || len(solved) != len(grid) {
					t.Fatal(solved, err)
				}
				again := blas.NewGeneral[float64](n, targets*len(grid))
				if _, err := s.SolveGrid(context.Background(), e, grid, again, func(float64) {}); err != nil || !slices.Equal(all.Data, again.Data) {
					t.Fatalf("%d targets: other coefficients, %v", targets, err)
				}
				if first == nil {
					first = append(errs, all.Data...)
				} else if !slices.Equal(first, append(errs, all.Data...)) {
					t.Errorf("%d targets, %d λ: other bits on %d workers", targets, len(grid), workers)
				}
				for l, lambda := range grid {
					coef, _, err := s.Solve(context.Background(), e, lambda)
					if err != nil {
						t.Fatal(err)
					}
					for k := 0; k < targets; k += 1 + targets/50 {
						at, want := l*targets+k, 0.0
						for r := range rows {
							f := s.Y[k]
							for i, v := range z.Row(r) {
								f += (v - s.Z[i]) * coef.Row(i)[k]
							}
							want += (y.Row(r)[k] - f) * (y.Row(r)[k] - f)
						}
						// Sums of n² rounded terms that are below the error of 0 for every row.
						if math.Abs(errs[at]-want) > n*n*0x1p-52*(want+h.YY[k]) {
							t.Fatalf("%d targets, λ = %g, target %d: %v, want %v", targets, lambda, k, errs[at], want)
						}
						for i := range n {
							if math.Abs(all.Row(i)[at]-coef.Row(i)[k]) > 1e-10 {
								t.Fatalf("%d targets, λ = %g, target %d: coefficient %v, want %v", targets, lambda, k, all.Row(i)[at], coef.Row(i)[k])
							}
						}
					}
				}
			}
		}
	}
}

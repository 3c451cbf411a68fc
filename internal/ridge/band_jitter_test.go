package ridge

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
)

// Of many λ those whose system is not definite are solved with a diagonal that grows from
// the rounding errors tenfold, as that of one λ: an eigenvalue of −1e-7 takes 2e-7 where
// the errors are 2e-8.
func TestJitterOfTheBand(t *testing.T) {
	const n, w = 24, 40.0
	d := make([]float64, n)
	for i := range d {
		d[i] = 1 + float64(i)
	}
	d[5] = -1e-7
	s, _ := spectral(t, d, 1, w)
	s.Noise = 2e-8
	a, r := mat.DenseCopyOf(matOf(s.A)), mat.DenseCopyOf(matOf(s.R))
	grid := []float64{1e-14, 1e-13, 1e-3, 1e-2, 1e-1, 1}
	all := blas.NewGeneral[float64](n, len(grid))
	solved, err := s.SolveGrid(context.Background(), blas.Engine{}, grid, all, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	for k, lambda := range grid {
		added := 0.0
		if k < 2 {
			added = 2e-7
		}
		if got := solved[k]; got.Method != Band || math.Abs(got.Jitter-added) > 1e-12 {
			t.Errorf("λ = %g: %+v, want %g added", lambda, got, added)
			continue
		}
		var m, want mat.Dense
		m.CloneFrom(a)
		for i := range n {
			m.Set(i, i, m.At(i, i)+w*lambda+added)
		}
		if err := want.Solve(&m, r); err != nil {
			t.Fatal(err)
		}
		for i := range n { // the condition is up to 24/1e-7
			if math.Abs(all.Row(i)[k]-want.At(i, 0)) > 1e-6*mat.Norm(&want, 2) {
				t.Fatalf("λ = %g: coefficient %d is %v, want %v", lambda, i, all.Row(i)[k], want.At(i, 0))
			}
		}
	}
}

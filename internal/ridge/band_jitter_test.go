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

// The sums before they are centred have the rounding errors. Features of mean 1 that hardly vary have an eigenvalue far
// below those of tr A, and one jitter is enough for it.
func TestJitterOfMeans(t *testing.T) {
	const n, w = 24, 40.0
	d := make([]float64, n)
	for i := range d {
		d[i] = 1e-3 * float64(1+i)
	}
	d[5] = -1e-5
	system := func() *System {
		s, _ := spectral(t, d, 1, w)
		s.Eps = 0x1p-23
		for i := range s.Z {
			s.Z[i] = 1
		}
		return s
	}
	want := 0x1p-23 * (w*n + 0.3 - 0.006 - 1e-5)
	check := func(got Solved, by Method) {
		t.Helper()
		if got.Method != by || got.Attempts != 1 || math.Abs(got.Jitter-want) > 1e-12 || !got.Unresolved {
			t.Errorf("%+v, want %v with a jitter of %g", got, by, want)
		}
	}
	_, alone, err := system().Solve(context.Background(), blas.Engine{}, 1e-8)
	if err != nil {
		t.Fatal(err)
	}
	check(alone, Cholesky)
	grid := []float64{1e-8, 1e-3, 1e-2, 1e-1, 1, 10}
	solved, err := system().SolveGrid(context.Background(), blas.Engine{}, grid, blas.NewGeneral[float64](n, len(grid)), func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	check(solved[0], Band)
}

package sample

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// A column that is constant in the rows drawn, or nearly, is scaled by what all rows
// have: one row in 3000 has 200 in it.
func TestRobustScalingSeesAllRows(t *testing.T) {
	const n = 6000
	x, y := blas.NewGeneral[float64](n, 2), blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Row(i)[0] = math.Sin(float64(i))
		if i%3000 == 1234 {
			x.Row(i)[1] = 200
		}
	}
	data, err := rff.FromMatrix(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(y.Rows, y.Cols, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		sample, rows, err := Reservoir(data.Batches(context.Background()), 2, 1, Settings{Count: 500, Rows: n, Seed: seed, Run: 1, Read: func(int64) {}})
		if err != nil || rows != n {
			t.Fatalf("%d rows, %v", rows, err)
		}
		s := sample.RobustScaling()
		if got := (200 - s.Shift[1]) / s.Scale[1]; math.Abs(got-5.151658607097801) > 1e-12 {
			t.Errorf("seed %d: 200 goes to %v, want 5.15", seed, got)
		}
		// sin of equally spaced angles: the quantiles of an arcsine law, ±0.99988.
		if got := s.Scale[0] * 5.151658607097801; got < 1.9 || got > 2 {
			t.Errorf("seed %d: the quantiles of a sine are %v apart", seed, got)
		}
	}
}

package trial

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/scaling"
)

// A column that is constant in the rows drawn, or nearly, can be scaled by what all rows
// have: one row in 3000 has 200 in it.
func TestRangesAreOfAllRows(t *testing.T) {
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
		sample, rows, err := Draw(data.Batches(context.Background()), 2, 1, Drawing{Count: 500, Seed: seed})
		if err != nil || rows != n {
			t.Fatalf("%d rows, %v", rows, err)
		}
		robust := func(j int) (shift, scale float64) {
			column := make([]float64, sample.X.Rows)
			dense.Column(column, sample.X, j)
			return scaling.RobustSample(column, sample.Low[j], sample.High[j])
		}
		shift, scale := robust(1)
		if got := (200 - shift) / scale; math.Abs(got-5.151658607097801) > 1e-12 {
			t.Errorf("seed %d: 200 goes to %v, want 5.15", seed, got)
		}
		// sin of equally spaced angles: the quantiles of an arcsine law, ±0.99988.
		if _, scale := robust(0); scale*5.151658607097801 < 1.9 || scale*5.151658607097801 > 2 {
			t.Errorf("seed %d: the quantiles of a sine are %v apart", seed, scale*5.151658607097801)
		}
	}
}

// Every kernel has the median of its own distance: of the points (0, 0), (3, 4) and
// (6, 0) that are 5, 6 and 5 apart, and 7, 6 and 7 as sums of absolute differences.
func TestMedianDistances(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 0, 3, 4, 6, 0})
	data, err := rff.FromMatrix(x, mat.NewDense(3, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := Draw(data.Batches(context.Background()), 2, 1, Drawing{Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	kernels := []rff.Stationary{rff.NewGaussian(), rff.NewLaplacian(), rff.NewMatern(1.5)}
	got, err := rows.MedianDistances(t.Context(), kernels, rff.Scaling{})
	if err != nil || got[0] != 5 || got[1] != 7 || got[2] != 5 {
		t.Errorf("%v, %v", got, err)
	}
	double, err := rows.MedianDistances(t.Context(), kernels, rff.Scaling{Shift: []float64{1, 1}, Scale: []float64{0.5, 0.5}})
	if err != nil || double[0] != 10 || double[1] != 14 {
		t.Errorf("of doubled rows: %v, %v", double, err)
	}
	if one, err := rows.Head(1).MedianDistances(t.Context(), kernels, rff.Scaling{}); err != nil || one[0] != 1 || one[1] != 1 {
		t.Errorf("of one row: %v, %v", one, err)
	}
}

// A value whose square overflows is named with its row, at either end of its column, and one of a row that was not
// drawn is no error.
func TestFarValues(t *testing.T) {
	for _, far := range []float64{-1e200, 1e200} {
		r := &Rows{X: blas.General[float64]{Rows: 4, Cols: 2, Stride: 2, Data: []float64{0, 1, 2, 0, 1, far, 3, 1}}, Index: []int64{7, 8, 9, 10}, Low: []float64{0, min(far, 0)}, High: []float64{3, max(far, 1)}}
		_, err := r.MedianDistances(t.Context(), []rff.Stationary{rff.NewGaussian()}, rff.Scaling{})
		if v := (*rff.ValueError)(nil); !errors.As(err, &v) || v.Row != 9 || v.Column != "input 2" || v.Value != far {
			t.Errorf("%g: %v", far, err)
		}
		r.X.Row(2)[1] = 1
		if d, err := r.MedianDistances(t.Context(), []rff.Stationary{rff.NewGaussian()}, rff.Scaling{}); err != nil || !(d[0] > 0 && d[0] < 4) {
			t.Errorf("%g elsewhere: %v, %v", far, d, err)
		}
	}
}

// The median of a kernel's own distances is that of all of them in order.
func TestMedianInOrder(t *testing.T) {
	x, _ := table(40, 2)
	distance := OwnDistance(rff.NewLaplacian(1))
	for n := 2; n < 40; n++ {
		var all []float64
		for i := range n {
			for j := range i {
				all = append(all, distance(x.Row(i), x.Row(j)))
			}
		}
		slices.Sort(all)
		low, high := all[(len(all)-1)/2], all[len(all)/2]
		if got := median(t.Context(), distance, x.RowRange(0, n)); math.Abs(got-(low+high)/2) > 1e-15*high {
			t.Errorf("%d rows: %v, want %v", n, got, (low+high)/2)
		}
	}
}

// Distances of thousands of inputs are measured on fewer rows, and never on less than a hundred.
func TestPairedRows(t *testing.T) {
	for in, want := range map[int]int{1: 500, 800: 500, 3200: 250, 10000: 141, 1000000: 100} {
		if got := pairedRows(in); got != want {
			t.Errorf("%d inputs: %d rows, want %d", in, got, want)
		}
	}
}

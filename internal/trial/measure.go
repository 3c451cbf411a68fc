package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/scaling"
	"github.com/rffgo/rff/internal/selection"
)

// medianRows is the number of rows whose distances are measured, in pairs: the work grows with
// its square. Pairs of inputs beyond medianInputs, which take .6 s of an AVX2 core in two metrics, are
// left out, but for those of leastMedianRows.
const medianRows, medianInputs, leastMedianRows = 500, 1e8, 100

// pairedRows returns the number of rows of that many inputs whose distances are measured.
func pairedRows(in int) int {
	return min(medianRows, max(leastMedianRows, int(math.Sqrt(2*medianInputs/float64(in)))))
}

// MedianDistances returns the median distance of the first rows, scaled, for every kernel, in the kernel's
// own metric, or 1 where it is not determined. The error is a *rff.ValueError for a value of any row whose
// square overflows, or that of ctx.
func (r *Rows) MedianDistances(ctx context.Context, kernels []rff.Stationary, s rff.Scaling) ([]float64, error) {
	if err := r.near(ctx, s); err != nil {
		return nil, err
	}
	first := r.X.RowRange(0, min(pairedRows(r.X.Cols), r.X.Rows))
	x := blas.NewGeneral[float64](first.Rows, first.Cols)
	scaleTo(x, first, s)
	euclidean, err := rff.MedianDistance(mat.NewDense(x.Rows, x.Cols, x.Data), medianRows, nil)
	if degenerate := (*rff.DegenerateDataError)(nil); errors.As(err, &degenerate) {
		euclidean = 1
	} else if err != nil {
		return nil, err
	}
	out := make([]float64, len(kernels))
	for i, k := range kernels {
		out[i] = euclidean
		if distance := OwnDistance(k); distance != nil {
			out[i] = median(ctx, distance, x)
		}
	}
	return out, ctx.Err()
}

// near returns a *rff.ValueError for the first row with a scaled value whose square overflows, or the error of ctx.
func (r *Rows) near(ctx context.Context, s rff.Scaling) error {
	x := make([]float64, r.X.Cols)
	far := func(row []float64) int {
		scaling.Bent(s.From, s.To, s.Shift, s.Scale, x, row)
		return slices.IndexFunc(x, func(v float64) bool { return !(math.Abs(v) < 0x1p480) })
	}
	if r.Low != nil && far(r.Low) < 0 && far(r.High) < 0 { // so are all between
		return nil
	}
	for i := range r.X.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j := far(r.X.Row(i)); j >= 0 {
			return &rff.ValueError{Row: r.Index[i], Column: fmt.Sprintf("input %d", j+1), Value: r.X.Row(i)[j],
				Need: "it is too far from the other rows to measure their distances: correct or clip the value, or scale the column"}
		}
	}
	return nil
}

// OwnDistance returns the distance that k is a function of, or nil if that is the Euclidean
// one.
func OwnDistance(k rff.Kernel) func(x, y []float64) float64 {
	if own, ok := k.(interface{ Distance(x, y []float64) float64 }); ok {
		return own.Distance
	}
	return nil
}

// median returns the median distance of two rows of x, 1 if it is not determined. It is of no use if
// ctx is done.
func median(ctx context.Context, distance func(x, y []float64) float64, x blas.General[float64]) float64 {
	var all []float64
	for i := 0; i < x.Rows && ctx.Err() == nil; i++ {
		for j := range i {
			all = append(all, distance(x.Row(i), x.Row(j)))
		}
	}
	if len(all) == 0 {
		return 1
	}
	half := (len(all) - 1) / 2
	selection.Kth(all, half)
	if half+1 < len(all) {
		selection.Kth(all[half+1:], 0)
	}
	return scaling.Divisor(scaling.Quantile(all, 0.5)) // which reads these two alone
}

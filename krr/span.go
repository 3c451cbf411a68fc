package krr

import (
	"context"
	"slices"
	"unsafe"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/cg"
	"github.com/rffgo/rff/krr/internal/dual"
)

// fewerRows is how many times as many features as rows make the rows few: passes over coordinates
// are products with n×n numbers. With corners a step factors as many numbers many times, and
// quantilesFewer takes its place.
const fewerRows, quantilesFewer = 3, 2

// span is few rows in coordinates of the span of their features, of which there are no more than
// rows.
type span[T blas.Float] struct {
	*dual.Coordinates
	features *blas.Features[T] // the coordinates themselves
	rows     *cg.Rows[T]
	plan     cg.Plan
}

// newSpan returns nil if rows are not few, or if a budget of that many bytes is too small for their
// products and for the rows in coordinates. Squares stay with the features, since checkpoints
// have coefficients of these.
func newSpan[T blas.Float](ctx context.Context, f *problem, e blas.Engine, budget int64, features func(*rff.Map) *blas.Features[T], rows *cg.Rows[T]) (*span[T], error) {
	if f.loss == nil {
		return nil, nil
	}
	fewer := fewerRows
	if f.loss.Traits().Levels != nil {
		fewer = quantilesFewer
	}
	s, size := f.report.features, int(unsafe.Sizeof(*new(T)))
	x, few := rows.Inputs((s - 1) / fewer)
	if !few {
		return nil, nil
	}
	n := x.Rows
	// The frequencies; the rows twice; their products, these in coordinates, and the features
	// that stand for coordinates; some features at a time, all if they are changed.
	some := min(blas.BlockK, s)
	if f.change != nil {
		some = s
	}
	left := budget - int64(size*x.Cols*(s+2*n)) - int64(8*n*(3*n+2*some))
	plan, err := cg.NewPlan(left, n, n, f.targets, size, nil, f.loss)
	if err != nil || plan.Rows < int64(n*(size*n+8*(f.targets+1))) {
		return nil, nil
	}
	of := dual.Rows{Map: inside.Features64(f.m), Weight: slices.Repeat([]float64{1}, n), X: blas.NewGeneral[float64](n, x.Cols)}
	stream.Convert(of.X.Data, x.Data)
	if narrow := f.precision.Narrow; narrow != nil {
		of.Map32 = narrow(f.m)
	}
	products, err := dual.New(ctx, e, of, 0)
	if err != nil {
		return nil, err
	}
	c, err := products.Coordinates(ctx)
	if err != nil {
		return nil, err
	}
	if c.X.Cols == 0 { // the features are 0 in all rows
		return nil, nil
	}
	given, err := stream.Identity(c.X.Cols)
	if err != nil {
		return nil, err
	}
	return &span[T]{c, features(given), rows.With(c.X), plan}, nil
}

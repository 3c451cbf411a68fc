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

// ofFew returns the system of few rows in coordinates of their span, of which there are no more
// than rows. It returns nil if the rows are not few, or if there is no memory for their products
// and for the rows in coordinates. Squares stay with the features, since checkpoints have
// coefficients of these.
func (c *iterative[T]) ofFew(ctx context.Context, features func(*rff.Map) *blas.Features[T], rows *cg.Rows[T]) (*cg.System[T], error) {
	x, kept := rows.Inputs()
	n, size := x.Rows, int(unsafe.Sizeof(*new(T)))
	if c.loss == nil || !kept {
		return nil, nil
	}
	fewer := fewerRows
	if c.loss.Traits().Levels != nil {
		fewer = quantilesFewer
	}
	if fewer*n >= c.report.features {
		return nil, nil
	}
	// The frequencies; the rows twice; their products, these in coordinates, and the features
	// that stand for coordinates; some features at a time, all if they are changed.
	some := min(blas.BlockK, c.report.features)
	if c.change != nil {
		some = c.report.features
	}
	left := c.budget - int64(size*x.Cols*(c.report.features+2*n)) - int64(8*n*(3*n+2*some))
	plan, err := cg.NewPlan(left, n, n, c.targets, size, nil, c.loss)
	if err != nil || plan.Rows < int64(n*(size*n+8*(c.targets+1))) {
		return nil, nil
	}
	of := dual.Rows{Map: inside.Features64(c.m), Weight: slices.Repeat([]float64{1}, n), X: blas.NewGeneral[float64](n, x.Cols)}
	stream.Convert(of.X.Data, x.Data)
	if narrow := c.precision.Narrow; narrow != nil {
		of.Map32, of.X32 = narrow(c.m), blas.NewGeneral[float32](n, x.Cols)
		stream.Convert(of.X32.Data, x.Data)
	}
	products, err := dual.New(ctx, c.engine, of, 0)
	if err != nil {
		return nil, err
	}
	if c.span, err = products.Coordinates(ctx); err != nil {
		return nil, err
	}
	r := c.span.X.Cols
	given, err := stream.Identity(r)
	if err != nil {
		return nil, err
	}
	c.plan = plan
	c.engine.Workers = c.plan.Workers(c.engine.Workers)
	c.resuming.choice = newChoice(blas.NewGeneral[float64](r+1, c.targets), len(c.grid))
	return cg.New(features(given), nil, c.engine, rows.With(c.span.X), c.plan, c.loss, c.Seed), nil
}

package krr

import (
	"context"
	"math"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/dual"
)

// few is a fit of fewer rows than features. It keeps them all and solves the dual
// problem.
type few struct {
	*problem
	most    int       // there must be fewer rows of positive weight than this
	x, y, w []float64 // the rows
	of      []int     // their folds, nil if there is only one
	rows    int
	// sections finds the kernel section on every row. It is nil if some row has none.
	sections *sectionRows
}

// newFew returns a fit of few rows, nil if the settings need the sums.
func newFew(p *problem) *few {
	if !p.fewRows(p.precision) {
		return nil
	}
	in, _ := p.data.Schema().Dims()
	return &few{problem: p, most: p.Settings.fewerThan(p.precision, in, p.report.features), sections: newSectionRows(p)}
}

// take keeps the rows of b, in those folds, and returns true. If there would be too many rows,
// it keeps none of b and returns false.
func (f *few) take(b rff.Batch, folds []int) bool {
	n := b.X.Rows
	for _, w := range b.Weight {
		if w == 0 {
			n--
		}
	}
	if f.sections != nil && !f.sections.add(b) {
		f.sections = nil
	}
	rows := f.rows + n
	if b.Weight == nil { // the source counts no rows of weight 0
		rows = max(rows, int(min(stream.Count(f.data), math.MaxInt32)))
	}
	if rows >= f.most && (f.sections == nil || rows > f.extent(0).mostExact()) {
		return false
	}
	for i, w := range stream.Present(b.Weight, b.X.Rows) {
		if folds != nil {
			f.of = append(f.of, folds[i])
		}
		f.x = append(f.x, b.X.Row(i)...)
		f.y = append(f.y, b.Y.Row(i)...)
		f.w = append(f.w, w)
	}
	f.rows += n
	return true
}

// matrices returns the inputs and targets of the rows.
func (f *few) matrices() (x, y blas.General[float64]) {
	in, t := f.data.Schema().Dims()
	return blas.General[float64]{Rows: f.rows, Cols: in, Stride: in, Data: f.x},
		blas.General[float64]{Rows: f.rows, Cols: t, Stride: t, Data: f.y}
}

// finish chooses λ and solves. h, unless it is nil, measures the rows left out.
func (f *few) finish(ctx context.Context, h *held) (*Model, *Report, error) {
	start := time.Now()
	if f.rows == 0 {
		return nil, nil, none(noWeight)
	}
	d, err := f.dual(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := f.fixed()
	if at == nil {
		if at, err = f.choose(ctx, d, h); err != nil {
			return nil, nil, err
		}
	}
	lambda := f.lambdaAt(at)
	f.report.Took["select"] = time.Since(start)
	start = time.Now()
	s, err := d.Solve(ctx, lambda)
	if err != nil {
		return nil, nil, public(err)
	}
	of := f.model
	if f.sections != nil {
		of = f.baseModel
	}
	model := of(s.Coef, s.Intercept, lambda)
	model.solved, model.r2, model.rmse = solvedOf(s.Solved), s.R2, s.RMSE
	model.solved.dual = true
	f.report.Took["solve"] = time.Since(start)
	f.report.Train.R2, f.report.Train.RMSE = s.R2, s.RMSE
	model.prov = f.provenance(model)
	return model, &f.report, ctx.Err()
}

// choose returns the index of every target's λ.
func (f *few) choose(ctx context.Context, d *dual.Problem, h *held) ([]int, error) {
	var row dual.Row
	if h != nil {
		row = h.row
	}
	selecting := newStage(f.Progress, "select", len(d.Folds()))
	points, err := d.CrossValidate(ctx, f.grid, selecting.add, row)
	if err != nil {
		return nil, public(err)
	}
	selecting.end()
	path := pathOf(points)
	variances := d.Variance()
	variance := func(t int) float64 { return variances[t] }
	at := f.best(path, func(t int) float64 { return equalShare * variances[t] })
	if h != nil {
		f.report.HeldOut = h.report(path, at, variance)
	}
	return at, nil
}

// dual makes the products of the features of the rows.
func (f *few) dual(ctx context.Context) (*dual.Problem, error) {
	x, y := f.matrices()
	n, e := x.Rows, inside.Engine(f.m)
	for i := range n {
		f.report.weight += f.w[i]
		stream.Less(y.Row(i), y.Row(i), f.shift.at)
	}
	if err := f.checkSums(f.report.weight, &f.shift); err != nil {
		return nil, err
	}
	stream.ScaleRows(f.Scaling, x, x)
	if f.sections != nil {
		return dual.New(ctx, e, dual.Rows{Map: inside.Features64(f.base), Section: f.sections.at, X: x, Y: y, Weight: f.w, Ref: f.shift.at, Fold: f.of}, f.grid[0])
	}
	r := dual.Rows{Map: inside.Features64(f.m), X: x, Y: y, Weight: f.w, Ref: f.shift.at, Fold: f.of}
	if narrow := f.precision.Narrow; narrow != nil {
		r.Map32 = narrow(f.m)
	}
	return dual.New(ctx, e, r, f.grid[0])
}

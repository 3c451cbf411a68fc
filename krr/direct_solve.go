package krr

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// run reads the rows and solves.
func (f *direct) run(ctx context.Context) (*Model, *Report, error) {
	if err := f.resuming.open(); err != nil {
		return nil, nil, err
	}
	defer f.resuming.close()
	if f.resuming.at != nil {
		f.shift.at = f.resuming.at
	}
	if err := f.read(ctx); err != nil {
		return nil, nil, err
	}
	if f.rows == 0 {
		return nil, nil, none("rows")
	}
	if f.few != nil {
		return f.few.finish(ctx, f.held)
	}
	return f.finish(ctx)
}

// finish chooses λ and solves.
func (f *direct) finish(ctx context.Context) (*Model, *Report, error) {
	for _, g := range f.grams { // the last row block of each: with thousands of features it takes some tenths of a second
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		g.added()
	}
	f.report.gram = f.copied()
	total, err := f.total()
	if err != nil {
		return nil, nil, err
	}
	f.report.weight = total.added().W
	start := time.Now()
	at, err := f.choose(ctx, total)
	if err != nil {
		return nil, nil, err
	}
	for i := range f.grams {
		f.grams[i] = nil // the folds' memory is free for the solve
	}
	f.report.Took["select"] = time.Since(start)
	start = time.Now()
	sums, in := total.sums()
	// The system takes the memory of the sums, which are not needed any more.
	solving := newStage(f.Progress, "solve", 1)
	model, err := total.solveSystem(ctx, ridge.NewIn(in, sums, total.reference()), f.lambdaAt(at), f.keepsFactors(), solving)
	if err != nil {
		return nil, nil, err
	}
	solving.end()
	model.schema = f.schema
	if f.ClipPredictions && f.classes == nil {
		model.lo, model.hi = total.shift.lo, total.shift.hi
	}
	f.report.Took["solve"] = time.Since(start)
	f.report.Train.R2, f.report.Train.RMSE = model.r2, model.rmse
	if f.Probabilities {
		start = time.Now()
		if f.report.HeldOut, err = f.held.scores.at(at).calibrate(ctx, model); err != nil {
			return nil, nil, err
		}
		f.report.Took["calibrate"] = time.Since(start)
	}
	if f.sample != nil {
		if err := model.keep(f.sample, f.by); err != nil {
			return nil, nil, err
		}
	}
	model.prov = f.provenance(model)
	return model, &f.report, ctx.Err()
}

// copied returns a Gram of all folds for Settings.Gram, or nil. total may put the sums of the
// folds in coordinates in which no rows can be added.
func (f *direct) copied() *Gram {
	if f.Gram == nil {
		return nil
	}
	g := NewGram(f.m, f.targets, GramSettings{Precision: f.Settings.Precision, Scaling: f.Scaling, Schema: f.schema, ClipPredictions: f.ClipPredictions, Variance: f.Uncertainty == byVariance})
	g.shift.at = f.shift.at
	for _, of := range f.grams {
		g.shift.merge(&of.shift)
		g.core.Merge(of.added(), 1)
		g.origins = append(g.origins, of.origins...)
	}
	return g
}

// total returns the Gram of all folds, and checks that it can be solved with every λ. Where
// there are several folds, it has no G until join: G takes as much memory as the sums of a
// fold.
func (f *direct) total() (*Gram, error) {
	// Coordinates with a penalty give no variances and no criteria other than cross-validation.
	settle(f.grams, !f.keepsFactors() && len(f.grid) <= ridge.FewLambdas && (len(f.grid) == 1 || f.crossValidates()))
	total := f.grams[0]
	if len(f.grams) > 1 {
		total = total.empty(false)
		for _, g := range f.grams {
			if err := total.Merge(g); err != nil {
				return nil, err
			}
		}
		total.in = f.grams[0].in
	}
	total = total.centred()
	for _, g := range f.grams {
		g.mean = total.mean
	}
	sums := total.summed()
	if !(sums.W > 0) {
		return nil, none(noWeight)
	}
	return total, f.checkSums(sums.W, &total.shift)
}

// join adds up G of total in the memory of the first fold's G, which nothing uses after that.
func (f *direct) join(total *Gram) {
	sums := total.added()
	if sums.G.Rows > 0 {
		return
	}
	sums.G = f.grams[0].added().G
	for _, g := range f.grams[1:] {
		for i := range sums.G.Rows {
			row := sums.G.Row(i)[i:]
			dense.Add(row, g.added().G.Row(i)[i:])
		}
	}
}

// choose returns the index of every target's λ.
func (f *direct) choose(ctx context.Context, total *Gram) ([]int, error) {
	sums := total.summed()
	held, err := f.crossValidate(ctx, total)
	if err != nil {
		return nil, err
	}
	f.join(total)
	at := f.fixed()
	if at == nil {
		path, err := f.criterion(ctx, total, held)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(path, func(p PathPoint) bool { return totalOf(&p) < math.Inf(1) }) { // one row has all the weight
			return nil, none(fmt.Sprintf("finite error by %s to choose λ with: give more rows of positive weight, or set lambda", f.Criterion))
		}
		if held == nil {
			held = path
		}
		equal := func(t int) float64 { return equalShare * sums.YY[t] / sums.W }
		if f.byLogLoss() && f.held.rows > 0 {
			if path, err = f.held.scores.path(ctx, inside.Engine(f.m), path); err != nil {
				return nil, err
			}
			equal = func(int) float64 { return 1 / float64(f.held.rows) }
		}
		at = f.best(path, equal)
	}
	if f.held != nil && !f.Probabilities { // with Probabilities the calibration measures
		f.report.HeldOut = f.held.report(held, at, func(t int) float64 { // the same for every reference
			return sums.YY[t]/sums.W - float64((sums.Y[t]/sums.W)*(sums.Y[t]/sums.W))
		})
	}
	return at, nil
}

// crossValidate returns the error of every λ on the rows left out, nil without folds.
func (f *direct) crossValidate(ctx context.Context, total *Gram) ([]PathPoint, error) {
	if len(f.grams) == 1 {
		return nil, nil
	}
	sums := make([]*blas.Sums, len(f.grams))
	for i, g := range f.grams {
		sums[i] = g.summed()
	}
	var keep func(holdout.Model) error
	if f.held != nil { // one fold's coefficients at a time
		keep = f.held.measure
	}
	selecting := newStage(f.Progress, "select", len(sums))
	points, err := holdout.CrossValidate(ctx, inside.Engine(f.m), total.summed(), sums, *total.in, f.grid, total.reference(), selecting.add, keep)
	if err != nil {
		return nil, public(err)
	}
	selecting.end()
	return pathOf(points), nil
}

// criterion returns the path that λ is chosen on. held is the path by cross-validation.
func (f *direct) criterion(ctx context.Context, total *Gram, held []PathPoint) ([]PathPoint, error) {
	switch f.Criterion {
	case GCV:
		selecting := newStage(f.Progress, "select", 1)
		all, err := total.analyze(ctx, f.grid, selecting)
		if err != nil {
			return nil, err
		}
		selecting.end()
		var path []PathPoint
		for _, a := range all {
			p := PathPoint{Lambda: a.Lambda, Error: a.Error, Freedom: a.Freedom, Solved: a.Solved}
			path = append(path, p)
		}
		return path, nil
	case LeaveOneOut:
		if held == nil && f.held != nil {
			return total.leaveOneOut(ctx, f.data, f.grid, f.held.left)
		}
		return total.LeaveOneOut(ctx, f.data, f.grid)
	case CrossValidation, "":
		return held, nil
	}
	panic("krr: a criterion that has no path")
}

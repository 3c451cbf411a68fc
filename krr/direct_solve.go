package krr

import (
	"context"
	"time"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
)

// finish chooses λ and solves.
func (f *direct) finish(ctx context.Context) (*Model, *Report, error) {
	if f.report.Rows == 0 {
		return nil, nil, &EmptyError{"rows"}
	}
	if f.early != nil {
		in, targets := f.data.Dims()
		return f.fitDual(ctx, f.early.memory(in, targets))
	}
	total, err := f.total()
	if err != nil {
		return nil, nil, err
	}
	sums := total.Sums()
	f.report.Weight = sums.W
	start := time.Now()
	path, folds, err := f.path(ctx, total)
	if err != nil {
		return nil, nil, err
	}
	lambda, at := make([]float64, f.targets), make([]int, f.targets)
	if len(f.grid) > 1 {
		f.report.Path = path
		f.choose(at, path, func(t int) float64 { return sums.YY[t] / sums.W })
	}
	for t := range lambda {
		lambda[t] = f.grid[at[t]]
	}
	if f.held != nil {
		f.report.HeldOut = f.held.report(at, func(t int) float64 { // whatever the sums are shifted by
			return sums.YY[t]/sums.W - float64((sums.Y[t]/sums.W)*(sums.Y[t]/sums.W))
		})
	}
	for i := range f.grams {
		f.grams[i] = nil // the folds' memory is free for the solve
	}
	f.report.Select = time.Since(start)
	start = time.Now()
	// The sums are not needed any more: form the system on their memory.
	solving := newStage(f.Progress, "solve", 1)
	model, err := total.solveSystem(ctx, ridge.NewIn(sums.G, sums, nil, total.shift.at), lambda, f.Variance, solving)
	if err != nil {
		return nil, nil, err
	}
	solving.end()
	model.classes = f.Classes
	if f.ClipPredictions && f.classes == nil {
		model.lo, model.hi = total.shift.lo, total.shift.hi
	}
	f.report.Lambda, f.report.Solved, f.report.Solve = lambda, model.solved, time.Since(start)
	f.report.R2, f.report.RMSE = model.r2, model.rmse
	if f.Probabilities {
		start = time.Now()
		if err := f.calibrate(ctx, model, folds, at); err != nil {
			return nil, nil, err
		}
		f.report.Calibrate = time.Since(start)
	}
	model.prov = f.provenance(model)
	return model, &f.report, ctx.Err()
}

// total returns the Gram of all folds, checked for solving with every λ.
func (f *direct) total() (*Gram, error) {
	total := f.grams[0]
	if len(f.grams) > 1 {
		total = total.empty()
		for _, g := range f.grams {
			if err := total.Merge(g); err != nil {
				return nil, err
			}
		}
	}
	if total != f.grams[0] {
		for _, g := range f.grams {
			g.finish()
		}
	}
	total.finish()
	sums := total.Sums()
	if !(sums.W > 0) {
		return nil, &EmptyError{"rows of positive weight"}
	}
	return total, f.checkSums(sums.W, &total.shift)
}

// path returns the criterion of every λ, and the models of the folds if they
// are needed.
func (f *direct) path(ctx context.Context, total *Gram) ([]PathPoint, []foldModel, error) {
	var folds []foldModel
	var path []PathPoint
	if len(f.grams) > 1 {
		sums := make([]*blas.Sums, len(f.grams))
		for i, g := range f.grams {
			sums[i] = g.Sums()
		}
		keep := &folds
		if !f.Probabilities && f.held == nil {
			keep = nil
		}
		var err error
		selecting := newStage(f.Progress, "select", len(sums))
		path, err = crossValidate(ctx, f.m.Engine(), total.Sums(), sums, f.grid, total.shift.at, keep, selecting, func() error {
			if f.held == nil {
				return nil
			}
			last := folds[len(folds)-1]
			folds = folds[:0] // one fold's coefficients at a time
			return f.held.measure(last)
		})
		if err != nil {
			return nil, nil, err
		}
		selecting.end()
		if f.held != nil {
			f.held.path = path
		}
	}
	if len(f.grid) == 1 {
		return path, folds, nil
	}
	switch f.Criterion {
	case GCV:
		selecting := newStage(f.Progress, "select", 1)
		all, err := total.analyze(ctx, f.grid, selecting)
		if err != nil {
			return nil, nil, err
		}
		selecting.end()
		path = nil
		for _, a := range all {
			path = append(path, PathPoint{Lambda: a.Lambda, MSE: a.GCV, Freedom: a.Freedom, Solved: a.Solved})
		}
	case LeaveOneOut:
		var err error
		if path, err = total.LeaveOneOut(ctx, f.data, f.grid); err != nil {
			return nil, nil, err
		}
	}
	return path, folds, nil
}

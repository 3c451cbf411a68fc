// Package holdout leaves the rows of one fold after the other out of a fit, and
// measures the fit on them.
package holdout

import (
	"context"
	"errors"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/schedule"
)

// ErrFolds says that fewer than two folds have rows.
var ErrFolds = errors.New("holdout: fewer than two folds with rows")

// Point is one λ of a path.
type Point struct {
	Lambda float64
	Error  []float64    // squared error of the rows left out, per target
	StdErr float64      // standard error over folds of the error summed over targets
	Solved ridge.Solved // the worst of the folds
}

// Path gathers the errors of the folds.
type Path struct {
	points []Point
	w      float64
	totals [][]float64 // per fold and λ, summed over targets
}

// NewPath returns a path without folds.
func NewPath(grid []float64, targets int) *Path {
	p := &Path{points: make([]Point, len(grid))}
	for i, l := range grid {
		p.points[i] = Point{Lambda: l, Error: make([]float64, targets)}
	}
	return p
}

// Add adds a fold of weight w with squared errors per λ and target.
func (p *Path) Add(errs []float64, w float64, solved []ridge.Solved) {
	fold := make([]float64, len(p.points))
	t := len(errs) / len(fold)
	for c, v := range errs {
		p.points[c/t].Error[c%t] += v
		fold[c/t] += v / w
	}
	p.w += w
	p.totals = append(p.totals, fold)
	for i, v := range solved {
		s := &p.points[i].Solved
		v.Unresolved = v.Unresolved || s.Unresolved
		if s.Method == "" || v.Attempts > s.Attempts {
			*s = v
		}
		s.Unresolved = v.Unresolved
	}
}

// Points returns the means over folds. The error is ErrFolds.
func (p *Path) Points() ([]Point, error) {
	n := len(p.totals)
	if n < 2 {
		return nil, ErrFolds
	}
	for i := range p.points {
		for t := range p.points[i].Error {
			p.points[i].Error[t] /= p.w
		}
		var mean, ss float64
		for _, f := range p.totals {
			mean += f[i] / float64(n)
		}
		for _, f := range p.totals {
			ss += float64((f[i] - mean) * (f[i] - mean))
		}
		p.points[i].StdErr = math.Sqrt(ss / float64(n*(n-1)))
	}
	return p.points, nil
}

// Model holds the coefficients of every λ fitted without one fold.
type Model struct {
	ridge.Coordinates // of Coef
	Fold              int
	Coef              blas.General[float64] // in the order of ridge.System.SolveGrid
	Intercept         []float64
}

// CrossValidate returns the error of every λ of the ascending grid on the rows left
// out, from the sums of the folds and of all rows, with ref subtracted from the targets, in
// coordinates in. total may lack G: it is then the sum of G of the folds, in order. Each worker
// takes a fold. Workers share a fold only if there are more workers than folds. advance is
// called with shares of the work on one fold, and keep, unless it is nil, with the model of
// every fold, whose coefficients change when it returns.
//
// Errors: ErrFolds; those of ridge.System.SolveGrid, of keep and of ctx.
func CrossValidate(ctx context.Context, e blas.Engine, total *blas.Sums, folds []*blas.Sums, in ridge.Coordinates, grid []float64, ref []float64, advance func(share float64), keep func(Model) error) ([]Point, error) {
	path := NewPath(grid, total.ZY.Cols)
	var use []int // folds that leave rows to train on and to test on
	for i, h := range folds {
		if h.W != 0 && total.W-h.W > 0 && total.Rows > h.Rows {
			use = append(use, i)
		}
	}
	lanes := make([]lane, min(schedule.Workers(e.Workers), len(use)))
	for len(use) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now := use[:min(len(lanes), len(use))]
		use = use[len(now):]
		e.Each(len(now), func(share blas.Engine, i int) {
			lanes[i].measure(ctx, share, total, folds, now[i], in, grid, ref, advance, keep != nil)
		})
		for i, fold := range now {
			l := &lanes[i]
			if l.err != nil {
				return nil, l.err
			}
			path.Add(l.errs, folds[fold].W, l.solved)
			if keep == nil {
				continue
			}
			if err := keep(Model{in, fold, l.all, l.train.Intercept(l.all)}); err != nil {
				return nil, err
			}
		}
	}
	return path.Points()
}

// lane is the memory for one fold at a time.
type lane struct {
	train  *ridge.System
	all    blas.General[float64] // the coefficients, if they are wanted
	errs   []float64
	solved []ridge.Solved
	err    error
}

// measure solves the system without a fold and predicts its rows.
func (l *lane) measure(ctx context.Context, e blas.Engine, total *blas.Sums, folds []*blas.Sums, fold int, in ridge.Coordinates, grid, ref []float64, advance func(share float64), keep bool) {
	h := folds[fold]
	if l.train == nil {
		l.train = ridge.New(in, total, h, ref, folds...)
	} else {
		l.train.Form(total, h)
	}
	if keep && l.all.Data == nil {
		l.all = blas.NewGeneral[float64](total.ZY.Rows, total.ZY.Cols*len(grid))
	}
	l.errs, l.solved, l.err = l.train.HeldOut(ctx, e, h, grid, l.all, advance)
}

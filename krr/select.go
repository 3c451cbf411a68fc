package krr

import (
	"context"
	"math"
	"runtime"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
)

// PathPoint is one λ of a path.
type PathPoint struct {
	Lambda  float64
	MSE     []float64 // estimated squared error of new rows, per target
	StdErr  float64   // standard error over folds of the error summed over targets; 0 without folds
	Freedom float64   // effective degrees of freedom d_K^λ; 0 if not computed
	Solved  Solved    // the worst of the folds
}

// Total returns the error summed over the targets.
func (p *PathPoint) Total() float64 {
	var s float64
	for _, e := range p.MSE {
		s += e
	}
	return s
}

// foldModel are the coefficients of every λ fitted without one fold.
type foldModel struct {
	fold      int
	coef      blas.General[float64] // as solveGrid orders them
	intercept []float64
}

// foldPath gathers the held-out errors of the folds.
type foldPath struct {
	points []PathPoint
	w      float64
	totals [][]float64 // per fold and λ, summed over targets
}

func newFoldPath(grid []float64, targets int) *foldPath {
	p := &foldPath{points: make([]PathPoint, len(grid))}
	for i, l := range grid {
		p.points[i] = PathPoint{Lambda: l, MSE: make([]float64, targets)}
	}
	return p
}

// add adds a fold of weight w with squared errors per λ and target.
func (p *foldPath) add(errs []float64, w float64, solved []ridge.Solved) {
	fold := make([]float64, len(p.points))
	t := len(errs) / len(fold)
	for c, v := range errs {
		p.points[c/t].MSE[c%t] += v
		fold[c/t] += v / w
	}
	p.w += w
	p.totals = append(p.totals, fold)
	for i, v := range solved {
		if s := &p.points[i].Solved; s.Solver == "" || v.Attempts > s.Attempts {
			*s = solvedOf(v)
		}
	}
}

// path returns the means over folds.
func (p *foldPath) path() ([]PathPoint, error) {
	n := len(p.totals)
	if n < 2 {
		return nil, &EmptyError{"two folds with rows to choose λ with: give more rows, or set lambda"}
	}
	for i := range p.points {
		for t := range p.points[i].MSE {
			p.points[i].MSE[t] /= p.w
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

// crossValidate returns the held-out error of every λ of the ascending grid,
// from the sums of the folds and their total, of targets less ref. Workers share the
// folds before they share the work on one. It advances progress by a part
// per fold, and calls kept after each that it keeps.
func crossValidate(ctx context.Context, e blas.Engine, total *blas.Sums, folds []*blas.Sums, grid []float64, ref []float64, keep *[]foldModel, progress *stage, kept func() error) ([]PathPoint, error) {
	s, targets := total.ZY.Rows, total.ZY.Cols
	path := newFoldPath(grid, targets)
	var use []int // folds that leave rows to train on and to test on
	for i, h := range folds {
		if h.W != 0 && total.W-h.W > 0 && total.Rows > h.Rows {
			use = append(use, i)
		}
	}
	// lane is what one fold at a time needs.
	type lane struct {
		train        *ridge.System
		all, scratch blas.General[float64]
		errs         []float64
		solved       []ridge.Solved
		err          error
	}
	lanes := make([]lane, min(workersOf(e), len(use)))
	for len(use) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now := use[:min(len(lanes), len(use))]
		use = use[len(now):]
		e.Each(len(now), func(share blas.Engine, i int) {
			l, h := &lanes[i], folds[now[i]]
			if l.train == nil {
				l.train = ridge.New(total, h, ref)
				l.all, l.scratch = blas.NewGeneral[float64](s, targets*len(grid)), blas.NewGeneral[float64](s, targets*len(grid))
			} else {
				l.train.Form(total, h)
			}
			if l.solved, l.err = l.train.SolveGrid(ctx, share, grid, l.all, progress.add); l.err == nil {
				l.errs = l.train.HeldOut(share, h, l.all, l.scratch)
			}
		})
		for i, fold := range now {
			l := &lanes[i]
			if l.err != nil {
				return nil, ridgeError(l.err)
			}
			path.add(l.errs, folds[fold].W, l.solved)
			if keep != nil {
				*keep = append(*keep, foldModel{fold, dense.Clone(l.all), l.train.Intercept(l.all)})
				if err := kept(); err != nil {
					return nil, err
				}
			}
		}
	}
	return path.path()
}

// workersOf returns the number of workers that e asks for.
func workersOf(e blas.Engine) int {
	if e.Workers > 0 {
		return e.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// best returns the index of the least error on an ascending path, the largest λ
// among those that agree to rounding of scale, the error of predicting the mean.
func best(path []PathPoint, scale float64, value func(*PathPoint) float64) int {
	at := len(path) - 1
	for i := at - 1; i >= 0; i-- {
		if value(&path[i]) < value(&path[at])-float64(1e-12*scale) {
			at = i
		}
	}
	return at
}

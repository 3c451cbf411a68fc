// Package dual solves ridge regression on fewer rows than features. With Z centred
// and weighted, β = Zᵀ(ZZᵀ + nλI)⁻¹(y − ȳ) takes an n×n system in place of an s×s
// one. To rounding it is the same β, since (ZᵀZ + nλI)⁻¹Zᵀ = Zᵀ(ZZᵀ + nλI)⁻¹.
package dual

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Problem is the dual problem of rows in memory.
type Problem struct {
	e    blas.Engine
	z    blas.General[float64] // n×s
	y    blas.General[float64] // less ref
	w    []float64
	ref  []float64
	fold []int                 // nil if there is only one
	k    blas.General[float64] // ZZᵀ, uncentred
}

// New returns the problem of rows with features z, n×s, targets y less ref, and
// positive weights w. fold is nil if there is only one. It keeps z and y.
// The error is that of ctx.
func New(ctx context.Context, e blas.Engine, z, y blas.General[float64], w, ref []float64, fold []int) (*Problem, error) {
	n := z.Rows
	d := &Problem{e: e, z: z, y: y, w: w, ref: ref, fold: fold, k: blas.NewGeneral[float64](n, n)}
	for i := 0; i < n; i += blas.RowBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j := min(i+blas.RowBlock, n)
		blas.Gemm(e, false, true, 1, z.RowRange(i, j), z, 0, d.k.RowRange(i, j))
	}
	dense.Mirror(d.k)
	return d, nil
}

// Variance returns the mean square of every target about its mean.
func (d *Problem) Variance() []float64 {
	all := d.system(d.rows(-1, false))
	for t := range all.YY {
		all.YY[t] /= all.W
	}
	return all.YY
}

// Solution of a problem, for one λ per target.
type Solution struct {
	Coef      blas.General[float64] // s×t
	Intercept []float64
	R2, RMSE  []float64    // on the rows
	Solved    ridge.Solved // the worst of the targets
}

// Solve returns the solution for one λ per target. It overwrites the features, so it
// must be the last call. Errors: those of ridge.System.Solve.
func (d *Problem) Solve(ctx context.Context, lambda []float64) (*Solution, error) {
	t := len(lambda)
	rows := d.rows(-1, false)
	sys := d.system(rows)
	alpha := blas.NewGeneral[float64](len(rows), t)
	s := &Solution{R2: make([]float64, t), RMSE: make([]float64, t)}
	done := map[float64]bool{}
	for _, l := range lambda {
		if done[l] {
			continue
		}
		done[l] = true
		c, info, err := sys.Solve(ctx, d.e, l)
		if err != nil {
			return nil, err
		}
		if s.Solved.Method == "" || info.Attempts > s.Solved.Attempts || info.Condition > s.Solved.Condition {
			s.Solved = info
		}
		for u := range lambda {
			if lambda[u] != l {
				continue
			}
			var rss float64
			for i, r := range rows {
				v := c.Row(i)[u]
				rss += float64(v * v)
				alpha.Row(r)[u] = v * math.Sqrt(d.w[r])
			}
			mu := float64(sys.W*l) + info.Jitter
			rss *= mu * mu // the residuals are nλ·α
			s.RMSE[u] = math.Sqrt(rss / sys.W)
			if sys.YY[u] > 0 {
				s.R2[u] = 1 - rss/sys.YY[u]
			}
		}
	}
	s.Coef, sys.Z = d.coefficients(alpha, sys.W)
	s.Intercept = sys.Intercept(s.Coef)
	return s, nil
}

// coefficients returns β = Σαᵢ(zᵢ − z̄) and z̄, for rows of weight w. It centres Z in
// place.
func (d *Problem) coefficients(alpha blas.General[float64], w float64) (coef blas.General[float64], mean []float64) {
	n, s := d.z.Rows, d.z.Cols
	mean = make([]float64, s)
	for i := range n {
		for j, v := range d.z.Row(i) {
			mean[j] += float64(d.w[i]*v) / w
		}
	}
	for i := range n {
		row := d.z.Row(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	coef = blas.NewGeneral[float64](s, alpha.Cols)
	blas.Gemm(d.e, true, false, 1, d.z, alpha, 0, coef)
	return coef, mean
}

// rows returns the rows outside a fold, or in it if inside is set. −1 is no fold.
func (d *Problem) rows(fold int, inside bool) []int {
	var out []int
	for i := range d.w {
		if (d.fold != nil && d.fold[i] == fold) == inside {
			out = append(out, i)
		}
	}
	return out
}

// system forms A = √w(z−z̄)ᵀ(z−z̄)√w and R = √w(y−ȳ) of the rows given. Its z
// holds the centring of the kernel: the weighted mean of every row of ZZᵀ, then
// the mean of those means.
func (d *Problem) system(rows []int) *ridge.System {
	n, t := len(rows), d.y.Cols
	s := &ridge.System{Rows: int64(n), Y: make([]float64, t), YY: make([]float64, t), Z: make([]float64, n+1),
		A: blas.NewGeneral[float64](n, n), Diag: make([]float64, n), R: blas.NewGeneral[float64](n, t), Ref: d.ref}
	for _, r := range rows {
		s.W += d.w[r]
		for k, v := range d.y.Row(r) {
			s.Y[k] += float64(d.w[r] * v)
		}
	}
	for k := range s.Y {
		s.Y[k] /= s.W
	}
	for i, r := range rows {
		s.Z[i] = d.rowMean(r, rows, s.W)
		s.Z[n] += float64(d.w[r]*s.Z[i]) / s.W
	}
	for i, r := range rows {
		wi := math.Sqrt(d.w[r])
		for j, c := range rows[:i+1] {
			v := float64(wi * math.Sqrt(d.w[c]) * (d.k.Row(r)[c] - s.Z[i] - s.Z[j] + s.Z[n]))
			s.A.Row(i)[j], s.A.Row(j)[i] = v, v
		}
		s.Diag[i] = max(s.A.Row(i)[i], 0)
		s.A.Row(i)[i] = s.Diag[i]
		for k, v := range d.y.Row(r) {
			c := v - s.Y[k]
			s.R.Row(i)[k] = wi * c
			s.YY[k] += float64(d.w[r] * c * c)
		}
	}
	return s
}

// rowMean returns the weighted mean over rows of row r of ZZᵀ.
func (d *Problem) rowMean(r int, rows []int, w float64) float64 {
	var sum float64
	for _, c := range rows {
		sum += float64(d.w[c] * d.k.Row(r)[c])
	}
	return sum / w
}

// Row is called with the predictions of a row that was left out, one per λ and
// target and less the mean of the targets, and with its targets and weight.
type Row func(f, mean, y []float64, w float64)

// CrossValidate returns the error of every λ of the ascending grid on the rows that
// the folds leave out. It calls advance with shares of the work on one of the
// Folds, and row, unless it is nil, for every row. Errors: holdout.ErrFolds; those
// of ridge.System.SolveGrid and of ctx.
func (d *Problem) CrossValidate(ctx context.Context, grid []float64, advance func(share float64), row Row) ([]holdout.Point, error) {
	p := holdout.NewPath(grid, d.y.Cols)
	for _, fold := range d.Folds() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		train, test := d.rows(fold, false), d.rows(fold, true)
		if len(train) == 0 || len(test) == 0 {
			continue
		}
		s := d.system(train)
		all := blas.NewGeneral[float64](len(train), d.y.Cols*len(grid))
		solved, err := s.SolveGrid(ctx, d.e, grid, all, advance)
		if err != nil {
			return nil, err
		}
		errs, w := d.heldOut(s, train, test, all, row)
		p.Add(errs, w, solved)
	}
	return p.Points()
}

// Folds returns the folds that have rows; there may be many without.
func (d *Problem) Folds() []int {
	folds := slices.Clone(d.fold)
	slices.Sort(folds)
	return slices.Compact(folds)
}

// heldOut returns the squared errors of the rows test, per λ and target, and their
// weight, for all, the coefficients of the system s of the rows train.
func (d *Problem) heldOut(s *ridge.System, train, test []int, all blas.General[float64], row Row) (errs []float64, w float64) {
	t := d.y.Cols
	for i, r := range train {
		row := all.Row(i)
		for c := range row {
			row[c] *= math.Sqrt(d.w[r])
		}
	}
	cross := blas.NewGeneral[float64](len(test), len(train))
	for i, r := range test {
		mean := d.rowMean(r, train, s.W)
		for j, c := range train {
			cross.Row(i)[j] = d.k.Row(r)[c] - mean - s.Z[j] + s.Z[len(train)]
		}
	}
	fit := blas.NewGeneral[float64](len(test), all.Cols)
	blas.Gemm(d.e, false, false, 1, cross, all, 0, fit)
	errs = make([]float64, all.Cols)
	for i, r := range test {
		w += d.w[r]
		for c, v := range fit.Row(i) {
			e := d.y.Row(r)[c%t] - s.Y[c%t] - v
			errs[c] += float64(d.w[r] * e * e)
		}
		if row != nil {
			row(fit.Row(i), s.Y, d.y.Row(r), d.w[r])
		}
	}
	return errs, w
}

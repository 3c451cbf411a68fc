package krr

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
)

// The dual problem, for fewer rows than features: with Z centred and weighted,
// β = Zᵀ(ZZᵀ + nλI)⁻¹(y − ȳ), an n×n system in place of an s×s one. It is the
// same β (ZᵀZ + nλI)⁻¹Zᵀ = Zᵀ(ZZᵀ + nλI)⁻¹, to rounding.

// dualRows is the number of rows below which a fit solves the dual.
func (f *direct) dualRows() int {
	if !f.dual() {
		return 0
	}
	return f.report.Features
}

// dual is a fit of few rows, all in memory.
type dual struct {
	f    *direct
	e    blas.Engine
	z    blas.General[float64] // n×s
	y    blas.General[float64]
	w    []float64
	sum  float64               // of w
	fold []int                 // nil if there is only one
	k    blas.General[float64] // ZZᵀ, uncentred
}

// fitDual is finish for the rows of early.
func (f *direct) fitDual(ctx context.Context, early *memory) (*Model, *Report, error) {
	start := time.Now()
	n := early.x.Rows
	if n == 0 {
		return nil, nil, &EmptyError{"rows of positive weight"}
	}
	d, err := newDual(ctx, f, early)
	if err != nil {
		return nil, nil, err
	}
	at := make([]int, f.targets)
	if len(f.grid) > 1 {
		path, err := d.crossValidate(ctx)
		if err != nil {
			return nil, nil, err
		}
		f.report.Path = path
		all := d.system(d.rows(-1, false))
		f.choose(at, path, func(t int) float64 { return all.YY[t] / all.W })
		if f.held != nil {
			f.held.path = path
			f.report.HeldOut = f.held.report(at, func(t int) float64 { return all.YY[t] / all.W })
		}
	}
	f.report.Select = time.Since(start)
	start = time.Now()
	rows := d.rows(-1, false)
	sys := d.system(rows)
	alpha := blas.NewGeneral[float64](n, f.targets)
	var solved Solved
	lambda := make([]float64, f.targets)
	r2, rmse := make([]float64, f.targets), make([]float64, f.targets)
	done := map[int]bool{}
	for t := range at {
		lambda[t] = f.grid[at[t]]
		if done[at[t]] {
			continue
		}
		done[at[t]] = true
		c, info, err := sys.Solve(ctx, d.e, f.grid[at[t]])
		if err != nil {
			return nil, nil, ridgeError(err)
		}
		if solved.Solver == "" || info.Attempts > solved.Attempts || info.Condition > solved.Condition {
			solved = solvedOf(info)
		}
		for u := range at {
			if at[u] != at[t] {
				continue
			}
			var rss float64
			for i, r := range rows {
				v := c.Row(i)[u]
				rss += float64(v * v)
				alpha.Row(r)[u] = v * math.Sqrt(d.w[r])
			}
			mu := float64(sys.W*f.grid[at[u]]) + info.Jitter
			rss *= mu * mu // the residuals are nλ·α
			rmse[u] = math.Sqrt(rss / sys.W)
			if sys.YY[u] > 0 {
				r2[u] = 1 - rss/sys.YY[u]
			}
		}
	}
	solved.Dual = true
	coef, mean := d.coefficients(alpha, sys.W)
	sys.Z = mean
	model := newModel(f.m, f.Settings.Precision, f.Scaling, coef, sys.Intercept(coef))
	model.inputs, model.target = f.Inputs, f.Target
	model.classes, model.lambda, model.solved, model.r2, model.rmse = f.Classes, lambda, solved, r2, rmse
	if f.ClipPredictions && f.classes == nil {
		model.lo, model.hi = f.shift.lo, f.shift.hi
	}
	f.report.Weight, f.report.Lambda, f.report.Solved, f.report.Solve = d.sum, lambda, solved, time.Since(start)
	f.report.R2, f.report.RMSE = r2, rmse
	model.prov = f.provenance(model)
	return model, &f.report, ctx.Err()
}

// newDual makes the features of the rows and their products.
func newDual(ctx context.Context, f *direct, early *memory) (*dual, error) {
	n, s := early.x.Rows, f.report.Features
	d := &dual{f: f, e: f.m.Engine(), y: blas.NewGeneral[float64](n, f.targets), w: early.w, z: blas.NewGeneral[float64](n, s), fold: f.early.fold}
	for i := range n {
		d.sum += d.w[i]
		shiftTo(d.y.Row(i), early.y.Row(i), f.shift.at)
	}
	if err := f.checkSums(d.sum, &f.shift); err != nil {
		return nil, err
	}
	x := blas.NewGeneral[float64](n, early.x.Cols)
	for i := range n {
		scaleTo(f.Scaling, x.Row(i), early.x.Row(i))
	}
	if f.Settings.Precision == Float32 {
		x32, z32 := blas.NewGeneral[float32](n, x.Cols), blas.NewGeneral[float32](n, s)
		convert(x32.Data, x.Data)
		f.m.Features32().Transform(d.e, z32, x32)
		convert(d.z.Data, z32.Data)
	} else {
		f.m.Features64().Transform(d.e, d.z, x)
	}
	d.k = blas.NewGeneral[float64](n, n)
	for i := 0; i < n; i += blas.RowBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j := min(i+blas.RowBlock, n)
		blas.Gemm(d.e, false, true, 1, d.z.RowRange(i, j), d.z, 0, d.k.RowRange(i, j))
	}
	dense.Mirror(d.k)
	return d, nil
}

// coefficients returns β = Σαᵢ(zᵢ − z̄) and z̄, for rows of weight w. It centres Z in
// place, which is not needed any more.
func (d *dual) coefficients(alpha blas.General[float64], w float64) (coef blas.General[float64], mean []float64) {
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
func (d *dual) rows(fold int, inside bool) []int {
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
func (d *dual) system(rows []int) *ridge.System {
	n, t := len(rows), d.y.Cols
	s := &ridge.System{Rows: int64(n), Y: make([]float64, t), YY: make([]float64, t), Z: make([]float64, n+1),
		A: blas.NewGeneral[float64](n, n), Diag: make([]float64, n), R: blas.NewGeneral[float64](n, t), Ref: d.f.shift.at}
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
func (d *dual) rowMean(r int, rows []int, w float64) float64 {
	var sum float64
	for _, c := range rows {
		sum += float64(d.w[c] * d.k.Row(r)[c])
	}
	return sum / w
}

// crossValidate is crossValidate on the dual.
func (d *dual) crossValidate(ctx context.Context) ([]PathPoint, error) {
	t, grid := d.y.Cols, d.f.grid
	p := newFoldPath(grid, t)
	folds := slices.Clone(d.fold) // those with rows: there may be many more
	slices.Sort(folds)
	folds = slices.Compact(folds)
	progress := newStage(d.f.Progress, "select", len(folds))
	for _, fold := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		train, test := d.rows(fold, false), d.rows(fold, true)
		if len(train) == 0 || len(test) == 0 {
			continue
		}
		s := d.system(train)
		all := blas.NewGeneral[float64](len(train), t*len(grid))
		solved, err := s.SolveGrid(ctx, d.e, grid, all, progress.add)
		if err != nil {
			return nil, ridgeError(err)
		}
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
		fit := blas.NewGeneral[float64](len(test), t*len(grid))
		blas.Gemm(d.e, false, false, 1, cross, all, 0, fit)
		errs, w := make([]float64, t*len(grid)), 0.0
		for i, r := range test {
			w += d.w[r]
			for c, v := range fit.Row(i) {
				e := d.y.Row(r)[c%t] - s.Y[c%t] - v
				errs[c] += float64(d.w[r] * e * e)
			}
			if d.f.held != nil {
				d.f.held.row(fit.Row(i), s.Y, d.y.Row(r), d.w[r])
			}
		}
		p.add(errs, w, solved)
	}
	progress.end()
	return p.path()
}

// early keeps the first rows of positive weight of a stream until there are too many
// for the dual.
type early struct {
	most    int
	x, y, w []float64
	fold    []int // nil if there is only one
	rows    int
}

// add reports whether the rows of b, in those folds, still fit.
func (k *early) add(b rff.Batch, folds []int) bool {
	n := b.X.Rows
	for _, w := range b.Weight {
		if w == 0 {
			n--
		}
	}
	if k.rows+n >= k.most {
		return false
	}
	for i := range b.X.Rows {
		if weightOf(b.Weight, i) == 0 {
			continue
		}
		if folds != nil {
			k.fold = append(k.fold, folds[i])
		}
		k.x = append(k.x, b.X.Row(i)...)
		k.y = append(k.y, b.Y.Row(i)...)
		k.w = append(k.w, weightOf(b.Weight, i))
	}
	k.rows += n
	return true
}

func (k *early) memory(in, targets int) *memory {
	return &memory{
		x: blas.General[float64]{Rows: k.rows, Cols: in, Stride: in, Data: k.x},
		y: blas.General[float64]{Rows: k.rows, Cols: targets, Stride: targets, Data: k.y}, w: k.w}
}

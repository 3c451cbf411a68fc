// Package dual solves ridge regression on fewer rows than features. With Z centred
// and weighted, β = Zᵀ(ZZᵀ + nλI)⁻¹(y − ȳ) takes an n×n system in place of an s×s
// one. To rounding it is the same β, since (ZᵀZ + nλI)⁻¹Zᵀ = Zᵀ(ZZᵀ + nλI)⁻¹.
//
// With ZZᵀ = LLᵀ the rows of L are n features with the same kernel. A fit from sums of these
// features gives the same predictions, and could replace this package, but it takes more work.
// Both need ZZᵀ. To choose λ by k folds, this package reduces k matrices of (1−1/k)n rows, in
// ⅔(1−1/k)³n³ multiply-adds each: for k = 5, 1.7n³. From sums each fold leaves n×n: 5·⅔n³ =
// 3.3n³, and L and LᵀL take n³/6 each before: 3.7n³ in all, 2.1 times as much. Losses that have no
// such system are fitted to L, by Coordinates.
package dual

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
	"github.com/rffgo/rff/internal/ridge"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// Problem is the dual problem of rows in memory. Their features are made when they are
// needed, some columns at a time, and not kept.
type Problem struct {
	e    blas.Engine
	rows Rows
	x32  blas.General[float32] // the rows for Map32
	k    blas.General[float64] // ZZᵀ, uncentred; Solve overwrites it
	a    []float64             // memory of systems without a fold
}

// Rows are the rows of a problem.
type Rows struct {
	Map    *blas.Features[float64]
	X      blas.General[float64]   // n×d
	Map32  *blas.Features[float32] // nil, or the map in float32, whose features are then used
	Y      blas.General[float64]   // n×t, with Ref subtracted
	Weight []float64               // positive
	Ref    []float64
	Fold   []int // nil if there is only one
	// Section has, for each row, the index of the feature of Map that is the kernel section on
	// that row. The sections are then the elements of ZZᵀ. nil: ZZᵀ is made of products of
	// features.
	Section []int
}

// New returns the problem of rows for λ ≥ least. It keeps the rows. The error is that of ctx.
func New(ctx context.Context, e blas.Engine, r Rows, least float64) (*Problem, error) {
	n := r.X.Rows
	d := &Problem{e: e, rows: r, k: blas.NewGeneral[float64](n, n)}
	if r.Map32 != nil {
		d.x32 = blas.NewGeneral[float32](n, r.X.Cols)
		for i := range n {
			stream.Convert(d.x32.Row(i), r.X.Row(i))
		}
	}
	switch {
	case r.Section != nil:
		d.sections(ctx)
	case r.Map32 != nil && d.coarse(least):
		d.outer32(ctx)
	default:
		beta := 0.0
		d.columns(func(z blas.General[float64], _, _, _ int) bool {
			blas.Syrk(e, true, false, 1, z, beta, d.k)
			beta = 1
			return ctx.Err() == nil
		})
	}
	dense.Mirror(d.k)
	return d, ctx.Err()
}

// sections takes K from the kernel sections on the rows.
func (d *Problem) sections(ctx context.Context) {
	_, s := d.rows.Map.Dims()
	const some = 256
	z := blas.NewGeneral[float64](min(some, d.k.Rows), s)
	for from := 0; from < d.k.Rows && ctx.Err() == nil; from += some {
		n := min(some, d.k.Rows-from)
		d.rows.Map.Transform(d.e, z.RowRange(0, n), d.rows.X.RowRange(from, from+n))
		for i := range n {
			to, of := d.k.Row(from+i), z.Row(i)
			for j, at := range d.rows.Section {
				to[j] = of[at]
			}
			to[from+i] = 1 // the distance of a row to itself is a rounding error
		}
	}
}

// ofSections returns the coefficients of the sections and the means of these, given the means
// of the rows of K: β = Σαᵢ(zᵢ − z̄) is Σαᵢk(·, xᵢ) less Σα times the mean of the sections.
func (d *Problem) ofSections(alpha blas.General[float64], w float64, means []float64) (coef blas.General[float64], mean []float64) {
	_, s := d.rows.Map.Dims()
	coef, mean = blas.NewGeneral[float64](s, alpha.Cols), make([]float64, s)
	ridge.Uncentre(alpha, d.rows.Weight, w)
	for i, at := range d.rows.Section {
		mean[at] = means[i]
		dense.Add(coef.Row(at), alpha.Row(i))
	}
	return coef, mean
}

// columns calls f with the features of the rows, some columns at a time, as
// blas.Features.Columns does.
func (d *Problem) columns(f func(z blas.General[float64], half, first, second int) bool) {
	r := &d.rows
	if r.Map32 == nil {
		r.Map.Columns(d.e, r.X, f)
		return
	}
	var memory []float64
	r.Map32.Columns(d.e, d.x32, func(z32 blas.General[float32], half, first, second int) bool {
		z := dense.Fitting(&memory, z32.Rows, z32.Cols)
		for i := range z.Rows {
			stream.Convert(z.Row(i), z32.Row(i))
		}
		return f(z, half, first, second)
	})
}

// coarseRows is the number of rows from which the size of all features is estimated.
const coarseRows = 64

// coarse reports whether ridges of λ ≥ least are far above the rounding errors of products in
// float32. The errors of the elements of K, some eps·kᵢⱼ each and of either sign, make a matrix
// of norm 2·eps·tr K/√n or less; coarse asks for a ridge of four times as much. For finer
// ridges the products of the same features are made in float64, and K has no negative
// eigenvalues.
func (d *Problem) coarse(least float64) bool {
	r, n := &d.rows, d.x32.Rows
	_, s := r.Map32.Dims()
	z := make([]float32, s)
	var squares, weights float64
	for i := range min(n, coarseRows) {
		at := i * n / min(n, coarseRows)
		r.Map32.TransformRow(d.e, z, d.x32.Row(at))
		squares += float64(r.Weight[at] * dense.SumSquares(z))
		weights += r.Weight[at]
	}
	all := dense.Sum(r.Weight)
	return 8*0x1p-23*(squares/weights)*all/math.Sqrt(float64(n)) <= float64(least*all)
}

// outerRows is the number of rows of K whose products are made in float32 at a time, before
// they are added in float64.
const outerRows = blas.BlockK

// outer32 forms the upper triangle of K from products in float32. It adds the chains of columns
// in float64.
func (d *Problem) outer32(ctx context.Context) {
	n := d.k.Rows
	memory := make([]float32, min(n, outerRows)*n)
	d.rows.Map32.Columns(d.e, d.x32, func(z blas.General[float32], _, _, _ int) bool {
		for i := 0; i < n; i += outerRows {
			end := min(i+outerRows, n)
			part := blas.General[float32]{Rows: end - i, Cols: n - i, Stride: n - i}
			part.Data = memory[:part.Rows*part.Stride]
			square := part
			square.Cols = part.Rows
			blas.Syrk(d.e, true, false, 1, z.RowRange(i, end), 0, square)
			if end < n {
				beside := part
				beside.Cols, beside.Data = n-end, part.Data[part.Rows:]
				blas.Gemm(d.e, false, true, 1, z.RowRange(i, end), z.RowRange(end, n), 0, beside)
			}
			const rows = 64
			d.e.Each((part.Rows+rows-1)/rows, func(_ blas.Engine, c int) {
				for r := c * rows; r < min(part.Rows, (c+1)*rows); r++ {
					to := d.k.Row(i + r)[i+r:]
					for j, v := range part.Row(r)[r:] {
						to[j] += float64(v)
					}
				}
			})
		}
		return ctx.Err() == nil
	})
}

// Variance returns the mean square of every target about its mean.
func (d *Problem) Variance() []float64 {
	y, w := d.rows.Y, d.rows.Weight
	mean, out := make([]float64, y.Cols), make([]float64, y.Cols)
	var all float64
	for i, wi := range w {
		all += wi
		dense.AddTimes(mean, wi, y.Row(i))
	}
	for i, wi := range w {
		for t, v := range y.Row(i) {
			c := v - mean[t]/all
			out[t] += float64(wi * c * c)
		}
	}
	for t := range out {
		out[t] /= all
	}
	return out
}

// Solution of a problem, for one λ per target.
type Solution struct {
	Coef      blas.General[float64] // s×t
	Intercept []float64
	R2, RMSE  []float64    // on the rows
	Solved    ridge.Solved // the worst of the targets
}

// Solve returns the solution for one λ per target. It overwrites K, so it must be the
// last call. Errors: those of ridge.System.Solve.
func (d *Problem) Solve(ctx context.Context, lambda []float64) (*Solution, error) {
	t := len(lambda)
	sys := d.system(d.outside(-1), d.k)
	alpha := blas.NewGeneral[float64](d.k.Rows, t)
	s := &Solution{R2: make([]float64, t), RMSE: make([]float64, t)}
	for first, l := range lambda {
		if slices.Contains(lambda[:first], l) {
			continue
		}
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
			for i, w := range d.rows.Weight {
				v := c.Row(i)[u]
				rss += float64(v * v)
				alpha.Row(i)[u] = v * math.Sqrt(w)
			}
			mu := float64(sys.W*l) + info.Jitter
			rss *= mu * mu // the residuals are nλ·α
			s.RMSE[u] = math.Sqrt(rss / sys.W)
			if sys.YY[u] > 0 {
				s.R2[u] = 1 - rss/sys.YY[u]
			}
		}
	}
	if d.rows.Section != nil {
		s.Coef, sys.Z = d.ofSections(alpha, sys.W, sys.Z)
	} else {
		s.Coef, sys.Z = d.coefficients(alpha, sys.W)
	}
	s.Intercept = sys.Intercept(s.Coef)
	return s, nil
}

// coefficients returns β = Σαᵢ(zᵢ − z̄) and z̄, for rows of weight w.
func (d *Problem) coefficients(alpha blas.General[float64], w float64) (coef blas.General[float64], mean []float64) {
	_, s := d.rows.Map.Dims()
	n := alpha.Rows
	mean = make([]float64, s)
	weights := blas.General[float64]{Rows: n, Cols: 1, Stride: 1, Data: d.rows.Weight}
	return d.combine(alpha, func(z blas.General[float64], half, first, second int) {
		m := blas.NewGeneral[float64](z.Cols, 1)
		blas.Gemm(d.e, true, false, 1/w, z, weights, 0, m)
		for i := range n {
			row := z.Row(i)
			for j := range row {
				row[j] -= m.Data[j]
			}
		}
		copy(mean[first:], m.Data[:half])
		copy(mean[second:], m.Data[half:])
	}), mean
}

// combine returns Zᵀα, of some columns of Z at a time, which change changes first; see
// blas.Features.Columns.
func (d *Problem) combine(alpha blas.General[float64], change func(z blas.General[float64], half, first, second int)) blas.General[float64] {
	_, s := d.rows.Map.Dims()
	t := alpha.Cols
	coef := blas.NewGeneral[float64](s, t)
	d.columns(func(z blas.General[float64], half, first, second int) bool {
		change(z, half, first, second)
		c := blas.NewGeneral[float64](z.Cols, t)
		blas.Gemm(d.e, true, false, 1, z, alpha, 0, c)
		copy(coef.Data[first*t:], c.Data[:half*t])
		copy(coef.Data[second*t:], c.Data[half*t:])
		return true
	})
	return coef
}

// outside returns the rows outside a fold, or all rows for −1.
func (d *Problem) outside(fold int) []int { return d.chosen(func(of int) bool { return of != fold }) }

// inside returns the rows in a fold.
func (d *Problem) inside(fold int) []int { return d.chosen(func(of int) bool { return of == fold }) }

func (d *Problem) chosen(f func(fold int) bool) []int {
	var out []int
	for i := range d.rows.Weight {
		if d.rows.Fold == nil || f(d.rows.Fold[i]) {
			out = append(out, i)
		}
	}
	return out
}

// system returns the dual problem of the rows given. A is in the memory a, which is the memory
// of K if these are all rows.
func (d *Problem) system(rows []int, a blas.General[float64]) *ridge.System {
	return ridge.OfKernel(d.e, d.k, rows, d.rows.Y, d.rows.Weight, d.rows.Ref, a)
}

// Row is called with the predictions of a row that was left out, one per λ and target, and with
// its targets and weight. mean, the mean of the targets, is subtracted from the predictions.
type Row func(f, mean, y []float64, w float64)

// CrossValidate returns the error of every λ of the ascending grid on the rows that
// the folds leave out. It calls advance with shares of the work on one of the
// Folds, and row, unless it is nil, for every row. Errors: holdout.ErrFolds; those
// of ridge.System.SolveGrid and of ctx.
func (d *Problem) CrossValidate(ctx context.Context, grid []float64, advance func(share float64), row Row) ([]holdout.Point, error) {
	p := holdout.NewPath(grid, d.rows.Y.Cols)
	for _, fold := range d.Folds() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		train, test := d.outside(fold), d.inside(fold)
		if len(train) == 0 { // the only fold
			continue
		}
		s := d.system(train, dense.Fitting(&d.a, len(train), len(train)))
		all := blas.NewGeneral[float64](len(train), d.rows.Y.Cols*len(grid))
		solved, err := s.SolveGrid(ctx, d.e, grid, all, advance)
		if err != nil {
			return nil, err
		}
		errs, w := d.heldOut(s, train, test, all, row)
		p.Add(errs, w, solved)
	}
	return p.Points()
}

// Folds returns the folds that have rows. Many folds may have none.
func (d *Problem) Folds() []int {
	folds := slices.Clone(d.rows.Fold)
	slices.Sort(folds)
	return slices.Compact(folds)
}

// heldOut returns the squared errors of the rows test, per λ and target, and the weight of
// these rows. all has the coefficients of the system s of the rows train.
func (d *Problem) heldOut(s *ridge.System, train, test []int, all blas.General[float64], row Row) (errs []float64, w float64) {
	y, weight := d.rows.Y, d.rows.Weight
	t := y.Cols
	of := make([]float64, len(train))
	for i, r := range train {
		of[i] = weight[r]
		root := math.Sqrt(of[i])
		row := all.Row(i)
		for c := range row {
			row[c] *= root
		}
	}
	cross := blas.NewGeneral[float64](len(test), len(train))
	means := ridge.KernelMeans(d.e, d.k, test, train, of, s.W)
	for i, r := range test {
		k, to := d.k.Row(r), cross.Row(i)
		for j, c := range train {
			to[j] = k[c] - means[i] - s.Z[j] + s.Z[len(train)]
		}
	}
	fit := blas.NewGeneral[float64](len(test), all.Cols)
	blas.Gemm(d.e, false, false, 1, cross, all, 0, fit)
	errs = make([]float64, all.Cols)
	for i, r := range test {
		w += weight[r]
		for c, v := range fit.Row(i) {
			e := y.Row(r)[c%t] - s.Y[c%t] - v
			errs[c] += float64(weight[r] * e * e)
		}
		if row != nil {
			row(fit.Row(i), s.Y, y.Row(r), weight[r])
		}
	}
	return errs, w
}

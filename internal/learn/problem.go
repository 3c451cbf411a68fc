package learn

import (
	"context"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/ridge"
)

// Rows are weighted rows with targets.
type Rows struct {
	X, Y   blas.General[float64] // n×d, n×t
	Weight []float64             // n, or nil for ones
}

// First returns the first n rows, or all.
func (r Rows) First(n int) Rows {
	if n >= r.X.Rows {
		return r
	}
	f := Rows{X: r.X.RowRange(0, n), Y: r.Y.RowRange(0, n)}
	if r.Weight != nil {
		f.Weight = r.Weight[:n]
	}
	return f
}

// Problem is what is to be learned: rows to fit, in random order, and rows to
// judge by.
type Problem struct {
	Engine       blas.Engine
	Train, Valid Rows
	// Jumps are the inputs of few values, which M takes differences along; nil for none.
	Jumps *Jumps
	// Lambdas to choose the ridge parameter from, ascending; nil: 10⁻⁹, …, 10⁻¹.
	Lambdas []float64
}

// Rows returns the number of all rows.
func (p *Problem) Rows() int { return p.Train.X.Rows + p.Valid.X.Rows }

// First returns the problem of the first n rows, a Held-th of them held out.
func (p *Problem) First(n int) *Problem {
	few := *p
	few.Valid = p.Valid.First(max(1, n/Held))
	few.Train = p.Train.First(max(1, n-n/Held))
	return &few
}

func (p *Problem) lambdas() []float64 {
	if p.Lambdas != nil {
		return p.Lambdas
	}
	return []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
}

// Fit is an exact ridge regression on pairs of cosines and sines.
type Fit struct {
	Error  float64               // squared error per row of Valid, summed over targets; +Inf if there is none
	Lambda float64               // the best on Valid
	Coef   blas.General[float64] // 2F×t: cosines, then sines, of amplitude 1/√F
	Shift  []float64             // t, the intercept

	w     blas.General[float64] // F×d
	sums  *blas.Sums            // of Train
	rows  Rows                  // Train
	jumps *Jumps
}

// Fit fits the features of the frequencies w, F×d, to the training rows and
// chooses λ on the others. Of equal errors the larger λ wins. A system that
// cannot be solved has an infinite error; the only error is ctx's.
func (p *Problem) Fit(ctx context.Context, w blas.General[float64]) (*Fit, error) {
	f := &Fit{Error: math.Inf(1), w: w, rows: p.Train, jumps: p.Jumps}
	grid := p.lambdas()
	features := pairs[float64](w, 1/math.Sqrt(float64(w.Rows)))
	f.sums = p.sums(features, p.Train)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, t := f.sums.ZY.Rows, f.sums.ZY.Cols
	system := ridge.New(f.sums, nil, make([]float64, t))
	all := blas.NewGeneral[float64](s, t*len(grid))
	if _, err := system.SolveGrid(ctx, p.Engine, grid, all, func(float64) {}); err != nil {
		return f, ctx.Err()
	}
	errs, rows := p.heldOut(features, system, all)
	best := -1
	for i := len(grid) - 1; i >= 0; i-- {
		var sum float64
		for _, e := range errs[i*t : (i+1)*t] {
			sum += e
		}
		if sum /= rows; sum < f.Error {
			f.Error, best = sum, i
		}
	}
	if best < 0 { // not finite
		return f, nil
	}
	f.Lambda = grid[best]
	f.Coef = blas.NewGeneral[float64](s, t)
	for i := range s {
		copy(f.Coef.Row(i), all.Row(i)[best*t:])
	}
	f.Shift = system.Intercept(f.Coef)
	return f, nil
}

// heldOut returns the squared error over the rows of Valid, a number per column of
// coefficients, and their weight: from predictions, or from sums where that is less work.
func (p *Problem) heldOut(features *blas.Features[float64], system *ridge.System, coef blas.General[float64]) (errs []float64, weight float64) {
	if 2*coef.Cols > coef.Rows {
		held := p.sums(features, p.Valid)
		return system.HeldOut(p.Engine, held, coef, blas.NewGeneral[float64](coef.Rows, coef.Cols)), held.W
	}
	r := p.Valid
	out := blas.NewGeneral[float64](r.X.Rows, coef.Cols)
	features.Predict(p.Engine, out, r.X, coef, system.Intercept(coef))
	errs = make([]float64, coef.Cols)
	for i := range r.X.Rows {
		w, y := r.weight(i), r.Y.Row(i)
		weight += w
		for c, v := range out.Row(i) {
			e := v - y[c%len(y)]
			errs[c] += float64(w * float64(e*e))
		}
	}
	return errs, weight
}

// Solved reports whether there are coefficients.
func (f *Fit) Solved() bool { return f.Coef.Rows > 0 }

// pairs packs the pair form of frequencies w with one amplitude.
func pairs[T blas.Float](w blas.General[float64], amplitude float64) *blas.Features[T] {
	weight := make([]float64, 2*w.Rows)
	for i := range weight {
		weight[i] = amplitude
	}
	return blas.Pack[T](&blas.Spec{Dim: w.Cols, W: w, Func: asm.CosSin, Weight: weight})
}

func (p *Problem) sums(f *blas.Features[float64], r Rows) *blas.Sums {
	acc := blas.NewAccumulator(f, r.Y.Cols, true)
	acc.Add(p.Engine, r.X, r.Y, r.Weight)
	acc.Flush(p.Engine)
	return &acc.Sums
}

// Better reports whether f does better than g on the rows held out, beyond noise: its
// mean squared error is lower, by more than twice the standard error of the difference,
// or with smaller errors on more rows than not, by more than three standard deviations
// of a fair coin. The second is for errors with heavy tails, of which few rows decide
// the first.
func (p *Problem) Better(f, g *Fit) bool {
	if !f.Solved() || !g.Solved() {
		return f.Solved()
	}
	a, b := p.losses(f), p.losses(g)
	var sum, mean, ss, ahead, apart float64
	for i := range a {
		w := p.Valid.weight(i)
		sum += w
		mean += float64(w * (b[i] - a[i]))
		switch {
		case a[i] < b[i]:
			ahead, apart = ahead+1, apart+1
		case a[i] > b[i]:
			ahead, apart = ahead-1, apart+1
		}
	}
	mean /= sum
	for i := range a {
		w := p.Valid.weight(i) / sum
		d := b[i] - a[i] - mean
		ss += float64(float64(w*w) * float64(d*d))
	}
	return mean > 2*math.Sqrt(ss) || (mean > 0 && ahead > 3*math.Sqrt(apart))
}

func (r Rows) weight(i int) float64 {
	if r.Weight == nil {
		return 1
	}
	return r.Weight[i]
}

// losses returns the squared error of f on every row of Valid, summed over
// targets.
func (p *Problem) losses(f *Fit) []float64 {
	r := p.Valid
	out := blas.NewGeneral[float64](r.X.Rows, r.Y.Cols)
	pairs[float64](f.w, 1/math.Sqrt(float64(f.w.Rows))).Predict(p.Engine, out, r.X, f.Coef, f.Shift)
	losses := make([]float64, r.X.Rows)
	for i := range losses {
		for t, y := range r.Y.Row(i) {
			e := y - out.Row(i)[t]
			losses[i] += float64(e * e)
		}
	}
	return losses
}

// Frequencies returns the frequencies of the fit, F×d.
func (f *Fit) Frequencies() blas.General[float64] { return f.w }

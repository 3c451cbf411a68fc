package learn

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/stream"
	"github.com/rffgo/rff/internal/trial"
)

// Problem has the rows to learn from: rows to fit, in random order, and rows to judge by.
type Problem struct {
	Engine       blas.Engine
	Train, Valid *trial.Rows
	// Jumps are the inputs of few values, along which M takes differences; nil for none.
	Jumps *Jumps
	// Lambdas are the ridge parameters to choose from, ascending. nil: those of a trial in
	// precision.
	Lambdas []float64
}

// Rows returns the number of all rows.
func (p *Problem) Rows() int { return p.Train.X.Rows + p.Valid.X.Rows }

// First returns the problem of the first n rows, a Held-th of them held out.
func (p *Problem) First(n int) *Problem {
	few := *p
	few.Valid = p.Valid.Head(max(1, n/Held))
	few.Train = p.Train.Head(max(1, n-n/Held))
	return &few
}

// precision is that of fits. They compare frequencies, and the ridge regression that uses them
// chooses λ anew.
var precision = stream.Float32

func (p *Problem) lambdas() []float64 {
	if p.Lambdas != nil {
		return p.Lambdas
	}
	return trial.Lambdas(precision)
}

// Fit is an exact ridge regression on pairs of cosines and sines.
type Fit struct {
	Error  float64               // squared error per row of Valid, summed over targets; +Inf if there is none
	Lambda float64               // the best on Valid
	Coef   blas.General[float64] // 2F×t: cosines, then sines, of amplitude 1/√F
	Shift  []float64             // t, the intercept

	w     blas.General[float64]                     // F×d
	sums  func(context.Context) (*blas.Sums, error) // of Train
	rows  *trial.Rows                               // Train
	jumps *Jumps
	held  *trial.Result
}

// Fit fits the features of the frequencies w, F×d, to the training rows and chooses λ on
// the others: in precision, or in float64 if that gives no solution, as where a row lies too far
// from the others. A system that cannot be solved has an infinite error; the only error is
// ctx's.
func (p *Problem) Fit(ctx context.Context, w blas.General[float64]) (*Fit, error) {
	f := &Fit{Error: math.Inf(1), w: w, rows: p.Train, jumps: p.Jumps}
	for _, in := range []*stream.Precision{precision, stream.Float64} {
		task := trial.Task{Engine: p.Engine, Precision: in, Lambdas: p.lambdas(), Loss: trial.Squares, Keep: true, Map: func(context.Context, blas.Engine, int, *trial.Rows) (*rff.Map, error) {
			return inside.New(pairSpec(w, 1/math.Sqrt(float64(w.Rows))), nil)
		}}
		r, err := task.Run(ctx, []trial.Split{{Train: p.Train, Valid: p.Valid}}, nil)
		if err == nil && r.Solved() {
			f.Error, f.Lambda, f.held = r.Mean, r.Lambda, r
			f.Coef, f.Shift, f.sums = r.Solution()
			r.Forget()
			break
		}
	}
	return f, ctx.Err()
}

// Fits returns the fits of several frequencies. They are done side by side, since one fit has
// parts that keep a single worker busy.
func (p *Problem) Fits(ctx context.Context, w ...blas.General[float64]) ([]*Fit, error) {
	fits := make([]*Fit, len(w))
	p.Engine.Each(len(w), func(share blas.Engine, i int) {
		q := *p
		q.Engine = share
		fits[i], _ = q.Fit(ctx, w[i]) // the only error is that of ctx
	})
	return fits, ctx.Err()
}

// Solved reports whether there are coefficients.
func (f *Fit) Solved() bool { return f.Coef.Rows > 0 }

// pairSpec is the pair form of frequencies w with one amplitude.
func pairSpec(w blas.General[float64], amplitude float64) *blas.Spec {
	return &blas.Spec{Dim: w.Cols, W: w, Func: asm.CosSin, Weight: slices.Repeat([]float64{amplitude}, 2*w.Rows)}
}

// Learned features must be better on the rows held out by noise standard errors to count, since
// their error is the least of some thirty errors.
const noise = 2

// Better reports whether f does better than g on the rows held out, beyond noise.
func (p *Problem) Better(f, g *Fit) bool {
	if !f.Solved() || !g.Solved() {
		return f.Solved()
	}
	return trial.Compare(g.held, f.held).Better(noise)
}

// Frequencies returns the frequencies of the fit, F×d.
func (f *Fit) Frequencies() blas.General[float64] { return f.w }

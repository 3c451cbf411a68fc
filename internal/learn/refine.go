package learn

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/rffgo/rff/blas"
)

// Refine trains frequencies: gradient descent on the squared error of a ridge
// regression on their features, jointly in frequencies and coefficients, from
// which only the frequencies are kept. It is the training of a network with one
// layer of sines, of which an exact ridge regression then takes the place of the
// coefficients.
//
// Adam (D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR
// 2015; β = 0.9, 0.999), with the cosine decay of the rate to zero.
type Refine struct {
	Problem *Problem
	// Inputs are the training rows' inputs as the gradients see them; their far ends
	// may be clipped. Zero: those of Problem.
	Inputs blas.General[float64]
	Epochs int
	// Seed of the order of rows.
	Seed uint64
	// Done is called after every epoch.
	Done func(epoch int, error float64)
}

const (
	batchRows   = 256
	learnRate   = 0.02 // times the root mean square of what is learned
	leastLambda = 1e-4 // below it the coefficients cancel each other and the descent diverges
	startRows   = 6000 // that the first coefficients are fitted to
	beta1       = 0.9
	beta2       = 0.999
	epsilon     = 1e-8
)

// Steps returns the number of steps of an epoch of n rows.
func Steps(n int) int { return max(1, n/batchRows) }

// Checkpoint is a trained state that was judged.
type Checkpoint struct {
	Epoch int
	Fit   *Fit
}

// descent is the state of a training.
type descent[T blas.Float] struct {
	w, a   blas.General[T] // F×d, 2F×t
	mw, vw []T             // Adam's moments
	ma, va []T
	step   int
}

// Run trains from the frequencies of start, F×d, and returns the fits of what
// was reached after a quarter, half and all of the epochs. A loss that is
// not finite ends the training.
func (r *Refine) Run(ctx context.Context, start *Fit) ([]Checkpoint, error) {
	p := r.Problem
	var reached []Checkpoint
	x := r.Inputs
	if x.Rows == 0 {
		x = p.Train.X
	}
	lambda := max(start.Lambda, leastLambda)
	// The first coefficients, of features of amplitude 1.
	few := &Problem{Engine: p.Engine, Train: p.Train.First(startRows), Valid: p.Valid, Lambdas: []float64{lambda}}
	first, err := few.Fit(ctx, start.w)
	if err != nil {
		return nil, err
	}
	if !first.Solved() {
		return reached, nil
	}
	n, d, t := x.Rows, x.Cols, p.Train.Y.Cols
	f := start.w.Rows
	s := newDescent[float32](start.w, first.Coef, 1/math.Sqrt(float64(f)))
	ridge := float32(lambda * float64(f))
	rateW, rateA := learnRate*rms(s.w.Data), learnRate*rms(s.a.Data)
	steps := Steps(n)
	size := (n + steps - 1) / steps
	work := newBatch[float32](size, f, d, t)
	order := make([]int, n)
	marks := map[int]bool{max(1, r.Epochs/4): true, max(1, r.Epochs/2): true, r.Epochs: true}
	for epoch := 1; epoch <= r.Epochs; epoch++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		shuffle(order, rand.NewPCG(r.Seed, uint64(epoch)))
		for i := range steps {
			from, to := i*n/steps, (i+1)*n/steps
			work.load(x, p.Train, first.Shift, order[from:to])
			s.step++
			rate := 0.5 * (1 + cosine(float64(s.step-1)/float64(steps*r.Epochs)))
			if !work.gradient(p.Engine, s, ridge) {
				return reached, nil
			}
			c1, c2 := 1-power(beta1, s.step), 1-power(beta2, s.step)
			adam(s.w.Data, work.gw.Data, s.mw, s.vw, rate*rateW, c1, c2)
			adam(s.a.Data, work.ga.Data, s.ma, s.va, rate*rateA, c1, c2)
		}
		if marks[epoch] {
			fit, err := p.Fit(ctx, widened(s.w))
			if err != nil {
				return nil, err
			}
			reached = append(reached, Checkpoint{epoch, fit})
		}
	}
	return reached, nil
}

package learn

import (
	"context"

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
	Done func(epoch int)
}

const (
	batchRows   = 256
	learnRate   = 0.04 // times the root mean square of what is learned
	leastLambda = 1e-4 // below it the coefficients cancel each other and the descent diverges
	startRows   = 6000 // that the first coefficients are fitted to
)

// Steps returns the number of steps of an epoch of n rows.
func Steps(n int) int { return max(1, n/batchRows) }

// Checkpoint is a trained state that was judged.
type Checkpoint struct {
	Epoch int
	Fit   *Fit
}

// Run trains from the frequencies of start, F×d, and returns the fits of what was
// reached after a quarter, half and all of the epochs. A loss that is not finite
// ends the training.
func (r *Refine) Run(ctx context.Context, start *Fit) ([]Checkpoint, error) {
	p := r.Problem
	lambda := max(start.Lambda, leastLambda)
	few := &Problem{Engine: p.Engine, Train: p.Train.First(startRows), Valid: p.Valid, Lambdas: []float64{lambda}}
	first, err := few.Fit(ctx, start.w)
	if err != nil || !first.Solved() {
		return nil, err
	}
	d := r.descend(first)
	var reached []Checkpoint
	marks := map[int]bool{max(1, r.Epochs/4): true, max(1, r.Epochs/2): true, r.Epochs: true}
	for epoch := 1; epoch <= r.Epochs; epoch++ {
		ok, err := d.epoch(ctx, epoch)
		if err != nil {
			return nil, err
		}
		if !ok {
			return reached, nil
		}
		if marks[epoch] {
			w := blas.NewGeneral[float64](start.w.Rows, start.w.Cols)
			d.training.Frequencies(w)
			fit, err := p.Fit(ctx, w)
			if err != nil {
				return nil, err
			}
			reached = append(reached, Checkpoint{epoch, fit})
		}
		if r.Done != nil {
			r.Done(epoch)
		}
	}
	return reached, nil
}

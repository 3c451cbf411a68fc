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
	// State to go on from, of a training with the same start, rows and settings; nil to
	// begin. The result has the bits of a training without a stop.
	State []byte
	// Done, if not nil, is called after every epoch, with a function that gives the
	// state after it. Its error ends the training.
	Done func(epoch int, state func() []byte) error
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
// ends the training. Other errors than ctx's are those of State, ErrNoState and
// ErrOtherState, and of Done.
func (r *Refine) Run(ctx context.Context, start *Fit) ([]Checkpoint, error) {
	p := r.Problem
	lambda := max(start.Lambda, leastLambda)
	few := &Problem{Engine: p.Engine, Train: p.Train.First(startRows), Valid: p.Valid, Lambdas: []float64{lambda}}
	first, err := few.Fit(ctx, start.w)
	if err != nil || !first.Solved() {
		return nil, err
	}
	d := r.descend(first)
	from, states := 0, []trained(nil)
	key := d.key(start, r.Epochs)
	if r.State != nil {
		if from, states, err = d.decode(r.State, key); err != nil {
			return nil, err
		}
	}
	marks := map[int]bool{max(1, r.Epochs/4): true, max(1, r.Epochs/2): true, r.Epochs: true}
	for epoch := from + 1; epoch <= r.Epochs; epoch++ {
		ok, err := d.epoch(ctx, epoch)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if marks[epoch] {
			w := blas.NewGeneral[float64](start.w.Rows, start.w.Cols)
			d.training.Frequencies(w)
			states = append(states, trained{epoch, w})
		}
		if r.Done != nil {
			if err := r.Done(epoch, func() []byte { return d.encode(key, epoch, states) }); err != nil {
				return nil, err
			}
		}
	}
	var reached []Checkpoint
	for _, s := range states {
		fit, err := p.Fit(ctx, s.w)
		if err != nil {
			return nil, err
		}
		reached = append(reached, Checkpoint{s.epoch, fit})
	}
	return reached, nil
}

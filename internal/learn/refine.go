package learn

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/trial"
)

// Refine trains frequencies: gradient descent on the squared error of a ridge
// regression on their features, jointly in frequencies and coefficients. Only the frequencies
// are kept. It trains a network with one layer of sines, and an exact ridge regression then
// replaces the coefficients.
//
// The descent is Adam (D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR
// 2015; β = 0.9, 0.999), and the rate decays to zero as a cosine. If the error on the rows held
// out is larger after a quarter of the epochs than at the start, or if a loss is not finite,
// the training begins again at half the rate, at most twice.
type Refine struct {
	Problem *Problem
	Train   *trial.Rows // to train on
	// Inputs are the training rows' inputs as the gradients see them; their far ends
	// may be clipped.
	Inputs blas.General[float64]
	Epochs int
	// Seed of the order of rows.
	Seed uint64
	// State is the state to go on from, from a training with the same start, rows and settings.
	// nil: begin. The result has the bits of a training without a stop.
	State []byte
	// Done, if not nil, is called after every epoch, with a function that gives the
	// state after it. Its error ends the training.
	Done func(epoch int, state func() []byte) error
}

const (
	batchRows   = 256
	learnRate   = 0.04 // times the root mean square of the learned numbers
	mostHalved  = 2    // how often the rate may be halved
	leastLambda = 1e-4 // below it the coefficients cancel each other and the descent diverges
	startRows   = 6000 // rows that the first coefficients are fitted to
)

// Steps returns the number of steps of an epoch of n rows.
func Steps(n int) int { return max(1, n/batchRows) }

// Checkpoint is a trained state that was judged.
type Checkpoint struct {
	Epoch int
	Rate  float64 // the rate of the training, as a share of the largest: 1, ½ or ¼
	Fit   *Fit
}

// Run trains from the frequencies of start, F×d, and returns the fits of the frequencies after
// a quarter, half and all of the epochs, at every rate that was tried. If losses are not finite
// at the lowest rate, the training ends. Errors: those of State, ErrNoState and ErrOtherState;
// those of Done and of ctx.
func (r *Refine) Run(ctx context.Context, start *Fit) ([]Checkpoint, error) {
	p := r.Problem
	first, err := r.first(ctx, start, start.w)
	if err != nil || !first.Solved() {
		return nil, err
	}
	d := r.descend(first)
	epoch, reached := 0, []trained(nil)
	key := d.key(start, r.Epochs)
	if r.State != nil {
		if epoch, reached, err = d.decode(r.State, key); err != nil {
			return nil, err
		}
	}
	quarter := max(1, r.Epochs/4)
	marks := map[int]bool{quarter: true, max(1, r.Epochs/2): true, r.Epochs: true}
	for epoch < r.Epochs {
		epoch++
		done := epoch
		ok, err := d.epoch(ctx, epoch)
		if err != nil {
			return nil, err
		}
		if !ok && d.halvings == mostHalved {
			break
		}
		if ok && marks[epoch] {
			w := blas.NewGeneral[float64](start.w.Rows, start.w.Cols)
			d.training.Frequencies(w)
			reached = append(reached, trained{epoch: epoch, halvings: d.halvings, w: w})
		}
		if ok && epoch == quarter && d.halvings < mostHalved {
			last := &reached[len(reached)-1]
			if last.fit, err = p.Fit(ctx, last.w); err != nil {
				return nil, err
			}
			ok = last.fit.Error <= start.Error
		}
		if !ok {
			d.begin(d.halvings + 1)
			epoch = 0
		}
		if r.Done != nil {
			if err := r.Done(done, func() []byte { return d.encode(key, epoch, reached) }); err != nil {
				return nil, err
			}
		}
	}
	var frequencies []blas.General[float64] // that have no fit yet
	for _, t := range reached {
		if t.fit == nil {
			frequencies = append(frequencies, t.w)
		}
	}
	fits, err := p.Fits(ctx, frequencies...)
	if err != nil {
		return nil, err
	}
	var all []Checkpoint
	for _, t := range reached {
		if t.fit == nil {
			t.fit, fits = fits[0], fits[1:]
		}
		all = append(all, Checkpoint{t.epoch, math.Ldexp(1, -t.halvings), t.fit})
	}
	return all, nil
}

// first returns the coefficients with which a training of w begins. w comes from the fit start.
func (r *Refine) first(ctx context.Context, start *Fit, w blas.General[float64]) (*Fit, error) {
	lambda := max(start.Lambda, leastLambda)
	few := &Problem{Engine: r.Problem.Engine, Train: r.Train.Head(startRows), Valid: r.Problem.Valid, Lambdas: []float64{lambda}}
	return few.Fit(ctx, w)
}

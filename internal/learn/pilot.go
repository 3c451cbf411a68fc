package learn

import (
	"context"
	"math"

	"github.com/rffgo/rff/blas"
)

// A ridge regression on fixed frequencies does best with a bandwidth that is too wide to
// train from: the training moves frequencies by shares of their size, and takes long to
// make them large. On covtype a start 2.8 times as narrow ends with a quarter less error.
// Short trainings of few frequencies, called pilots, show nearly as well as long ones of all
// frequencies how much narrower is best.

const (
	pilotShare  = 8 // of the epochs, and
	pilotPart   = 4 // of the frequencies, that a pilot has: one of so many
	fewestPilot = 32
	// A pilot needs at least shortestPilot epochs: after two, wide starts are ahead.
	shortestPilot = 5
	// mostPilots pilots reach a start 8 times as narrow.
	mostPilots = 7
	// usualPilots is the usual number of pilots.
	usualPilots = 4
)

// pilotEpochs returns the epochs of a pilot for a training of that many.
func pilotEpochs(epochs int) int { return min(epochs, max(shortestPilot, epochs/pilotShare)) }

// pilotFrequencies returns the number of frequencies of a pilot for a training of n. The pilot
// takes the first ones, which are as good as others, since frequencies are drawn independently
// or in blocks.
func pilotFrequencies(n int) int { return min(n, max(fewestPilot, n/pilotPart)) }

// Start returns the fit to train from: start, or the fit of its frequencies times √2, 2, …, as
// long as pilots from there end with a smaller error on the rows held out. It calls tried
// with the factor and the error of each pilot. Pilots run in pairs, since one of them may not have
// the work of two workers; the second of the last pair may be in vain.
func (r *Refine) Start(ctx context.Context, start *Fit, tried func(by, err float64)) (*Fit, error) {
	best, factor := math.Inf(1), 1.0
	better := true
	for i := 0; i < mostPilots && better; i += 2 {
		var e [2]float64
		r.Problem.Engine.Each(min(2, mostPilots-i), func(share blas.Engine, k int) {
			e[k], _ = r.pilot(ctx, share, start, Bandwidth(1, i+k)) // the only error is that of ctx
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := 0; k < min(2, mostPilots-i) && better; k++ {
			by := Bandwidth(1, i+k)
			tried(by, e[k])
			if better = e[k] < best; better {
				best, factor = e[k], by
			}
		}
	}
	if factor == 1 {
		return start, nil
	}
	f, err := r.Problem.Fit(ctx, times[float64](start.w, factor))
	if err != nil || f.Solved() {
		return f, err
	}
	return start, nil
}

// pilot returns the error on the rows held out after a short training of some of the
// frequencies of start, times by. It is +Inf if the pilot fails.
func (r *Refine) pilot(ctx context.Context, e blas.Engine, start *Fit, by float64) (float64, error) {
	q, p := *r, *r.Problem
	p.Engine, q.Problem = e, &p
	q.Epochs = pilotEpochs(r.Epochs)
	first, err := q.first(ctx, start, times[float64](start.w.RowRange(0, pilotFrequencies(start.w.Rows)), by))
	if err != nil || !first.Solved() {
		return math.Inf(1), err
	}
	d := q.descend(first)
	for epoch := range q.Epochs {
		if ok, err := d.epoch(ctx, epoch+1); err != nil || !ok {
			return math.Inf(1), err
		}
	}
	w := blas.NewGeneral[float64](first.w.Rows, first.w.Cols)
	d.training.Frequencies(w)
	f, err := p.Fit(ctx, w)
	if err != nil {
		return 0, err
	}
	return f.Error, nil
}

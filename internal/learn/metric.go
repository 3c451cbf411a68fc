package learn

import (
	"context"
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/schedule"
)

// Step is an iterate of a search for a metric: the features of B·x at bandwidth
// unit·2^{Octave/2}.
type Step struct {
	B      Transform
	Octave int     // in half octaves of the bandwidth
	Error  float64 // on the rows held out
	Round  int     // 0 for a start
	Root   Root    // of M, from round 1 on
}

// Metric is a search for the metric of the inputs: rounds of a ridge regression on
// features of B·x, whose average gradient outer product gives the next B. (The
// recursive feature machine of Radhakrishnan et al., on random features.)
type Metric struct {
	Problem *Problem
	W0      blas.General[float64] // F×d, frequencies of bandwidth 1
	Unit    float64               // of bandwidths, such as the median distance
	Rounds  int
	// Diagonal takes the diagonal of M alone: a scale per input.
	Diagonal bool
	// Quick searches fewer bandwidths: it searches the whole grid for the first start alone,
	// and climbs turn round at the first bandwidth that does no better.
	Quick bool
	// Done, if not nil, is called after every fit.
	Done func()
}

// All of these half octaves of bandwidth around the unit are searched: the error has several
// minima on real data, and a walk downhill from the unit gets stuck.
const (
	finest   = -8
	coarsest = 4
)

// Bandwidth returns unit·2^{octave/2}.
func Bandwidth(unit float64, octave int) float64 {
	v := math.Ldexp(unit, octave>>1)
	if octave&1 != 0 {
		v *= math.Sqrt2
	}
	return v
}

// at fits the features of B·x at several bandwidths.
func (m *Metric) at(ctx context.Context, b Transform, octaves ...int) ([]*Fit, error) {
	w := make([]blas.General[float64], len(octaves))
	for i, k := range octaves {
		w[i] = b.Frequencies(m.Problem.Engine, m.W0, Bandwidth(m.Unit, k))
	}
	fits, err := m.Problem.Fits(ctx, w...)
	for range fits {
		if m.Done != nil {
			m.Done()
		}
	}
	return fits, err
}

// Search returns the fit of B·x at the best bandwidth of the whole grid, and the
// bandwidth. Of equal errors the larger bandwidth wins.
func (m *Metric) Search(ctx context.Context, b Transform) (best *Fit, octave int, err error) {
	for k := coarsest; k >= finest; {
		var octaves []int
		for ; k >= finest && len(octaves) < schedule.Workers(m.Problem.Engine.Workers); k-- {
			octaves = append(octaves, k)
		}
		fits, err := m.at(ctx, b, octaves...)
		if err != nil {
			return nil, 0, err
		}
		for i, f := range fits {
			if best == nil || f.Error < best.Error {
				best, octave = f, octaves[i]
			}
		}
	}
	return best, octave, nil
}

// At returns the fit of B·x at one bandwidth, and the bandwidth.
func (m *Metric) At(ctx context.Context, b Transform, octave int) (*Fit, int, error) {
	fits, err := m.at(ctx, b, octave)
	if err != nil {
		return nil, 0, err
	}
	return fits[0], octave, nil
}

// patience is the number of bandwidths in a row that may do no better before a
// climb turns round.
const patience = 2

// Climb walks downhill from a bandwidth, first to coarser ones, half an octave at
// a time.
func (m *Metric) Climb(ctx context.Context, b Transform, octave int) (best *Fit, at int, err error) {
	if best, at, err = m.At(ctx, b, octave); err != nil {
		return nil, 0, err
	}
	patience := patience
	if m.Quick {
		patience = 1
	}
	for _, step := range []int{1, -1} {
		within := func(k int) bool { return k >= 2*finest && k <= 2*coarsest }
		worse := 0
		for k := octave + step; worse < patience && within(k); {
			var octaves []int // as many as are fitted whatever their errors are
			for ; len(octaves) < patience-worse && within(k); k += step {
				octaves = append(octaves, k)
			}
			fits, err := m.at(ctx, b, octaves...)
			if err != nil {
				return nil, 0, err
			}
			for i, f := range fits {
				if f.Error < best.Error {
					best, at, worse = f, octaves[i], 0
				} else {
					worse++
				}
			}
		}
		if at != octave {
			break
		}
	}
	return best, at, nil
}

// Start returns every start with its best bandwidth, and the fit of the best of
// them, the first of equals.
func (m *Metric) Start(ctx context.Context, starts ...Transform) (steps []Step, best int, fit *Fit, err error) {
	for i, b := range starts {
		var f *Fit
		var k int
		if i == 0 || !m.Quick {
			f, k, err = m.Search(ctx, b)
		} else {
			f, k, err = m.Climb(ctx, b, steps[0].Octave)
		}
		if err != nil {
			return nil, 0, nil, err
		}
		steps = append(steps, Step{B: b, Octave: k, Error: f.Error})
		if fit == nil || f.Error < fit.Error {
			best, fit = i, f
		}
	}
	return steps, best, fit, nil
}

// Run goes on from a step and its fit, and returns the steps that follow and the
// fit of the best of all, the given one among them. It ends if M is zero or not finite, or if
// the error has risen rises times in a row.
func (m *Metric) Run(ctx context.Context, from Step, fit *Fit, root Root, rises int) (steps []Step, best *Fit, err error) {
	spread := spread(m.Problem.Train, m.Problem.Engine, m.Diagonal)
	best = fit
	for worse := 0; len(steps) < m.Rounds && worse < rises; {
		b, ok, err := m.next(ctx, fit, root, spread)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
		f, k, err := m.Climb(ctx, b, from.Octave)
		if err != nil {
			return nil, nil, err
		}
		worse++
		if f.Error < from.Error {
			worse = 0
		}
		if f.Error < best.Error {
			best = f
		}
		fit, from = f, Step{b, k, f.Error, from.Round + 1, root}
		steps = append(steps, from)
	}
	return steps, best, nil
}

// next returns B of the next round, which leaves the mean square of the inputs as it is. ok is
// false if the gradients give no B.
func (m *Metric) next(ctx context.Context, f *Fit, root Root, spread func(Transform) float64) (b Transform, ok bool, err error) {
	product, err := f.GradientProduct(ctx, m.Problem.Engine, m.Diagonal)
	if err != nil || !f.Solved() {
		return b, false, err
	}
	if b, ok = FromProduct(m.Problem.Engine, product, root); !ok {
		return b, false, nil
	}
	one := slices.Repeat([]float64{1}, m.W0.Cols)
	scale := math.Sqrt(spread(Transform{Scale: one}) / spread(b))
	if !(scale > 0) || math.IsInf(scale, 0) {
		return b, false, nil
	}
	b.times(scale)
	return b, true, nil
}

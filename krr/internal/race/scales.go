package race

import (
	"context"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// axes are bandwidths per input that were learned for kernel sections, once for the training
// rows of each split. Other bandwidths of the same candidate are multiples of them, and the
// fit of all rows has those of the first split: they are what was measured.
type axes struct {
	sampler  rff.Sampler // that picks the rows, and learns nothing
	exponent int         // of the bandwidth that learning began with

	mu      sync.Mutex
	kernels []rff.Stationary // by split
}

// scales proposes to learn a bandwidth per input for the best kernel sections, on some rows
// or on all of them.
func scales(r *Race) []proposal {
	if r.best == nil {
		return nil
	}
	s, ok := r.best.sampler.(sampling.Nystrom)
	if !ok || s.Metric || r.Sampler != nil || r.in == 1 || r.fruitless["scales"] > 0 {
		return nil
	}
	j := r.best.job
	j.axes = &axes{sampler: s, exponent: j.exponent}
	s.Metric = true
	j.sampler = s
	return []proposal{{name: "scales", gain: r.gainOf("scales"), work: r.workOf(j, r.best.size),
		run: func(ctx context.Context) error { return r.challenge(ctx, "scales", []job{j}, r.best.size) }}}
}

// own returns the sampler of a candidate whose bandwidths per input, if there are any, are
// learned beside it.
func (c candidate) own() rff.Sampler {
	if c.axes != nil {
		return c.axes.sampler
	}
	return c.sampler
}

// kernel returns the kernel of a split for a bandwidth, that of q where nothing is learned.
// If it is the first of the split, it is learned from the rows of q.
func (a *axes) kernel(ctx context.Context, q rff.Request, exponent, split int) (rff.Kernel, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if split == len(a.kernels) {
		begin, err := inside.Widened(q.Kernel.(rff.Stationary), multiple(a.exponent-exponent))
		if err != nil {
			return nil, err
		}
		q.Kernel, q.Features = begin, min(q.Features, axesSections)
		m, err := sampling.Nystrom{Metric: true}.Sample(ctx, q)
		if err != nil {
			return nil, err
		}
		a.kernels = append(a.kernels, m.Kernel().(rff.Stationary))
	}
	return inside.Widened(a.kernels[split], multiple(exponent-a.exponent))
}

// axesSections are those that bandwidths per input are learned with: sampling.Nystrom has no
// more of them.
const axesSections = 256

// axesWork is that of learning bandwidths per input for the splits, after so many that are
// done, that have none yet.
func (r *Race) axesWork(c candidate, z size, done int) float64 {
	if c.axes == nil {
		return 0
	}
	sections := min(z.features, axesSections)
	once := r.samplerWork(sampling.Nystrom{Metric: true}, z.rows, sections) - r.samplerWork(sampling.Nystrom{}, z.rows, sections)
	return float64(float64(max(0, z.splits-max(done, len(c.axes.kernels)))) * once)
}

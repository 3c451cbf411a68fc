package race

import (
	"context"
	"sync"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/sampling"
)

// axes are bandwidths per input that were learned for kernel sections, once for the training
// rows of each split. Other bandwidths of the same candidate are multiples of them, and the fit
// of all rows takes the bandwidths of the first split, since these were measured.
type axes struct {
	sampler  rff.Sampler // picks the rows, and learns nothing
	exponent int         // that of the bandwidth that learning began with

	mu      sync.Mutex
	kernels []rff.Stationary // by split
}

// kernel returns the kernel of a split at a bandwidth, or the kernel of q where nothing is
// learned. The first call for a split learns its kernel from the rows of q.
func (a *axes) kernel(ctx context.Context, q rff.Request, exponent, split int) (rff.Kernel, error) {
	a.mu.Lock()
	for len(a.kernels) <= split {
		a.kernels = append(a.kernels, nil)
	}
	k := a.kernels[split]
	a.mu.Unlock()
	if k == nil {
		begin, err := inside.Widened(q.Kernel.(rff.Stationary), multiple(a.exponent-exponent))
		if err != nil {
			return nil, err
		}
		q.Kernel, q.Features = begin, min(q.Features, axesSections)
		m, err := sampling.Nystrom{Metric: true}.Sample(ctx, q)
		if err != nil {
			return nil, err
		}
		k = m.Kernel().(rff.Stationary)
		a.mu.Lock()
		a.kernels[split] = k
		a.mu.Unlock()
	}
	return inside.Widened(k, multiple(exponent-a.exponent))
}

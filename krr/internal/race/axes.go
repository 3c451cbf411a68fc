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

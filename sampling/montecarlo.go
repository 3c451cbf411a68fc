package sampling

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
)

// MonteCarlo draws independent frequencies from the kernel's spectral measure:
// A. Rahimi and B. Recht, "Random features for large-scale kernel machines",
// NIPS 2007. It is rff.New as a Sampler, for every stationary kernel.
type MonteCarlo struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s MonteCarlo) Sample(ctx context.Context, k rff.Kernel, dim, features int, _ rff.Source, src rand.Source) (*rff.Map, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st, err := stationary("Monte Carlo sampling", k)
	if err != nil {
		return nil, err
	}
	return rff.New(st, dim, features, src, s.Form)
}

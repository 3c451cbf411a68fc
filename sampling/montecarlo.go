package sampling

import (
	"context"
	"math/rand/v2"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
)

// MonteCarlo draws independent frequencies from the kernel's spectral measure:
// A. Rahimi and B. Recht, "Random features for large-scale kernel machines",
// NIPS 2007: the maps of rff.New, for every stationary kernel.
type MonteCarlo struct {
	Form rff.Form // CosSin by default
}

// Sample implements rff.Sampler; data is not used.
func (s MonteCarlo) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	d, err := begin(ctx, "Monte Carlo sampling", s.Form, r)
	if err != nil {
		return nil, err
	}
	if err := seeded(r.Rand); err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, &uniforms{d.Rand, d.coordinates()})
}

// uniforms are points of independent uniform coordinates.
type uniforms struct {
	src rand.Source
	dim int
}

func (p *uniforms) Dim() int { return p.dim }

func (p *uniforms) Next(u []float64) {
	for i := range u {
		u[i] = portable.Uniform(p.src)
	}
}

func (p *uniforms) Skip(n uint64) {
	for range n * uint64(p.dim) {
		p.src.Uint64()
	}
}

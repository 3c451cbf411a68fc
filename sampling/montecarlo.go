package sampling

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/portable"
)

// MonteCarlo draws independent features of the kernel.
//
// For a stationary kernel it returns the maps of rff.New, whose frequencies are drawn from
// the spectral measure: A. Rahimi and B. Recht, "Random features for large-scale kernel
// machines", NIPS 2007.
//
// For the arc-cosine kernel of order p the features are √(2/F)·max(0, ωᵀx)ᵖ with
// ω ~ N(0, I): Y. Cho and L. Saul, "Kernel methods for deep learning", NIPS 2009. For the
// linear kernel they are coordinates √(d/F)·x_j, drawn with replacement: S. Shahrampour, A.
// Beirami and V. Tarokh, "On data-dependent random features for improved generalization in
// supervised learning", AAAI 2018.
type MonteCarlo struct {
	Form rff.Form // CosSin by default; must be unset for arc-cosine and linear kernels
}

// Sample implements rff.Sampler; data is not used.
func (s MonteCarlo) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	if slices.Contains(productKernels, r.Kernel) {
		return products(ctx, s.Form, r)
	}
	d, err := begin(ctx, "Monte Carlo sampling", s.Form, r)
	if err != nil {
		return nil, err
	}
	if err := seeded(r.Rand); err != nil {
		return nil, err
	}
	return d.fromPoints(ctx, uniforms{d.Rand})
}

// ofKernel is MonteCarlo for one kernel, which the names "arccos" and "linear" give. The
// kernel of a request must be nil or this one.
type ofKernel struct{ k rff.Kernel }

func (s ofKernel) kernel() rff.Kernel { return s.k }

// Sample implements rff.Sampler; data is not used.
func (s ofKernel) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	if r.Kernel != nil && r.Kernel != s.k {
		return nil, kernelError(fmt.Sprintf("%v features", s.k), r.Kernel, "they approximate their own kernel only")
	}
	r.Kernel = s.k
	return MonteCarlo{}.Sample(ctx, r)
}

// uniforms are points of independent uniform coordinates.
type uniforms struct{ src rand.Source }

func (p uniforms) Next(u []float64) {
	for i := range u {
		u[i] = portable.Uniform(p.src)
	}
}

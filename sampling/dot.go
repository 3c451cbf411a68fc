package sampling

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// MonteCarlo draws features f(ωᵀx) for productKernels. productFuncs has the function f of
// each, in the same order.
var (
	productKernels = []rff.Kernel{rff.NewArcCosine(0), rff.NewArcCosine(1), rff.NewArcCosine(2), rff.NewLinear()}
	productFuncs   = []asm.Func{asm.ArcCos0, asm.ArcCos1, asm.ArcCos2, asm.Linear}
)

// products returns the map of features √(c/F)·f(ωᵀx) of one of the productKernels. For an
// arc-cosine kernel c = 2 and ω ~ N(0, I). For the linear kernel c = d and ω is the unit
// vector of a random coordinate.
func products(ctx context.Context, form rff.Form, r rff.Request) (*rff.Map, error) {
	if form != "" {
		return nil, &rff.ParameterError{Name: "form", Value: form, Need: fmt.Sprintf("must not be set: features of the kernel %v are no cosines", r.Kernel)}
	}
	f := productFuncs[slices.Index(productKernels, r.Kernel)]
	q, err := newRequest(ctx, fmt.Sprintf("%v features", r.Kernel), r)
	if err != nil {
		return nil, err
	}
	if err := affordable(q.Features, q.Features, q.Dim, "frequencies"); err != nil {
		return nil, err
	}
	spec := &blas.Spec{Dim: q.Dim, W: blas.NewGeneral[float64](q.Features, q.Dim), Func: f}
	scale := 2.0
	if f == asm.Linear {
		scale = float64(q.Dim)
	}
	for i := range q.Features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := spec.W.Row(i)
		if f == asm.Linear {
			row[intN(q.Rand, len(row))] = 1
			continue
		}
		normals(row, q.Rand)
	}
	spec.Weight = slices.Repeat([]float64{math.Sqrt(scale / float64(q.Features))}, q.Features)
	return q.made(spec, q.Kernel)
}

package sampling

import (
	"context"
	"fmt"
	"math"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
)

// ArcCosine draws features √(2/F)·max(0, ωᵀx)ᵖ, ω ~ N(0, I), of the arc-cosine
// kernel of order p: Y. Cho and L. Saul, "Kernel methods for deep learning",
// NIPS 2009. The kernel handed to Sample must be nil or that kernel.
type ArcCosine struct {
	Order int // 0, 1 or 2
}

// kernel returns the kernel the features approximate.
func (s ArcCosine) kernel() rff.Kernel { return rff.NewArcCosine(s.Order) }

// Sample implements rff.Sampler; data is not used.
func (s ArcCosine) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	funcs := []asm.Func{asm.ArcCos0, asm.ArcCos1, asm.ArcCos2}
	if s.Order < 0 || s.Order >= len(funcs) {
		return nil, &rff.ParameterError{Name: "order", Value: s.Order, Need: "must be 0, 1 or 2"}
	}
	return ofProducts(ctx, "arc-cosine", r, s.kernel(), funcs[s.Order], 2, func(row []float64) {
		for j := range row {
			row[j] = normal(r.Rand)
		}
	})
}

// ofProducts returns the map of features √(scale/F)·f(ωᵀx) of a kernel of its own, or an
// error if r asks for another one. draw draws one ω.
func ofProducts(ctx context.Context, name string, r rff.Request, k rff.Kernel, f asm.Func, scale float64, draw func(row []float64)) (*rff.Map, error) {
	sampler := name + " features"
	if r.Kernel != nil && r.Kernel != k {
		return nil, kernelError(sampler, r.Kernel, fmt.Sprintf("they approximate the kernel %v only", k))
	}
	q, err := newRequest(ctx, sampler, r)
	if err != nil {
		return nil, err
	}
	if err := affordable(q.Features, q.Features, q.Dim, "frequencies"); err != nil {
		return nil, err
	}
	spec := &blas.Spec{Dim: q.Dim, W: blas.NewGeneral[float64](q.Features, q.Dim), Func: f, Weight: make([]float64, q.Features)}
	for i := range q.Features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		draw(spec.W.Row(i))
	}
	fill(spec.Weight, math.Sqrt(scale/float64(q.Features)))
	return q.made(spec, k)
}

// Linear draws coordinates with replacement, √(d/F)·x_j, as features of the
// linear kernel: S. Shahrampour, A. Beirami and V. Tarokh, "On data-dependent
// random features for improved generalization in supervised learning", AAAI
// 2018. The kernel handed to Sample must be nil or that kernel.
type Linear struct{}

func (Linear) kernel() rff.Kernel { return rff.NewLinear() }

// Sample implements rff.Sampler; data is not used.
func (s Linear) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	return ofProducts(ctx, "linear", r, s.kernel(), asm.Linear, float64(r.Dim), func(row []float64) {
		row[intN(r.Rand, len(row))] = 1
	})
}

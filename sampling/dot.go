package sampling

import (
	"context"
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
	if r.Kernel != nil && r.Kernel != s.kernel() {
		return nil, kernelError("arc-cosine features", r.Kernel, "they approximate the arc-cosine kernel of their own order only")
	}
	funcs := []asm.Func{asm.ArcCos0, asm.ArcCos1, asm.ArcCos2}
	if s.Order < 0 || s.Order >= len(funcs) {
		return nil, &rff.ParameterError{Name: "order", Value: s.Order, Need: "must be 0, 1 or 2"}
	}
	if err := checkSize(ctx, r); err != nil {
		return nil, err
	}
	q, err := newRequest("arc-cosine features", r)
	if err != nil {
		return nil, err
	}
	dim, features := r.Dim, r.Features
	if err := affordable(features, features, dim, "frequencies"); err != nil {
		return nil, err
	}
	spec := &blas.Spec{Dim: dim, W: blas.NewGeneral[float64](features, dim), Func: funcs[s.Order], Weight: make([]float64, features)}
	for i := range features {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := spec.W.Row(i)
		for j := range row {
			row[j] = normal(r.Rand)
		}
	}
	fill(spec.Weight, math.Sqrt(2/float64(features)))
	return q.made(spec, s.kernel())
}

// Linear draws coordinates with replacement, √(d/F)·x_j, as features of the
// linear kernel: S. Shahrampour, A. Beirami and V. Tarokh, "On data-dependent
// random features for improved generalization in supervised learning", AAAI
// 2018. The kernel handed to Sample must be nil or that kernel.
type Linear struct{}

func (Linear) kernel() rff.Kernel { return rff.NewLinear() }

// Sample implements rff.Sampler; data is not used.
func (s Linear) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	if r.Kernel != nil && r.Kernel != s.kernel() {
		return nil, kernelError("linear features", r.Kernel, "they approximate the linear kernel only")
	}
	if err := checkSize(ctx, r); err != nil {
		return nil, err
	}
	q, err := newRequest("linear features", r)
	if err != nil {
		return nil, err
	}
	dim, features := r.Dim, r.Features
	if err := affordable(features, features, dim, "frequencies"); err != nil {
		return nil, err
	}
	spec := &blas.Spec{Dim: dim, W: blas.NewGeneral[float64](features, dim), Func: asm.Linear, Weight: make([]float64, features)}
	for i := range features {
		spec.W.Row(i)[intN(r.Rand, dim)] = 1
	}
	fill(spec.Weight, math.Sqrt(float64(dim)/float64(features)))
	return q.made(spec, s.kernel())
}

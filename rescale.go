package rff

import (
	"math"

	"github.com/rffgo/rff/blas"
)

// Rescaler is a stationary kernel that says what it is at another bandwidth.
type Rescaler interface {
	Stationary
	// Bandwidth returns one bandwidth for all dimensions, or one per dimension;
	// none for a kernel that leaves it open, which stands for 1.
	Bandwidth() []float64
	// Rescale returns the kernel with every bandwidth multiplied by factor: its
	// value at x and y is that of the kernel itself at x/factor and y/factor.
	Rescale(factor float64) Rescaler
}

var _ = []Rescaler{Gaussian{}, Laplacian{}, Cauchy{}, Matern{}}

// rescaled returns per-dimension bandwidths multiplied by factor.
func rescaled(v []float64, factor float64) []float64 {
	if len(v) == 0 {
		return []float64{factor}
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * factor
	}
	return out
}

// Bandwidth returns Sigma.
func (g Gaussian) Bandwidth() []float64 { return g.Sigma }

// Rescale returns the kernel with every σ multiplied by factor.
func (g Gaussian) Rescale(factor float64) Rescaler { return Gaussian{rescaled(g.Sigma, factor)} }

// Bandwidth returns Sigma.
func (k Laplacian) Bandwidth() []float64 { return k.Sigma }

// Rescale returns the kernel with every σ multiplied by factor.
func (k Laplacian) Rescale(factor float64) Rescaler { return Laplacian{rescaled(k.Sigma, factor)} }

// Bandwidth returns Sigma.
func (k Cauchy) Bandwidth() []float64 { return k.Sigma }

// Rescale returns the kernel with every σ multiplied by factor.
func (k Cauchy) Rescale(factor float64) Rescaler { return Cauchy{rescaled(k.Sigma, factor)} }

// Bandwidth returns Length.
func (k Matern) Bandwidth() []float64 { return k.Length }

// Rescale returns the kernel of the same smoothness with every ℓ multiplied by factor.
func (k Matern) Rescale(factor float64) Rescaler { return Matern{k.Nu, rescaled(k.Length, factor)} }

// Rescale returns the map with every bandwidth multiplied by factor: the same
// draws with frequencies divided by it, dense or structured. Its kernel is that of
// m at the new bandwidth if that is a Rescaler, otherwise nil. The error is a
// *ParameterError unless factor is positive and finite and every frequency stays so.
func (m *Map) Rescale(factor float64) (*Map, error) {
	if !(factor > 0) || math.IsInf(factor, 1) || 1/factor == 0 {
		return nil, &ParameterError{Name: "bandwidth factor", Value: factor, Need: "must be positive and finite"}
	}
	if m.Spec().Func.Section() {
		return m.rescaleSections(factor)
	}
	s := *m.Spec()
	if len(s.Blocks) == 0 {
		s.W = blas.NewGeneral[float64](s.W.Rows, s.W.Cols)
		for i := range s.W.Rows {
			divide(s.W.Row(i), m.spec.W.Row(i), factor)
		}
	} else {
		s.Blocks = make([]blas.Block, len(s.Blocks))
		for i, b := range m.spec.Blocks {
			scale := make([]float64, len(b.Scale))
			divide(scale, b.Scale, factor)
			b.Scale = scale
			s.Blocks[i] = b
		}
	}
	var k Kernel
	if r, ok := m.kernel.(Rescaler); ok {
		k = r.Rescale(factor)
	}
	r, err := FromSpec(&s, k)
	if err != nil {
		return nil, err
	}
	return r.On(m.engine), nil
}

// rescaleSections is Rescale of sections: of the same landmarks at the new bandwidth,
// with their own L if m has one.
func (m *Map) rescaleSections(factor float64) (*Map, error) {
	k, ok := m.kernel.(Rescaler)
	if !ok {
		return nil, &ParameterError{Name: "bandwidth factor", Value: factor, Need: "needs a map that knows its kernel"}
	}
	var r *Map
	var err error
	if at := k.Rescale(factor); m.spec.Product.Data != nil {
		r, err = nystrom(at, m.spec.W)
	} else {
		var s *blas.Spec
		if s, err = sectionSpec(at, m.spec.W); err == nil {
			r, err = FromSpec(s, at)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.On(m.engine), nil
}

func divide(dst, src []float64, by float64) {
	for i, v := range src {
		dst[i] = v / by
	}
}

// WithBandwidth returns k with bandwidth h for all dimensions. The error is a
// *ParameterError unless k is a Rescaler that leaves its bandwidth open.
func WithBandwidth(k Kernel, h float64) (Kernel, error) {
	r, ok := k.(Rescaler)
	if !ok || len(r.Bandwidth()) > 0 {
		return nil, &ParameterError{Name: "kernel", Value: k, Need: "has its bandwidth already, or none"}
	}
	return r.Rescale(h), nil
}

// FromEuclidean returns the ℓ₁ distance, this kernel's, of two points whose
// Euclidean distance is r in dim dimensions, for normally distributed differences:
// √(2·dim/π)·r.
func (k Laplacian) FromEuclidean(r float64, dim int) float64 {
	return r * math.Sqrt(2*float64(dim)/math.Pi)
}

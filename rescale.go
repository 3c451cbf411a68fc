package rff

import (
	"fmt"
	"math"
	"strings"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside/hook"
)

// scalable is a stationary kernel of this package.
type scalable interface {
	Stationary
	// bandwidth returns one bandwidth for all dimensions, or one per dimension;
	// none if the kernel leaves it open, which means 1.
	bandwidth() []float64
	// with returns the kernel with other bandwidths.
	with(bandwidth []float64) Stationary
	// section returns the kernel in dim dimensions as a function of a distance.
	section(dim int) (section, error)
}

// rescale returns k with every bandwidth multiplied by factor: its value at x and y is
// that of k at x/factor and y/factor.
func rescale(k scalable, factor float64) Stationary { return k.with(rescaled(k.bandwidth(), factor)) }

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

// Rescale returns the map with every bandwidth multiplied by factor, that is, with
// the frequencies of m divided by it. Its kernel is that of m at the new bandwidth, or nil if m
// has none that is stationary. The error is a *ParameterError unless factor is positive
// and finite and all frequencies stay finite.
func (m *Map) Rescale(factor float64) (*Map, error) {
	if err := checkFactor(factor); err != nil {
		return nil, err
	}
	if m.made().spec.Func.Section() {
		return m.rescaleSections(factor)
	}
	s := *m.made().spec
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
			if b.Trees == nil {
				b.Scale = scale
			} else {
				t := *b.Trees
				t.Threshold = rescaled(t.Threshold, factor)
				b.Trees = &t
			}
			s.Blocks[i] = b
		}
	}
	var k Kernel
	if own, ok := m.kernel.(Stationary); ok {
		k, _ = widen(own, factor) // whose only error is that of the factor
	}
	r, err := fromSpec(&s, k)
	if err != nil {
		return nil, err
	}
	return r.on(m.engine), nil
}

// rescaleSections is Rescale for sections. They stay on the same rows and get the new
// bandwidth; if m multiplies them by a factor, that is made anew.
func (m *Map) rescaleSections(factor float64) (*Map, error) {
	k, ok := m.kernel.(scalable)
	if !ok {
		return nil, &ParameterError{Name: "bandwidth factor", Value: factor, Need: "needs a map that knows its kernel"}
	}
	var r *Map
	var err error
	at := rescale(k, factor)
	if m.change != nil {
		r, err = nystrom(at, m.spec.W)
	} else {
		var s *blas.Spec
		if s, err = sectionSpec(at, m.spec.W); err == nil {
			s.Product = m.spec.Product
			r, err = fromSpec(s, at)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.on(m.engine), nil
}

func divide(dst, src []float64, by float64) {
	for i, v := range src {
		dst[i] = v / by
	}
}

// WithBandwidth returns k with bandwidth h for all dimensions. The error is a
// *ParameterError unless k is a kernel of this package that leaves its bandwidth open,
// as ParseKernel("gaussian") does.
func WithBandwidth(k Kernel, h float64) (Kernel, error) {
	r, ok := k.(scalable)
	if !ok || len(r.bandwidth()) > 0 {
		return nil, &ParameterError{Name: "kernel", Value: k, Need: "has its bandwidth already, or none"}
	}
	return rescale(r, h), nil
}

// widen is internal/inside.Widened.
func widen(k Stationary, factor float64) (Stationary, error) {
	if err := checkFactor(factor); err != nil {
		return nil, err
	}
	switch k := k.(type) {
	case scalable:
		return rescale(k, factor), nil
	case widened:
		return widened{k.Stationary, k.factor * factor}, nil
	}
	return widened{k, factor}, nil
}

func checkFactor(factor float64) error {
	if !(factor > 0) || math.IsInf(factor, 1) || 1/factor == 0 {
		return &ParameterError{Name: "bandwidth factor", Value: factor, Need: "must be positive and finite"}
	}
	return nil
}

// familyOf is internal/inside.FamilyOf.
func familyOf(k any, dim int) any {
	var f hook.Family[Stationary]
	if k, ok := k.(scalable); ok {
		s, _ := k.section(dim)
		name, _, _ := strings.Cut(fmt.Sprint(k), ":")
		f = hook.Family[Stationary]{Name: name, Bandwidths: k.bandwidth(), With: k.with, Slope: s.slope, Power: s.power}
	}
	return f
}

// widened is a program's own kernel at another bandwidth.
type widened struct {
	Stationary
	factor float64
}

func (k widened) Eval(x, y []float64) float64 {
	a, b := make([]float64, len(x)), make([]float64, len(y))
	divide(a, x, k.factor)
	divide(b, y, k.factor)
	return k.Stationary.Eval(a, b)
}

func (k widened) Spectrum(dim int) (Spectrum, error) {
	s, err := k.Stationary.Spectrum(dim)
	return widenedSpectrum{s, k.factor}, err
}

func (k widened) String() string { return fmt.Sprintf("%v, widened %g times", k.Stationary, k.factor) }

type widenedSpectrum struct {
	Spectrum
	factor float64
}

func (s widenedSpectrum) Quantile(dst, u []float64) {
	s.Spectrum.Quantile(dst, u)
	divide(dst, dst, s.factor)
}

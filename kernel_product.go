package rff

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

// Laplacian is the kernel k(x, y) = exp(−Σⱼ |xⱼ−yⱼ|/σⱼ), a product over the
// dimensions. Its frequencies are Cauchy: ωⱼ = tan(π(u−½))/σⱼ, which have no
// second moment.
type Laplacian struct {
	// Sigma has one bandwidth for all dimensions, or one per dimension; none means 1.
	Sigma []float64
}

// NewLaplacian returns the kernel exp(−Σⱼ |xⱼ−yⱼ|/σⱼ).
func NewLaplacian(sigma ...float64) Laplacian { return Laplacian{Sigma: sigma} }

// Eval returns k(x, y).
func (k Laplacian) Eval(x, y []float64) float64 {
	checkPair(x, y, k.Sigma)
	var s float64
	for j := range x {
		s += math.Abs(x[j]-y[j]) / scaleAt(k.Sigma, j)
	}
	return portable.Exp(-s)
}

// Spectrum returns the product of Cauchy distributions with scales 1/σⱼ.
func (k Laplacian) Spectrum(dim int) (Spectrum, error) {
	sigma, err := checkScales("sigma", k.Sigma, dim)
	if err != nil {
		return nil, err
	}
	return &productSpectrum{newScaled(sigma), portable.CauchyQuantile, math.Inf(1)}, nil
}

func (k Laplacian) String() string { return describe("laplacian", "sigma", k.Sigma) }

func (k Laplacian) bandwidth() []float64        { return k.Sigma }
func (k Laplacian) with(b []float64) Stationary { return Laplacian{b} }

func (k Laplacian) section(int) (section, error) {
	slope := func(r float64) float64 { return -portable.Exp(-r) }
	return section{"sigma", math.Log2E, asm.SectionGaussian, true, slope}, nil
}

// FromEuclidean returns the typical ℓ₁ distance, which this kernel is a function of,
// of two points of R^dim at the Euclidean distance r: √(2·dim/π)·r, for differences
// that are normally distributed. Bandwidth rules that measure Euclidean distances need
// it.
func (k Laplacian) FromEuclidean(r float64, dim int) float64 {
	return r * math.Sqrt(2*float64(dim)/math.Pi)
}

// Distance returns the ℓ₁ distance Σⱼ |xⱼ−yⱼ|, which this kernel is a function of where
// all dimensions have one bandwidth.
func (k Laplacian) Distance(x, y []float64) float64 {
	var d float64
	for j, v := range x {
		d += math.Abs(v - y[j])
	}
	return d
}

// Cauchy is the kernel k(x, y) = Πⱼ 1/(1 + (xⱼ−yⱼ)²/σⱼ²), a product over the
// dimensions. Its frequencies are Laplace distributed with density
// (σⱼ/2)·exp(−σⱼ|ωⱼ|).
type Cauchy struct {
	// Sigma has one bandwidth for all dimensions, or one per dimension; none means 1.
	Sigma []float64
}

// NewCauchy returns the kernel Πⱼ 1/(1 + (xⱼ−yⱼ)²/σⱼ²).
func NewCauchy(sigma ...float64) Cauchy { return Cauchy{Sigma: sigma} }

// Eval returns k(x, y).
func (k Cauchy) Eval(x, y []float64) float64 {
	checkPair(x, y, k.Sigma)
	p := 1.0
	for j := range x {
		d := (x[j] - y[j]) / scaleAt(k.Sigma, j)
		p /= 1 + float64(d*d)
	}
	return p
}

// Spectrum returns the product of Laplace distributions with scales 1/σⱼ.
func (k Cauchy) Spectrum(dim int) (Spectrum, error) {
	sigma, err := checkScales("sigma", k.Sigma, dim)
	if err != nil {
		return nil, err
	}
	return &productSpectrum{newScaled(sigma), portable.LaplaceQuantile, 2}, nil
}

func (k Cauchy) String() string { return describe("cauchy", "sigma", k.Sigma) }

func (k Cauchy) bandwidth() []float64        { return k.Sigma }
func (k Cauchy) with(b []float64) Stationary { return Cauchy{b} }

func (k Cauchy) section(dim int) (section, error) {
	if dim > 1 {
		return section{}, &ParameterError{Name: "kernel", Value: k, Need: "is a product over the dimensions and no function of a distance: use gaussian, laplacian or matern"}
	}
	return section{"sigma", 1, asm.SectionCauchy, false, nil}, nil
}

// productSpectrum has independent coordinates with one quantile function.
type productSpectrum struct {
	scaled
	quantile func(u float64) float64
	variance float64 // of a coordinate at scale 1
}

func (s *productSpectrum) Uniforms() int { return len(s.scale) }

func (s *productSpectrum) Quantile(w, u []float64) {
	for j := range w {
		w[j] = s.quantile(u[j]) * s.scale[j]
	}
}

func (s *productSpectrum) SecondMoment() float64 { return s.variance * s.sumSquares() }

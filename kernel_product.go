package rff

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

type cauchy struct{ sigma []float64 }

// NewCauchy returns the kernel k(x, y) = Πⱼ 1/(1 + (xⱼ−yⱼ)²/σⱼ²), a product over the
// dimensions, with one bandwidth σ for all of them or one per dimension. Without a σ the
// bandwidth is open, and counts as 1. Its frequencies are Laplace distributed with density
// (σⱼ/2)·exp(−σⱼ|ωⱼ|).
func NewCauchy(sigma ...float64) Stationary { return cauchy{sigma} }

func (k cauchy) Eval(x, y []float64) float64 {
	checkPair(x, y, k.sigma)
	p := 1.0
	for j := range x {
		d := (x[j] - y[j]) / scaleAt(k.sigma, j)
		p /= 1 + float64(d*d)
	}
	return p
}

// Spectrum is the product of Laplace distributions with scales 1/σⱼ.
func (k cauchy) Spectrum(dim int) (Spectrum, error) {
	sigma, err := checkScales("sigma", k.sigma, dim)
	if err != nil {
		return nil, err
	}
	return &productSpectrum{newScaled(sigma), portable.LaplaceQuantile, 2}, nil
}

func (k cauchy) String() string { return describe("cauchy", "sigma", k.sigma) }

func (k cauchy) bandwidth() []float64        { return k.sigma }
func (k cauchy) with(b []float64) Stationary { return cauchy{b} }

func (k cauchy) section(dim int) (section, error) {
	if dim > 1 {
		return section{}, &ParameterError{Name: "kernel", Value: k, Need: "is a product over the dimensions and no function of a distance: use gaussian, laplacian, exponential-power or matern"}
	}
	return section{"sigma", 1, asm.SectionCauchy, asm.Products, nil, 0}, nil
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

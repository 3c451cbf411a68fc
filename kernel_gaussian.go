package rff

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

type gaussian struct{ sigma []float64 }

// NewGaussian returns the kernel k(x, y) = exp(−Σⱼ (xⱼ−yⱼ)²/(2σⱼ²)), with one bandwidth σ
// for all dimensions or one per dimension. Without a σ the bandwidth is open, and counts as 1.
// Its frequencies are normal with standard deviation 1/σⱼ.
//
// In the notation exp(−γ‖x−y‖²), σ is 1/√(2γ); ParseKernel reads "gaussian:gamma=0.2".
// Liu et al. (2020) write the same kernel as exp(−‖x−y‖²/σ²): their σ is √2 times this one.
func NewGaussian(sigma ...float64) Stationary { return gaussian{sigma} }

func parseGaussian(p parameters) (Kernel, error) {
	sigma := p["sigma"]
	for _, g := range p["gamma"] {
		sigma = append(sigma, 1/math.Sqrt(2*g))
	}
	return NewGaussian(sigma...), nil
}

func (g gaussian) Eval(x, y []float64) float64 {
	return portable.Exp(-0.5 * scaledSquare(x, y, g.sigma))
}

// scaledSquare returns Σⱼ ((xⱼ−yⱼ)/sⱼ)².
func scaledSquare(x, y, scales []float64) float64 {
	checkPair(x, y, scales)
	var s float64
	for j := range x {
		d := (x[j] - y[j]) / scaleAt(scales, j)
		s += float64(d * d)
	}
	return s
}

// Spectrum is N(0, diag(1/σⱼ²)), an Isotropic spectrum.
func (g gaussian) Spectrum(dim int) (Spectrum, error) {
	sigma, err := checkScales("sigma", g.sigma, dim)
	if err != nil {
		return nil, err
	}
	return &tSpectrum{newScaled(sigma), 0}, nil
}

func (g gaussian) String() string { return describe("gaussian", "sigma", g.sigma) }

func (g gaussian) bandwidth() []float64        { return g.sigma }
func (g gaussian) with(b []float64) Stationary { return gaussian{b} }

func (g gaussian) section(int) (section, error) {
	slope := func(r float64) float64 { return -portable.Exp(-float64(r*r) / 2) }
	return section{"sigma", math.Sqrt(math.Log2E / 2), asm.SectionGaussian, asm.Products, slope, 0}, nil
}

// normalLength returns the length of the vector of normal quantiles of u.
func normalLength(u []float64) float64 {
	var r float64
	for _, v := range u {
		g := portable.NormalQuantile(v)
		r += float64(g * g)
	}
	return math.Sqrt(r)
}

package rff

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

// Gaussian is the kernel k(x, y) = exp(−Σⱼ (xⱼ−yⱼ)²/(2σⱼ²)). Its frequencies are
// normal with standard deviation 1/σⱼ.
//
// Liu et al. (2020) write the same kernel as exp(−‖x−y‖²/σ²): their σ is √2
// times this one.
type Gaussian struct {
	// Sigma has one bandwidth for all dimensions, or one per dimension; none means 1.
	Sigma []float64
}

// NewGaussian returns the kernel exp(−Σⱼ (xⱼ−yⱼ)²/(2σⱼ²)). In the notation
// exp(−γ‖x−y‖²), σ is 1/√(2γ); ParseKernel reads "gaussian:gamma=0.2".
func NewGaussian(sigma ...float64) Gaussian { return Gaussian{Sigma: sigma} }

// gaussianGamma returns the kernel exp(−Σⱼ γⱼ(xⱼ−yⱼ)²), that is σⱼ = 1/√(2γⱼ).
func gaussianGamma(gamma ...float64) Gaussian {
	sigma := make([]float64, len(gamma))
	for j, g := range gamma {
		sigma[j] = 1 / math.Sqrt(2*g)
	}
	return Gaussian{Sigma: sigma}
}

func parseGaussian(p parameters) (Kernel, error) {
	if p["gamma"] != nil {
		return gaussianGamma(p["gamma"]...), nil
	}
	return NewGaussian(p["sigma"]...), nil
}

// Eval returns k(x, y).
func (g Gaussian) Eval(x, y []float64) float64 {
	return portable.Exp(-0.5 * scaledSquare(x, y, g.Sigma))
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

// Spectrum returns N(0, diag(1/σⱼ²)), an Isotropic spectrum.
func (g Gaussian) Spectrum(dim int) (Spectrum, error) {
	sigma, err := checkScales("sigma", g.Sigma, dim)
	if err != nil {
		return nil, err
	}
	return &gaussianSpectrum{newScaled(sigma)}, nil
}

func (g Gaussian) String() string { return describe("gaussian", "sigma", g.Sigma) }

func (g Gaussian) bandwidth() []float64        { return g.Sigma }
func (g Gaussian) with(b []float64) Stationary { return Gaussian{b} }

func (g Gaussian) section(int) (section, error) {
	slope := func(r float64) float64 { return -portable.Exp(-float64(r*r) / 2) }
	return section{"sigma", math.Sqrt(math.Log2E / 2), asm.SectionGaussian, false, slope}, nil
}

type gaussianSpectrum struct{ scaled }

func (s *gaussianSpectrum) Uniforms() int { return len(s.scale) }

func (s *gaussianSpectrum) Quantile(w, u []float64) {
	portable.NormalQuantiles(w, u[:len(w)])
	for j := range w {
		w[j] *= s.scale[j]
	}
}

func (s *gaussianSpectrum) Radius(u []float64) float64 { return normalLength(u[:len(s.scale)]) }

func (s *gaussianSpectrum) Extend(dim int) Isotropic {
	return &gaussianSpectrum{s.extend(dim)}
}

func (s *gaussianSpectrum) SecondMoment() float64 { return s.sumSquares() }

// normalLength returns the length of the vector of normal quantiles of u.
func normalLength(u []float64) float64 {
	var r float64
	for _, v := range u {
		g := portable.NormalQuantile(v)
		r += float64(g * g)
	}
	return math.Sqrt(r)
}

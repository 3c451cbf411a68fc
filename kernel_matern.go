package rff

import (
	"cmp"
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

// matern is a Matérn kernel. A smoothness of 0 stands for 1.5.
type matern struct {
	smoothness float64
	length     []float64
}

// NewMatern returns the Matérn kernel of smoothness ν, which is ½, 3/2 or 5/2 (0 means 3/2),
// with r² = Σⱼ (xⱼ−yⱼ)²/ℓⱼ²:
//
//	ν = ½    k(x, y) = exp(−r)
//	ν = 3/2  k(x, y) = (1 + a)·exp(−a),         a = √3·r
//	ν = 5/2  k(x, y) = (1 + a + a²/3)·exp(−a),  a = √5·r
//
// Its frequencies are multivariate t with 2ν degrees of freedom: normal with
// standard deviation 1/ℓⱼ, divided by √(c/2ν) with one c ~ χ²(2ν) per frequency. There is
// one length scale ℓ for all dimensions or one per dimension. Without an ℓ it is open, and
// counts as 1.
func NewMatern(nu float64, length ...float64) Stationary { return matern{nu, length} }

func (k matern) nu() float64 { return cmp.Or(k.smoothness, 1.5) }

// Eval returns NaN if ν is none of ½, 3/2, 5/2.
func (k matern) Eval(x, y []float64) float64 {
	r := math.Sqrt(scaledSquare(x, y, k.length))
	switch k.nu() {
	case 0.5:
		return portable.Exp(-r)
	case 1.5:
		a := float64(math.Sqrt(3) * r)
		return (1 + a) * portable.Exp(-a)
	case 2.5:
		a := float64(math.Sqrt(5) * r)
		return (1 + a + float64(a*a)/3) * portable.Exp(-a)
	}
	return math.NaN()
}

// Spectrum is the multivariate t distribution with 2ν degrees of freedom
// and scales 1/ℓⱼ, an Isotropic spectrum. It consumes one uniform more than
// there are dimensions, for c.
func (k matern) Spectrum(dim int) (Spectrum, error) {
	length, err := checkScales("length", k.length, dim)
	if err != nil {
		return nil, err
	}
	switch k.nu() {
	case 0.5, 1.5, 2.5:
		return &tSpectrum{newScaled(length), int(2 * k.nu())}, nil
	}
	return nil, &ParameterError{Name: "nu", Value: k.smoothness, Need: "must be 0.5, 1.5 or 2.5"}
}

func (k matern) String() string {
	return describe("matern", "length", k.length, "nu="+number(k.nu()))
}

func (k matern) bandwidth() []float64        { return k.length }
func (k matern) with(b []float64) Stationary { return matern{k.smoothness, b} }

func (k matern) section(int) (section, error) {
	switch k.nu() {
	case 0.5:
		return section{"length", math.Log2E, asm.SectionExponential, asm.Products, func(r float64) float64 {
			if r == 0 { // the kink has no gradient
				return 0
			}
			return -portable.Exp(-r) / r
		}, 0}, nil
	case 1.5:
		return section{"length", math.Log2E * math.Sqrt(3), asm.SectionMatern3, asm.Products, func(r float64) float64 {
			return -3 * portable.Exp(-math.Sqrt(3)*r)
		}, 0}, nil
	case 2.5:
		return section{"length", math.Log2E * math.Sqrt(5), asm.SectionMatern5, asm.Products, func(r float64) float64 {
			a := float64(math.Sqrt(5) * r)
			return -5. / 3 * float64((1+a)*portable.Exp(-a))
		}, 0}, nil
	}
	return section{}, &ParameterError{Name: "nu", Value: k.smoothness, Need: "must be 0.5, 1.5 or 2.5"}
}

func parseMatern(p parameters) (Kernel, error) {
	nu, err := p.among("nu", 1.5, 0.5, 1.5, 2.5)
	return NewMatern(nu, p["length"]...), err
}

// tSpectrum is a multivariate t distribution, with 2ν degrees of freedom for a Matérn kernel, or normal.
type tSpectrum struct {
	scaled
	freedom int // 0: normal
}

func (s *tSpectrum) Uniforms() int { return len(s.scale) + min(s.freedom, 1) }

// stretch returns √(2ν/c) for the last uniform, or 1 for the normal distribution.
func (s *tSpectrum) stretch(u []float64) float64 {
	if s.freedom == 0 {
		return 1
	}
	return math.Sqrt(float64(s.freedom)) / portable.ChiQuantile(u[len(s.scale)], s.freedom)
}

func (s *tSpectrum) Quantile(w, u []float64) {
	c := s.stretch(u)
	portable.NormalQuantiles(w, u[:len(w)])
	for j := range w {
		w[j] = w[j] * c * s.scale[j]
	}
}

func (s *tSpectrum) Radius(u []float64) float64 {
	return normalLength(u[:len(s.scale)]) * s.stretch(u)
}

func (s *tSpectrum) Extend(dim int) Isotropic { return &tSpectrum{s.extend(dim), s.freedom} }

// SecondMoment is that of the t distribution: n/(n−2) times that of the normal distribution for
// n > 2 degrees of freedom, otherwise infinite.
func (s *tSpectrum) SecondMoment() float64 {
	switch {
	case s.freedom == 0:
		return s.sumSquares()
	case s.freedom <= 2:
		return math.Inf(1)
	}
	return float64(s.freedom) / float64(s.freedom-2) * s.sumSquares()
}

package rff

import (
	"math"
	"strconv"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/portable"
)

// Matern is the Matérn kernel of smoothness ν, with r² = Σⱼ (xⱼ−yⱼ)²/ℓⱼ²:
//
//	ν = ½    k(x, y) = exp(−r)
//	ν = 3/2  k(x, y) = (1 + a)·exp(−a),         a = √3·r
//	ν = 5/2  k(x, y) = (1 + a + a²/3)·exp(−a),  a = √5·r
//
// Its frequencies are multivariate t with 2ν degrees of freedom: normal with
// standard deviation 1/ℓⱼ, divided by √(c/2ν) with one c ~ χ²(2ν) per frequency.
type Matern struct {
	// Nu is the smoothness: 0.5, 1.5 or 2.5; 0 means 1.5.
	Nu float64
	// Length has one length scale for all dimensions, or one per dimension; none means 1.
	Length []float64
}

// NewMatern returns the Matérn kernel of smoothness nu ∈ {½, 3/2, 5/2}.
func NewMatern(nu float64, length ...float64) Matern { return Matern{Nu: nu, Length: length} }

func (k Matern) nu() float64 {
	if k.Nu == 0 {
		return 1.5
	}
	return k.Nu
}

// Eval returns k(x, y), or NaN if ν is none of ½, 3/2, 5/2.
func (k Matern) Eval(x, y []float64) float64 {
	r := math.Sqrt(scaledSquare(x, y, k.Length))
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

// Spectrum returns the multivariate t distribution with 2ν degrees of freedom
// and scales 1/ℓⱼ, an Isotropic spectrum. It consumes one uniform more than
// there are dimensions, for c.
func (k Matern) Spectrum(dim int) (Spectrum, error) {
	length, err := checkScales("length", k.Length, dim)
	if err != nil {
		return nil, err
	}
	switch k.nu() {
	case 0.5, 1.5, 2.5:
		return &maternSpectrum{newScaled(length), int(2 * k.nu())}, nil
	}
	return nil, &ParameterError{Name: "nu", Value: k.Nu, Need: "must be 0.5, 1.5 or 2.5"}
}

func (k Matern) String() string {
	s := describe("matern", "length", k.Length)
	if len(k.Length) == 0 {
		s += ":"
	} else {
		s += ","
	}
	return s + "nu=" + strconv.FormatFloat(k.nu(), 'g', -1, 64)
}

func (k Matern) bandwidth() []float64        { return k.Length }
func (k Matern) with(b []float64) Stationary { return Matern{k.Nu, b} }

func (k Matern) section(int) (section, error) {
	switch k.nu() {
	case 0.5:
		return section{"length", math.Log2E, asm.SectionExponential, false, func(r float64) float64 {
			if r == 0 { // the kink has no gradient
				return 0
			}
			return -portable.Exp(-r) / r
		}}, nil
	case 1.5:
		return section{"length", math.Log2E * math.Sqrt(3), asm.SectionMatern3, false, func(r float64) float64 {
			return -3 * portable.Exp(-math.Sqrt(3)*r)
		}}, nil
	case 2.5:
		return section{"length", math.Log2E * math.Sqrt(5), asm.SectionMatern5, false, func(r float64) float64 {
			a := float64(math.Sqrt(5) * r)
			return -5. / 3 * float64((1+a)*portable.Exp(-a))
		}}, nil
	}
	return section{}, &ParameterError{Name: "nu", Value: k.Nu, Need: "must be 0.5, 1.5 or 2.5"}
}

func parseMatern(p parameters) (Kernel, error) {
	nu, err := p.among("nu", 1.5, 0.5, 1.5, 2.5)
	return NewMatern(nu, p["length"]...), err
}

type maternSpectrum struct {
	scaled
	freedom int // 2ν
}

func (s *maternSpectrum) Uniforms() int { return len(s.scale) + 1 }

// stretch returns √(2ν/c) for the last uniform.
func (s *maternSpectrum) stretch(u []float64) float64 {
	return math.Sqrt(float64(s.freedom)) / portable.ChiQuantile(u[len(s.scale)], s.freedom)
}

func (s *maternSpectrum) Quantile(w, u []float64) {
	c := s.stretch(u)
	portable.NormalQuantiles(w, u[:len(w)])
	for j := range w {
		w[j] = w[j] * c * s.scale[j]
	}
}

func (s *maternSpectrum) Radius(u []float64) float64 {
	return normalLength(u[:len(s.scale)]) * s.stretch(u)
}

func (s *maternSpectrum) Extend(dim int) Isotropic {
	return &maternSpectrum{s.extend(dim), s.freedom}
}

// SecondMoment is that of the t distribution: n/(n−2) times the normal one for
// n > 2 degrees of freedom, else infinite.
func (s *maternSpectrum) SecondMoment() float64 {
	if s.freedom <= 2 {
		return math.Inf(1)
	}
	return float64(s.freedom) / float64(s.freedom-2) * s.sumSquares()
}

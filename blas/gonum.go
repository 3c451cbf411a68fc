package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/rffgo/rff/asm"
)

// The gonum backend is an independent reference: gonum's pure-Go products and the
// cosine and sine of the standard library.
var _ = builtIn("gonum", &lent{"gonum", gonumProducts[float64]{level3: level3F64(gonum.Implementation{})},
	gonumProducts[float32]{level3: level3F32(gonum.Implementation{})}})

type gonumProducts[T Float] struct {
	level3[T]
	elementwise[T]
}

// elementwise applies feature functions with the standard library.
type elementwise[T Float] struct{}

func (elementwise[T]) Apply(f asm.Func, z, z2, t, phase, weight, weight2 []T) {
	for j := range t {
		x := float64(t[j]) + float64(phase[j])
		var v, v2 float64
		switch f {
		case asm.Cos:
			v = math.Cos(x)
		case asm.CosSin:
			v2, v = math.Sincos(x)
			z2[j] = T(float64(weight2[j]) * v2)
		case asm.Linear:
			v = x
		case asm.ArcCos0:
			switch {
			case x > 0:
				v = 1
			case x == 0:
				v = 0.5
			case x != x:
				v = x
			}
		case asm.ArcCos1:
			v = max(x, 0)
		case asm.ArcCos2:
			v = max(x, 0)
			v *= v
		default:
			v = sectionOf(f, max(x, 0))
		}
		z[j] = T(float64(weight[j]) * v)
	}
}

// sectionOf returns section f of the squared distance t by the standard library.
func sectionOf(f asm.Func, t float64) float64 {
	a := float64(math.Ln2 * math.Sqrt(t))
	switch f {
	case asm.SectionGaussian:
		return math.Exp2(-t)
	case asm.SectionExponential:
		return math.Exp(-a)
	case asm.SectionMatern3:
		return (1 + a) * math.Exp(-a)
	case asm.SectionMatern5:
		return (1 + a + float64(a*a)/3) * math.Exp(-a)
	}
	return 1 / (1 + t)
}

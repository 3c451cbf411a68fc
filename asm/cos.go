package asm

import (
	"math"
	"unsafe"
)

// Coefficients of the cosine in turns, computed by asm/_gen/fit, for weight 1.
//
// cosTurns reduces t to f = t − round(t), which is exact. With g = ¼ − |f| it returns
// cos(2πt) = sin(2πg) = g·P(g²). In float32 it takes P−4 in place of P and adds 4g at the end,
// so that nearly all of the error is the rounding of the last sum. cosSinTurns reduces further
// to ±⅛ turn and evaluates cos(2πf) = C(f²) and sin(2πf) = f·S(f²). A weight goes into the
// coefficients (see weighted).
//
// The maximum absolute errors for weight 1 that were measured over |t| ≤ 2²⁰, in float64 and
// float32, are 3.5e-16 and 8e-8 for cosTurns, and 1.7e-16 and 7e-8 for cosSinTurns. The
// reduction is exact at any t, so larger arguments have the same errors. NaN and ±Inf give NaN.
var (
	cosP64 = [...]float64{
		0x1.921fb54442d11p+2, -0x1.4abbce625bb9dp+5, 0x1.466bc67747d66p+6, -0x1.32d2ccded11fcp+6,
		0x1.5078317c4b89p+5, -0x1.e305e15a5b5f9p+3, 0x1.e891f375d84a6p+1, -0x1.61a89ebc99701p-1,
	}
	pairC64 = [...]float64{
		0x1p+0, -0x1.3bd3cc9be45a5p+4, 0x1.03c1f081b14eap+6, -0x1.55d3c7dcb8acfp+6,
		0x1.e1f4fbfe702cap+5, -0x1.a6ca019ad5b6dp+4, 0x1.f3ef94e7385e5p+2,
	}
	pairS64 = [...]float64{
		0x1.921fb54442d18p+2, -0x1.4abbce625be06p+5, 0x1.466bc67754a63p+6, -0x1.32d2ccdf7c45p+6,
		0x1.50782cec0b2a8p+5, -0x1.e2fe094cff30cp+3, 0x1.e33135a506bdap+1,
	}
	cosP32  = [...]float64{0x1.243f6ap+1, -0x1.4abbbcp+5, 0x1.4667fep+6, -0x1.323d16p+6, 0x1.3cc88cp+5}
	pairC32 = [...]float64{0x1p+0, -0x1.3bd3ccp+4, 0x1.03c1aep+6, -0x1.55b146p+6, 0x1.d47d46p+5}
	pairS32 = [...]float64{0x1.921fb4p+2, -0x1.4abb68p+5, 0x1.46496cp+6, -0x1.2a7638p+6}
)

// A series is the polynomials of Cos or CosSin times a weight.
type series[T Float] struct {
	lead T // the power of two that is subtracted from P in float32
	poly [2]polynomial[T]
}

type polynomial[T Float] struct {
	terms int
	coef  [maxTerms]T
}

const maxTerms = 8

// MinScale and MaxScale bound Projection.Scale, so that no coefficient over- or underflows.
const MinScale, MaxScale = 0x1p-64, 0x1p64

// weighted returns the series of f times a weight that many columns share. The weight then costs
// these columns no multiplication.
//
// A product weight·cᵢ has a rounding error r, which would cause an error of up to r·endⁱ in the
// sum. If k·r/end² is added to the next coefficient, the error is r·endⁱ·max |xⁱ − k·xⁱ⁺²| over
// 0 ≤ x ≤ 1. It is a third for i = 1 with k = 4/3 and a seventh for i = 3 with k = 1.15, which
// is nearly the best k for larger i too. So errors relative to the weight stay below 4e-16 and
// 1.2e-7.
func weighted[T Float](f Func, weight T) (s series[T]) {
	w, single := float64(weight), unsafe.Sizeof(weight) == 4
	switch {
	case f == CosSin && single:
		s.poly[0].scale(w, pairC32[:], 0, 0, 0.125)
		s.poly[1].scale(w, pairS32[:], 0, 0, 0.125)
	case f == CosSin:
		s.poly[0].scale(w, pairC64[:], 0, 0, 0.125)
		s.poly[1].scale(w, pairS64[:], 0, 0, 0.125)
	case single:
		// P runs from 4 to 2π. Take the power of two nearest to the middle of weight·P.
		m, e := math.Frexp(float64(5.14 * w))
		if m < 0.75 {
			e--
		}
		lead := math.Ldexp(1, e)
		s.lead = T(lead)
		s.poly[0].scale(w, cosP32[:], 4, lead, 0.25)
	default:
		s.poly[0].scale(w, cosP64[:], 0, 0, 0.25)
	}
	return s
}

// scale sets p to w·(coef + plus) − minus, where plus and minus stand for
// constants, for arguments up to end.
func (p *polynomial[T]) scale(w float64, coef []float64, plus, minus, end float64) {
	p.terms = len(coef)
	carry, k := -minus, 4./3
	for i, c := range coef {
		c += plus
		p.coef[i] = T(math.FMA(w, c, carry))
		rest := math.FMA(w, c, -float64(p.coef[i])) + carry
		carry = float64(rest * (k / (end * end)))
		plus, k = 0, 1.15
	}
}

func (p *polynomial[T]) at(x T) T { return horner(p.coef[:p.terms], x) }

// horner is Σ coef[i]·xⁱ by Horner's rule.
func horner[T Float](coef []T, x T) T {
	v := coef[len(coef)-1]
	for i := len(coef) - 2; i >= 0; i-- {
		v = fma(v, x, coef[i])
	}
	return v
}

func cosTurns[T Float](t T, s *series[T]) T {
	f := t - roundEven(t)
	g := T(0.25) - T(math.Abs(float64(f)))
	p := s.poly[0].at(T(g * g))
	if s.lead == 0 {
		return g * p
	}
	return fma(g, p, T(s.lead*g))
}

// cosSinTurns returns weight·cos(2πt) and weight·sin(2πt).
func cosSinTurns[T Float](t T, w *series[T]) (c, s T) {
	f := t - roundEven(t)   // [−½, ½]
	q := roundEven(4 * f)   // quarter turns, −2..2
	f = fma(q, T(-0.25), f) // [−⅛, ⅛], exact
	u := T(f * f)
	c, s = w.poly[0].at(u), f*w.poly[1].at(u)
	if q != q {
		return c, s
	}
	switch int(q) & 3 {
	case 1:
		c, s = -s, c
	case 2:
		c, s = -c, -s
	case 3:
		c, s = s, -c
	}
	return c, s
}

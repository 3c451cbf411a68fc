package asm

import (
	"math"
	"unsafe"
)

// Coefficients of the cosine in turns, computed by asm/_gen/fit.
//
// cosTurns reduces t to f = t − round(t), exact, and with g = ¼ − |f| returns
// cos(2πt) = sin(2πg) = g·P(g²). In float32 P−4 takes the place of P and 4g is
// added at the end: the sum's rounding error is then nearly all there is.
// cosSinTurns reduces further to ±⅛ turn and evaluates cos(2πf) = C(f²) and
// sin(2πf) = f·S(f²).
//
// Maximum absolute errors over |t| ≤ 2²⁰, measured: cosTurns 3.5e-16 and
// 8e-8, cosSinTurns 1.7e-16 and 7e-8. The reduction is exact at any t, so that
// larger arguments fare as well; NaN and ±Inf give NaN.
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
	cosP32  = [...]float32{0x1.243f6ap+1, -0x1.4abbbcp+5, 0x1.4667fep+6, -0x1.323d16p+6, 0x1.3cc88cp+5}
	pairC32 = [...]float32{0x1p+0, -0x1.3bd3ccp+4, 0x1.03c1aep+6, -0x1.55b146p+6, 0x1.d47d46p+5}
	pairS32 = [...]float32{0x1.921fb4p+2, -0x1.4abb68p+5, 0x1.46496cp+6, -0x1.2a7638p+6}
)

func horner[T Float](coef []T, x T) T {
	p := coef[len(coef)-1]
	for i := len(coef) - 2; i >= 0; i-- {
		p = fma(p, x, coef[i])
	}
	return p
}

func cosTurns[T Float](t T) T {
	f := t - roundEven(t)
	g := T(0.25) - abs(f)
	if unsafe.Sizeof(t) == 8 {
		return g * T(horner(cosP64[:], float64(T(g*g))))
	}
	g2 := g + g
	return fma(g, T(horner(cosP32[:], float32(T(g*g)))), g2+g2)
}

// cosSinTurns returns cos(2πt) and sin(2πt).
func cosSinTurns[T Float](t T) (c, s T) {
	f := t - roundEven(t)   // [−½, ½]
	q := roundEven(4 * f)   // quarter turns, −2..2
	f = fma(q, T(-0.25), f) // [−⅛, ⅛], exact
	u := T(f * f)
	if unsafe.Sizeof(t) == 8 {
		c, s = T(horner(pairC64[:], float64(u))), f*T(horner(pairS64[:], float64(u)))
	} else {
		c, s = T(horner(pairC32[:], float32(u))), f*T(horner(pairS32[:], float32(u)))
	}
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

func abs[T Float](x T) T { return T(math.Abs(float64(x))) }

package asm

import (
	"math"
	"unsafe"
)

// Coefficients of the cosine in turns; see asm/_gen for the fits.
//
// cosTurns reduces t to f = t − round(t), exact, and with g = ¼ − |f| returns
// cos(2πt) = sin(2πg) = g·P(g²). cosSinTurns reduces further to ±⅛ turn and
// evaluates cos(2πf) = C(f²) and sin(2πf) = f·S(f²).
var (
	cosP64 = [...]float64{
		0x1.921fb54442d11p+2, -0x1.4abbce625bbc0p+5, 0x1.466bc67748a9ap+6, -0x1.32d2ccdf15ca7p+6,
		0x1.507831930274ep+5, -0x1.e305e956fa752p+3, 0x1.e8935f29bf711p+1, -0x1.61c259146fc9ap-1,
	}
	pairC64 = [...]float64{
		0x1p+0, -0x1.3bd3cc9be458bp+4, 0x1.03c1f081b078ep+6, -0x1.55d3c7dbfe0e0p+6,
		0x1.e1f4fb6119954p+5, -0x1.a6c9c229ef0bfp+4, 0x1.f3dbf26b6a3c6p+2,
	}
	pairS64 = [...]float64{
		0x1.921fb54442d18p+2, -0x1.4abbce625be21p+5, 0x1.466bc6775679ep+6, -0x1.32d2cce12a10dp+6,
		0x1.50782e686842dp+5, -0x1.e2ff49f810791p+3, 0x1.e398872b98992p+1,
	}
	cosP32  = [...]float32{0x1.921fb4p+2, -0x1.4abbb6p+5, 0x1.46676ep+6, -0x1.3232fap+6, 0x1.3c4b2cp+5}
	pairC32 = [...]float32{0x1p+0, -0x1.3bd3cc9be458bp+4, 0x1.03c1f081b078ep+6, -0x1.55d3c7dbfe0e0p+6, 0x1.e1f4fb6119954p+5}
	pairS32 = [...]float32{0x1.921fb54442d18p+2, -0x1.4abbce625be21p+5, 0x1.466bc6775679ep+6, -0x1.32d2cce12a10dp+6, 0x1.50782e686842dp+5}
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
	return g * T(horner(cosP32[:], float32(T(g*g))))
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

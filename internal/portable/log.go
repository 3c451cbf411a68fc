package portable

import "math"

// ln 2 in two parts; the high one has 21 trailing zero bits, so that k·ln2Hi is
// exact for the exponents k of float64.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Log returns the natural logarithm of x > 0 with an error below 1 ULP. As math.Log, it returns NaN
// for x < 0 and −Inf for 0.
//
// The method is that of FreeBSD's e_log.c: x = 2ᵏ(1+f) with √½ ≤ 1+f < √2, s = f/(2+f), and
// log(1+f) = f − f²/2 + s(f²/2 + R(s²)) with a minimax polynomial R.
func Log(x float64) float64 {
	switch {
	case x != x || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	f, k := split(x)
	hfsq, rest := bow(f)
	tail := rest + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((hfsq - tail) - f)
}

// LogGap returns f − log(1+f) for √½ ≤ 1+f < √2, which is never negative, with an error of a few
// ULP, where the difference of both would lose the digits that they share.
func LogGap(f float64) float64 {
	hfsq, rest := bow(f)
	return hfsq - rest
}

// bow returns f²/2 and s(f²/2 + R(s²)) of Log, whose difference is f − log(1+f).
func bow(f float64) (hfsq, rest float64) {
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := s2 * math.FMA(math.FMA(math.FMA(1.479819860511658591e-01, s4, 1.818357216161805012e-01), s4, 2.857142874366239149e-01), s4, 6.666666666666735130e-01)
	t2 := s4 * math.FMA(math.FMA(1.531383769920937332e-01, s4, 2.222219843214978396e-01), s4, 3.999999999940941908e-01)
	r := float64(t1) + float64(t2)
	hfsq = float64(0.5 * f * f)
	return hfsq, float64(s * (hfsq + r))
}

// split returns f and k with x = 2ᵏ(1+f), √½ ≤ 1+f < √2, for x > 0. Both come
// from the bits without a branch, which random x would mispredict.
func split(x float64) (f, k float64) {
	const root = 0x3fe6a09e667f3bcd // √½
	scale := 0.0
	if x < 0x1p-1022 {
		x *= 0x1p54
		scale = -54
	}
	b := math.Float64bits(x)
	e := int64(b-root) >> 52
	return math.Float64frombits(b-uint64(e)<<52) - 1, float64(e) + scale
}

// horner returns c[0] + x(c[1] + x(c[2] + …)), each step fused.
func horner(x float64, c ...float64) float64 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = math.FMA(p, x, c[i])
	}
	return p
}

// horner7 is horner for eight coefficients. Written out, two of them run side by
// side, which halves the time of a rational function.
func horner7(x, c0, c1, c2, c3, c4, c5, c6, c7 float64) float64 {
	p := math.FMA(c7, x, c6)
	p = math.FMA(p, x, c5)
	p = math.FMA(p, x, c4)
	p = math.FMA(p, x, c3)
	p = math.FMA(p, x, c2)
	p = math.FMA(p, x, c1)
	return math.FMA(p, x, c0)
}

package portable

import "math"

// Exp returns eˣ. Its error is below 1 ULP if the result is normal, and below 2 ULP if it is
// subnormal. It is 0 below −745.14 and +Inf above 709.79.
//
// The method is that of FreeBSD's e_exp.c: x = k·ln2 + r with |r| ≤ ln2/2, and
// eʳ = 1 + r + r·c/(2−c).
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	}
	k := math.RoundToEven(float64(x * math.Log2E))
	hi := x - float64(k*ln2Hi) // exact product, see ln2Hi
	lo := float64(k * ln2Lo)
	r := hi - lo
	c := correction(r)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	if e := int(k); e > -1020 && e < 1020 { // math.Ldexp takes as long as all the rest
		return y * math.Float64frombits(uint64(e+1023)<<52)
	}
	return math.Ldexp(y, int(k))
}

// correction returns c = r − r²P(r²) of Exp.
func correction(r float64) float64 {
	t := float64(r * r)
	p := math.FMA(4.13813679705723846039e-08, t, -1.65339022054652515390e-06)
	p = math.FMA(p, t, 6.61375632143793436117e-05)
	p = math.FMA(p, t, -2.77777777770155933842e-03)
	p = math.FMA(p, t, 1.66666666666666657415e-01)
	return r - float64(t*p)
}

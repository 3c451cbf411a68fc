package portable

import "math"

// π to about 107 bits.
const (
	piHi = 0x1.921fb54442d18p+1
	piLo = 0x1.1a62633145c07p-53
)

// SinPi returns sin(πx) with an error below 1 ULP, for |x| ≤ 2⁵²; NaN for
// infinities and NaN. Its reduction is exact: sin(πn) is 0 for integers n.
func SinPi(x float64) float64 { return quarters(x, 0) }

// CosPi returns cos(πx) with an error below 1 ULP, for |x| ≤ 2⁵²; NaN for
// infinities and NaN.
func CosPi(x float64) float64 { return quarters(x, 1) }

// quarters returns sin(πx + πk/2).
func quarters(x float64, k int64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	q := math.RoundToEven(float64(2 * x)) // half turns' halves: x = q/2 + r
	r := x - float64(0.5*q)               // exact, |r| ≤ ¼
	switch (int64(q) + k) & 3 {
	case 1:
		return cosPi(r)
	case 2:
		return -sinPi(r)
	case 3:
		return -cosPi(r)
	}
	return sinPi(r)
}

// TanPi returns tan(πx) with an error below 3 ULP; its poles, at odd multiples
// of ½, are infinite.
func TanPi(x float64) float64 {
	// Both factors are within 1 ULP and the quotient adds half of one.
	return SinPi(x) / CosPi(x)
}

// sinPi and cosPi take |x| ≤ ¼: FreeBSD's k_sin.c and k_cos.c, whose second
// argument is the tail of the angle πx = y + tail.
func sinPi(x float64) float64 {
	y := float64(x * piHi)
	tail := math.FMA(x, piHi, -y) + float64(x*piLo)
	z := float64(y * y)
	v := float64(z * y)
	r := horner(z, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
		-2.50507602534068634195e-08, 1.58969099521155010221e-10)
	return y - ((float64(z*(float64(0.5*tail)-float64(v*r))) - tail) - float64(v*-1.66666666666666324348e-01))
}

func cosPi(x float64) float64 {
	y := float64(x * piHi)
	tail := math.FMA(x, piHi, -y) + float64(x*piLo)
	z := float64(y * y)
	r := float64(z * horner(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11))
	hz := float64(0.5 * z)
	w := 1 - hz
	return w + (((1 - w) - hz) + (float64(z*r) - float64(y*tail)))
}

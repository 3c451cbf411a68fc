package math

// FMA returns x·y + z, rounded once. The compiler has no instruction for it in WebAssembly, and
// Go's own function, which is FMAGo here, takes integers. This one takes additions and
// multiplications, where none of them can over- or underflow: the exact product is p + e
// (Dekker), z + e is t + r and p + t is u + v (Knuth); v + r rounded to odd makes u + (v + r)
// the rounded sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func FMA(x, y, z float64) float64 {
	p := x * y
	if !(inside(x) && inside(y) && inside(p) && (z == 0 || inside(z))) {
		return FMAGo(x, y, z)
	}
	const split = 1<<27 + 1
	c, d := float64(split*x), float64(split*y)
	xh, yh := c-(c-x), d-(d-y)
	xl, yl := x-xh, y-yh
	e := float64(xl*yl) - (((p - float64(xh*yh)) - float64(xl*yh)) - float64(xh*yl))
	t, r := twoSum(z, e)
	u, v := twoSum(p, t)
	w, q := twoSum(v, r)
	if b := Float64bits(w); q != 0 && b&1 == 0 {
		if (q > 0) == (w > 0) {
			b++
		} else {
			b--
		}
		w = Float64frombits(b)
	}
	return u + w
}

// inside reports whether x is far from over- and underflow.
func inside(x float64) bool { return (Float64bits(x)>>52&0x7ff)-223 < 1600 }

// twoSum returns the rounded sum of a and b, and its error (Knuth).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	c := s - a
	return s, (a - (s - c)) + (b - c)
}

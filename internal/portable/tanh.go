package portable

import "math"

// Tanh returns the hyperbolic tangent of x. Its error is below 2⁻⁵¹, which is small beside 1 but not beside the tangent
// of a small x. With the numbers of Exp for 2·abs(x), e²ˣ is 2ᵏ(2−c+2r)/(2−c), and so one division is enough for the
// tangent, (e²ˣ−1)/(e²ˣ+1).
func Tanh(x float64) float64 {
	twice := 2 * math.Abs(x)
	if !(twice < 40) { // 1 − 2e⁻⁴⁰ is rounded to 1
		return math.Copysign(min(twice, 1), x)
	}
	k := math.RoundToEven(float64(twice * math.Log2E))
	r := twice - float64(k*ln2Hi) - float64(k*ln2Lo)
	below := 2 - correction(r)
	above := float64((below + float64(2*r)) * math.Float64frombits(uint64(int(k)+1023)<<52))
	return math.Copysign((above-below)/(above+below), x)
}

// Atanh returns the number whose hyperbolic tangent is x, between −1 and 1, with an error of some units in the last
// place of x or of the result, whichever are larger.
func Atanh(x float64) float64 {
	return Log((1+float64(x))/(1-float64(x))) / 2 // x may be a product, where this is inlined
}

package portable

import "math"

// Tanh returns the hyperbolic tangent of x. Its error is below 2⁻⁵¹, which is small beside 1 but not beside the tangent
// of a small x.
func Tanh(x float64) float64 {
	return math.Copysign(1-2/(Exp(2*math.Abs(x))+1), x)
}

// Atanh returns the number whose hyperbolic tangent is x, between −1 and 1, with an error of some units in the last
// place of x or of the result, whichever are larger.
func Atanh(x float64) float64 {
	return Log((1+float64(x))/(1-float64(x))) / 2 // x may be a product, where this is inlined
}

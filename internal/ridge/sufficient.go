package ridge

import "math"

// Sufficient returns 5⅓·D·ln(16·d/δ), the number of frequencies of Theorem 1 of F. Liu,
// X. Huang, Y. Chen, J. Yang, J. Suykens, "Random Fourier features via fast surrogate
// leverage weighted sampling", AAAI 2020, as its proof has it: Eq. 17 asks for
// D·(1/ε² + 2/(3ε))·ln(16·d/δ) and ε = ½. The theorem prints 5·D·ln(16·d)/δ, with the
// factor rounded down and δ outside the logarithm, where no union of events puts it.
func Sufficient(surrogateDim, effectiveDim, delta float64) float64 {
	return float64(16./3*surrogateDim) * math.Log(16*effectiveDim/delta)
}

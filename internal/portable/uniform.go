package portable

import "math/rand/v2"

const errNoSource = "portable: no source of random numbers"

// Uniform returns a uniform draw in (0, 1): (⌊x/2¹¹⌋ + ½)·2⁻⁵³ for the next 64
// bits x, rounded, and 1 − 2⁻⁵³ where that would be 1. It panics without src.
func Uniform(src rand.Source) float64 {
	if src == nil {
		panic(errNoSource)
	}
	return min((float64(src.Uint64()>>11)+0.5)*0x1p-53, 1-0x1p-53)
}

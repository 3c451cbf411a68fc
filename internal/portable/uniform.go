package portable

import "math/rand/v2"

const errNoSource = "portable: no source of random numbers"

// Uniform returns a uniform draw in (0, 1). It is (⌊x/2¹¹⌋ + ½)·2⁻⁵³ for the next 64 bits x,
// rounded, or 1 − 2⁻⁵³ if that would be 1. It panics if src is nil.
func Uniform(src rand.Source) float64 {
	if src == nil {
		panic(errNoSource)
	}
	return min((float64(src.Uint64()>>11)+0.5)*0x1p-53, 1-0x1p-53)
}

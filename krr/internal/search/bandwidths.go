package search

import (
	"math"
)

// Bandwidths returns unit·2^{k/2}, k = low…high.
func Bandwidths(unit float64, low, high int) []float64 {
	var s []float64
	for k := low; k <= high; k++ {
		v := math.Ldexp(1, int(math.Floor(float64(k)/2)))
		if k&1 != 0 {
			v *= math.Sqrt2
		}
		s = append(s, v*unit)
	}
	return s
}

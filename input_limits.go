package rff

import (
	"math"
	"slices"

	"github.com/rffgo/rff/blas"
)

// InputLimits returns, for each input, the size beyond which the map tells no two
// values from each other when it is evaluated in float32 (single) or float64: the
// spacing of numbers at ωᵀx is a radian or more at half of the frequencies, or
// features overflow.
func (m *Map) InputLimits(single bool) []float64 {
	spec := m.Spec()
	bits, huge := 52, 900 // numbers below 2^huge have finite sums of squares
	if single {
		bits, huge = 23, 100
	}
	limits := make([]float64, spec.Dim)
	for j := range limits {
		typical, largest := frequencies(spec, j)
		switch spec.Func {
		case blas.Cos, blas.CosSin:
			limits[j] = min(math.Ldexp(1, huge)/max(1, largest), 2*math.Pi*math.Ldexp(1, bits)/typical)
		case blas.ArcCos2: // squares of projections
			limits[j] = math.Ldexp(1, huge/4) / max(1, largest)
		default:
			limits[j] = math.Ldexp(1, huge/2) / max(1, largest)
		}
	}
	return limits
}

// frequencies returns the median and the largest size of the frequencies of input j.
func frequencies(s *blas.Spec, j int) (median, largest float64) {
	if s.Func.Section() {
		return s.Scale[j], s.Scale[j]
	}
	var all []float64
	if len(s.Blocks) == 0 {
		for i := range s.W.Rows {
			all = append(all, math.Abs(s.W.Row(i)[j]))
		}
	}
	// A structured projection is Scale times orthogonal transforms of norm √Size each
	// and diagonals: its entries have the size of its rows over √Size.
	for _, b := range s.Blocks {
		norm := 1 / math.Sqrt(float64(b.Size))
		for _, d := range b.D {
			var ss float64
			for _, v := range d {
				ss += float64(v * v)
			}
			norm *= math.Sqrt(ss) // √Size·(root mean square)
		}
		for _, v := range b.Scale {
			all = append(all, math.Abs(v)*norm)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	largest = slices.Max(all)
	// A hundred of them determine the median well enough.
	if step := len(all) / 100; step > 1 {
		few := all[:0]
		for i := 0; i < len(all); i += step {
			few = append(few, all[i])
		}
		all = few
	}
	slices.Sort(all)
	return all[len(all)/2], largest
}

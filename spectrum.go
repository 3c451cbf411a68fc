package rff

import "github.com/rffgo/rff/internal/dense"

// scaled holds the factor of each dimension of a spectrum's frequencies: one over the
// kernel's bandwidth.
type scaled struct{ scale []float64 }

// newScaled returns the factors of checked bandwidths.
func newScaled(bandwidth []float64) scaled {
	s := make([]float64, len(bandwidth))
	for j, b := range bandwidth {
		s[j] = 1 / b
	}
	return scaled{s}
}

// Scale returns a copy of the factors.
func (s scaled) Scale() []float64 { return append([]float64(nil), s.scale...) }

// extend appends factors of 1 up to dim.
func (s scaled) extend(dim int) scaled {
	full := s.Scale()
	for len(full) < dim {
		full = append(full, 1)
	}
	return scaled{full}
}

func (s scaled) sumSquares() float64 { return dense.SumSquares(s.scale) }

//go:build gc && !purego && !noasm && (amd64 || arm64)

package asm

import "math"

// coefTable has room for the coefficients of a series, 32 bytes each.
type coefTable[T Float] [(1 + 2*maxTerms) * 8]T

// set puts the factor that P lacks and then the coefficients into the table, n
// times each; the factor as an exponent if n is 1.
func (t *coefTable[T]) set(s *series[T], n int) {
	lead := s.lead
	if n == 1 {
		_, e := math.Frexp(float64(lead))
		lead = T(e - 1)
	}
	i := 0
	put := func(v T) {
		for end := i + n; i < end; i++ {
			t[i] = v
		}
	}
	put(lead)
	for p := range s.poly {
		for _, c := range s.poly[p].coef[:s.poly[p].terms] {
			put(c)
		}
	}
}

//go:build gc && !purego && !noasm && (amd64 || arm64)

package asm

import (
	"math"
	"unsafe"
)

// coefTable has room for the coefficients of a series, 32 bytes each.
type coefTable[T Float] [(1 + 2*maxTerms) * 4]uint64

// set puts the factor that P lacks and then the coefficients into the table, n
// times each; the factor as an exponent if n is 1.
func (t *coefTable[T]) set(s *series[T], n int) {
	lead := s.lead
	if n == 1 {
		_, e := math.Frexp(float64(lead))
		lead = T(e - 1)
	}
	room := unsafe.Slice((*T)(unsafe.Pointer(t)), unsafe.Sizeof(*t)/unsafe.Sizeof(lead))
	i := 0
	put := func(v T) {
		for end := i + n; i < end; i++ {
			room[i] = v
		}
	}
	put(lead)
	for p := range s.poly {
		for _, c := range s.poly[p].coef[:s.poly[p].terms] {
			put(c)
		}
	}
}

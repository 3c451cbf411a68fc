//go:build gc && !purego && !noasm && (amd64 || arm64)

package asm

import (
	"math"
	"unsafe"
)

// coefTable has room for the coefficients of a series, 32 bytes each.
type coefTable[T Float] [(1 + 2*maxTerms) * 4]uint64

// fill puts into the table what f needs for columns that share a weight, n times each.
func (t *coefTable[T]) fill(f Func, weight T, n int) {
	switch {
	case f <= CosSin:
		s := weighted(f, weight)
		t.set(&s, n)
	case f.Section():
		t.setSections(n)
	}
}

// set puts s.lead and then the coefficients into the table, n times each. If n is 1, it puts the
// exponent of s.lead.
func (t *coefTable[T]) set(s *series[T], n int) {
	lead := s.lead
	if n == 1 {
		_, e := math.Frexp(float64(lead))
		lead = T(e - 1)
	}
	room := unsafe.Slice((*T)(unsafe.Pointer(t)), unsafe.Sizeof(*t)/unsafe.Sizeof(lead))
	at := spread(room, 0, n, lead)
	for p := range s.poly {
		at = spread(room, at, n, s.poly[p].coef[:s.poly[p].terms]...)
	}
}

// setSections puts the numbers of sections into the table, n times each, in the order
// that asm/_gen/sections.go names.
func (t *coefTable[T]) setSections(n int) {
	cut, magic := T(sectionCut64), T(3<<51+1023)
	single := unsafe.Sizeof(cut) == 4
	if single {
		cut, magic = sectionCut32, 3<<22+127
	}
	room := unsafe.Slice((*T)(unsafe.Pointer(t)), unsafe.Sizeof(*t)/unsafe.Sizeof(cut))
	at := spread(room, 0, n, cut, magic, T(math.Ln2), T(math.Ln2*math.Ln2/3), 1)
	if single {
		for _, c := range exp2P32 {
			at = spread(room, at, n, T(c))
		}
		return
	}
	for _, c := range exp2P64 {
		at = spread(room, at, n, T(c))
	}
}

// spread writes each value n times to room from at on and returns where it ends.
func spread[T Float](room []T, at, n int, values ...T) int {
	for _, v := range values {
		for range n {
			room[at] = v
			at++
		}
	}
	return at
}

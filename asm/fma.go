package asm

import (
	"math"
	"unsafe"
)

// FMA returns x·y+z rounded once.
func FMA[T Float](x, y, z T) T { return fma(x, y, z) }

// fma returns x·y+z rounded once.
func fma[T Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(fma32(float32(x), float32(y), float32(z)))
}

// fma32 returns x·y+z rounded once to float32. The product of two float32 is
// exact in float64; the sum is rounded to odd there, which makes the second
// rounding to float32 the only one that counts (53 ≥ 2·24+2 bits: Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func fma32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	// Knuth's TwoSum: e is the exact error of s.
	b := s - p
	e := (p - (s - b)) + (c - b)
	bits := math.Float64bits(s)
	if e != 0 && bits&1 == 0 && !math.IsInf(s, 0) && !math.IsNaN(s) {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

// roundEven rounds t to the nearest integer, ties to even.
func roundEven[T Float](t T) T { return T(math.RoundToEven(float64(t))) }

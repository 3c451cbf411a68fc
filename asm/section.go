package asm

import (
	"math"
	"unsafe"
)

// Section reports whether f is a function of a squared distance: a section k(·, c) of a kernel,
// with t = ‖x−c‖² in units of its own.
//
// A projection is such a distance if the inputs are (x, ‖x‖²), the frequency is (−2c, 1) and the
// phase is ‖c‖². For inputs of size at most R its error is at most (D+2)·eps·4R²: each of the D+1
// fused additions and the rounding of both norms err by half a unit of a partial sum, and no
// partial sum exceeds 4R².
//
// An ℓ₁ distance is conditionally negative definite, so it is a squared distance of points of a
// Hilbert space as well, and so is Σ|x−c|^{3/2}. So every section is also a section of a positive
// definite kernel for t = ‖x−c‖₁ or that sum, and 2^−t is one of a product over the inputs, the
// product Laplacian for ℓ₁. This t is a sum of positive terms. Its relative error is at most D·eps,
// of powers (D+2)·eps, and it is exactly 0 for x = c.
func (f Func) Section() bool { return f >= SectionGaussian && f <= SectionCauchy }

// sectionCut bounds the exponents of sections: 2^−a is 0 for a > 500, in float32 for
// a > 60, so that no
// product of two features, and no feature, is a denormal number.
const (
	sectionCut64 = 500
	sectionCut32 = 60
)

// Coefficients of 2^−f = 1 + f·P(f) on |f| ≤ ½, computed by asm/_gen/fit. The errors
// of P, relative to 2^−f, are 2e-17 and 9.2e-9.
var (
	exp2P64 = [...]float64{
		-0x1.62e42fefa39efp-01, 0x1.ebfbdff82c598p-03, -0x1.c6b08d704a0c2p-05, 0x1.3b2ab6fba1ddap-07,
		-0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13, -0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20,
		-0x1.b524fae627834p-24, 0x1.e6063f7217bc6p-28, -0x1.e9d3fe3952178p-32,
	}
	exp2P32 = [...]float32{-0x1.62e43p-01, 0x1.ebfbep-03, -0x1.c6af6cp-05, 0x1.3b2a54p-07, -0x1.5f089p-10, 0x1.44138ap-13}
)

// section returns f(t), where t < 0 counts as 0. The relative errors that were measured are at
// most 1 eps for SectionGaussian and SectionCauchy. For the others they are at most 1.7 eps and,
// from the rounding of √t, a further 0.35·√t·eps.
func section[T Float](f Func, t T) T {
	if t < 0 {
		t = 0
	}
	switch f {
	case SectionGaussian:
		return exp2Negative(t, 1)
	case SectionCauchy:
		return 1 / (1 + t)
	}
	a := T(math.Sqrt(float64(t)))
	const ln2 = math.Ln2
	switch f {
	case SectionExponential:
		return exp2Negative(a, 1)
	case SectionMatern3:
		return exp2Negative(a, fma(a, T(ln2), 1))
	case SectionMatern5:
		return exp2Negative(a, fma(fma(a, T(ln2*ln2/3), T(ln2)), a, 1))
	}
	panic(errUnknownFunc)
}

// exp2Negative returns q·2^−a for a ≥ 0.
func exp2Negative[T Float](a, q T) T {
	cut := T(sectionCut64)
	if unsafe.Sizeof(a) == 4 {
		cut = sectionCut32
	}
	switch {
	case a != a:
		return a
	case a > cut:
		return 0
	}
	n := roundEven(a)
	e := power2(a-n, n)
	return T(q * e)
}

// power2 returns 2^−(f+n) for |f| ≤ ½ and a whole n.
func power2[T Float](f, n T) T {
	if unsafe.Sizeof(f) == 8 {
		x := float64(f)
		return T(math.FMA(horner(exp2P64[:], x), x, 1) * math.Float64frombits(uint64(1023-int(n))<<52))
	}
	x := float32(f)
	return T(fma32(horner(exp2P32[:], x), x, 1) * math.Float32frombits(uint32(127-int(n))<<23))
}

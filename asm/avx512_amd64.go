//go:build gc && !purego && !noasm

package asm

// Shapes of the AVX-512 kernels. A panel is two vectors wide: a feature tile of
// 12 rows is 24 accumulators, which leaves 2 registers for W, 1 for x and 5 to
// run ahead with; a product tile of 8 rows is 16 accumulators, and 8 divides
// the panel, so that SYRK can read its left operand from the same panels.
const (
	avx512Panel64 = 16
	avx512Panel32 = 32
	avx512Strip   = 12
	avx512MR      = 8
)

func avx512() implementation {
	k64 := twins[float64]("avx512", avx512Panel64, avx512Strip, avx512MR)
	k32 := twins[float32]("avx512", avx512Panel32, avx512Strip, avx512MR)
	featuresAVX512(k64, k32)
	productsAVX512(k64, k32)
	return implementation{"avx512", k64, k32}
}

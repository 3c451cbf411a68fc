//go:build gc && !purego && !noasm

package asm

// Shapes of the AVX-512 kernels. A tile is two vectors wide. A feature tile of
// 8 rows is 16 accumulators: 12 rows would load less, but leave too few
// registers for an epilogue that keeps two multiply-add pipes busy through
// chains of 10 dependent operations. A product tile has 8 rows too, and 8
// divides the panel, so that SYRK can read its left operand from the same panels.
// A panel is one cache line wide: of a wider one the strip that is a left operand
// would take every other line, so only half the sets of a first-level cache.
const (
	avx512Panel64 = 8
	avx512Panel32 = 16
	avx512Across  = 2
	avx512Strip   = 8
	avx512MR      = 8
)

func avx512() implementation {
	k64 := twins[float64]("avx512", avx512Panel64, avx512Across, avx512Strip, avx512MR)
	k32 := twins[float32]("avx512", avx512Panel32, avx512Across, avx512Strip, avx512MR)
	featuresAVX512(k64, k32)
	productsAVX512(k64, k32)
	return implementation{"avx512", k64, k32}
}

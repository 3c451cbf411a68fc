//go:build gc && !purego && !noasm

package asm

// Shapes of the AVX2 kernels. A panel is three vectors wide: a tile of 4 rows is
// 12 accumulators, which leaves 3 registers for W and 1 for x.
const (
	avx2Panel64 = 12
	avx2Panel32 = 24
	avx2Strip   = 4
	avx2MR      = 4
)

func avx2() implementation {
	k64 := twins[float64]("avx2", avx2Panel64, 1, avx2Strip, avx2MR)
	k32 := twins[float32]("avx2", avx2Panel32, 1, avx2Strip, avx2MR)
	featuresAVX2(k64, k32)
	productsAVX2(k64, k32)
	return implementation{"avx2", k64, k32}
}

//go:build gc && !purego && !noasm

package asm

func avx2() implementation {
	k64 := reference[float64]("avx2", avx2Tuning)
	k32 := reference[float32]("avx2", avx2Tuning)
	featuresAVX2(k64, k32)
	productsAVX2(k64, k32)
	bindGradient(k64, avx2F64, 4)
	bindGradient(k32, avx2F32, 8)
	return implementation{"avx2", k64, k32}
}

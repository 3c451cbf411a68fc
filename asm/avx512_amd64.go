//go:build gc && !purego && !noasm

package asm

func avx512() implementation {
	k64 := reference[float64]("avx512", avx512Tuning)
	k32 := reference[float32]("avx512", avx512Tuning)
	featuresAVX512(k64, k32)
	productsAVX512(k64, k32)
	bindGradient(k64, avx512F64, 8)
	bindGradient(k32, avx512F32, 16)
	return implementation{"avx512", k64, k32}
}

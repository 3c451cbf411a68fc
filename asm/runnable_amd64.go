//go:build gc && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

// runnable returns the instruction sets that this CPU and its operating system support, best
// first: cpuid asks XGETBV which registers the system saves.
func runnable() []implementation {
	var can []implementation
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX2, cpuid.FMA3) {
		can = append(can, avx512())
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		can = append(can, avx2())
	}
	return can
}

func avx512() implementation {
	k64 := reference[float64]("avx512", avx512Tuning)
	k32 := reference[float32]("avx512", avx512Tuning)
	featuresAVX512(k64, k32)
	productsAVX512(k64, k32)
	bindGradient(k64, avx512F64, 8)
	bindGradient(k32, avx512F32, 16)
	return implementation{"avx512", k64, k32}
}

func avx2() implementation {
	k64 := reference[float64]("avx2", avx2Tuning)
	k32 := reference[float32]("avx2", avx2Tuning)
	featuresAVX2(k64, k32)
	productsAVX2(k64, k32)
	bindGradient(k64, avx2F64, 4)
	bindGradient(k32, avx2F32, 8)
	return implementation{"avx2", k64, k32}
}

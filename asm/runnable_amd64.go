//go:build gc && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

// runnable returns the instruction sets that this CPU and its operating system support, best
// first: cpuid asks XGETBV which registers the system saves.
func runnable() []implementation {
	var can []implementation
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX2, cpuid.FMA3) {
		can = append(can, vectors("avx512", avx512Tuning, 8, avx512F64, featuresAVX512, productsAVX512))
	}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		can = append(can, vectors("avx2", avx2Tuning, 4, avx2F64, featuresAVX2, productsAVX2))
	}
	return can
}

// vectors returns the kernels for vectors of that many float64. of is the family of float64, which that of
// float32 follows.
func vectors(name string, t Tuning, lanes int, of family, features, products func(*Kernels[float64], *Kernels[float32])) implementation {
	k64, k32 := reference[float64](name, t), reference[float32](name, t)
	features(k64, k32)
	products(k64, k32)
	bindGradient(k64, of, lanes)
	bindGradient(k32, of+1, 2*lanes)
	return implementation{name, k64, k32}
}

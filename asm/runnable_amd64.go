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

//go:build gc && !purego && !noasm

package asm

// productsAVX512 replaces the twins of Gemm, Accumulate, Dot and Hadamard.
func productsAVX512(k64 *Kernels[float64], k32 *Kernels[float32]) {}

// productsAVX2 replaces the twins of Gemm, Accumulate, Dot and Hadamard.
func productsAVX2(k64 *Kernels[float64], k32 *Kernels[float32]) {}

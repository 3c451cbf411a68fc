//go:build gc && !purego && !noasm

package asm

// featuresAVX512 replaces the twins of Features, Scores and Apply.
func featuresAVX512(k64 *Kernels[float64], k32 *Kernels[float32]) {}

// featuresAVX2 replaces the twins of Features, Scores and Apply.
func featuresAVX2(k64 *Kernels[float64], k32 *Kernels[float32]) {}

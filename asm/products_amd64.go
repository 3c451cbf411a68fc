//go:build gc && !purego && !noasm

package asm

// productsAVX512 replaces the reference kernels of Gemm, Accumulate, Dot, Recur,
// Transpose, Pack, Zip, Factor, Invert, Hadamard and Gains, and adds AccumulateWith.
func productsAVX512(k64 *Kernels[float64], k32 *Kernels[float32]) {
	tiles(k64, dgemm8x16AVX512)
	tiles(k32, sgemm8x32AVX512)
	integersAVX512(k32)
	recursInPairs(k64, recurAVX512F64)
	recurrences(k32)
	tilesWith(k64, dgemm8x16With2AVX512)
	tilesWith(k32, sgemm8x32With2AVX512)
	dots(k64, dotAVX512F64)
	dots(k32, dotAVX512F32)
	transposes(k64, transposeAVX2F64)
	transposes(k32, transposeAVX2F32)
	packs64(k64)
	packs32(k32)
	squaresAVX512(k64)
	squaresAVX512(k32)
	hadamards(k64, hadamardAVX512F64, 8)
	hadamards(k32, hadamardAVX512F32, 16)
	gains(k64, gainsAVX512, 8)
	gains(k32, gainsAVX512, 8)
}

// productsAVX2 replaces the reference kernels of Gemm, Accumulate, Dot, Recur,
// Transpose, Pack, Zip, Hadamard and Gains.
func productsAVX2(k64 *Kernels[float64], k32 *Kernels[float32]) {
	tiles(k64, dgemm4x12AVX2)
	tiles(k32, sgemm4x24AVX2)
	integersAVX2(k32)
	recurrences(k64)
	recurrences(k32)
	dots(k64, dotAVX2F64)
	dots(k32, dotAVX2F32)
	transposes(k64, transposeAVX2F64)
	transposes(k32, transposeAVX2F32)
	packs64(k64)
	packs32(k32)
	hadamards(k64, hadamardAVX2F64, 4)
	hadamards(k32, hadamardAVX2F32, 8)
	gains(k64, gainsAVX2, 4)
	gains(k32, gainsAVX2, 4)
}

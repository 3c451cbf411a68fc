// Package asm holds the fixed-shape micro-kernels that everything else in rff
// rests on: fused projection and cosine, the GEMM and SYRK tile, dot products
// and Walsh–Hadamard butterflies, one set per instruction set.
//
// Every kernel has a pure-Go twin (generic.go), always compiled, that defines
// its result to the last bit: each output element is one chain of fused
// multiply-adds in a fixed order, so AVX-512, AVX2, NEON and Go agree bit for
// bit. The package loops over the tiles of one strip at most; blocking,
// packing and goroutines belong to package blas.
//
// Exported kernels check their slices and panic with the constants of
// errors.go before any assembly runs.
package asm

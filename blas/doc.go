// Package blas does the matrix work of rff: fused random features, the
// streaming Gram matrix, and the dense products and factorisations that ridge
// regression needs, on any number of workers.
//
// It owns blocking, packing, workspaces and goroutines; it knows nothing of
// kernels in the statistical sense, of randomness or of data. Its results on
// the native backend are defined by the Go twins of package asm and do not
// depend on the instruction set or on the number of workers.
package blas

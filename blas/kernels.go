package blas

import "github.com/rffgo/rff/asm"

// nativeKernels returns the kernels of the native backend on this processor.
func nativeKernels[T Float]() *asm.Kernels[T] { return asm.Native[T]() }

// allKernels returns the kernels of every instruction set of this processor.
func allKernels[T Float]() []*asm.Kernels[T] { return asm.All[T]() }

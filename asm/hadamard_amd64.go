//go:build gc && !purego && !noasm

package asm

import (
	"math/bits"
	"unsafe"
)

// The assembly below runs the stages h, 2h, …, n/2 of a transform of n
// elements, n at least one vector, h = 1 or at least a vector.

//go:noescape
func hadamardAVX512F64(x *float64, n, h int)

//go:noescape
func hadamardAVX512F32(x *float32, n, h int)

//go:noescape
func hadamardAVX2F64(x *float64, n, h int)

//go:noescape
func hadamardAVX2F32(x *float32, n, h int)

// hadamardCache is the size in bytes up to which a transform makes all its
// passes over the whole of x: two thirds of a first-level cache of 48 KiB, all
// of one of 32 KiB.
const hadamardCache = 32 << 10

func hadamards[T Float](t *Kernels[T], f func(x *T, n, h int), width int) {
	base := hadamardCache / int(unsafe.Sizeof(*new(T)))
	var transform func(x []T)
	transform = func(x []T) {
		n := len(x)
		if n <= base {
			f(unsafe.SliceData(x), n, 1)
			return
		}
		// Parts first, each while it is in cache; then up to three stages that
		// join them, in one pass. Passes share the stages evenly.
		stages := bits.Len(uint(n/base)) - 1
		passes := (stages + 2) / 3
		part := n >> ((stages + passes - 1) / passes)
		for i := 0; i < n; i += part {
			transform(x[i : i+part])
		}
		f(unsafe.SliceData(x), n, part)
	}
	t.Hadamard = func(x []T) {
		checkHadamard(x)
		if len(x) < width {
			hadamardGo(x)
			return
		}
		transform(x)
	}
}

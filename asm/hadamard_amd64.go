//go:build gc && !purego && !noasm

package asm

import (
	"math/bits"
	"unsafe"
)

// x consists of transforms of n elements, total elements in all. The assembly below runs their
// stages h, 2h, …, n/2. n is at least one vector, and h is 1 or at least a vector. With h = 1 the
// assembly multiplies by d first, unless d is nil.

//go:noescape
func hadamardAVX512F64(x, d *float64, total, n, h int)

//go:noescape
func hadamardAVX512F32(x, d *float32, total, n, h int)

//go:noescape
func hadamardAVX2F64(x, d *float64, total, n, h int)

//go:noescape
func hadamardAVX2F32(x, d *float32, total, n, h int)

func hadamards[T Float](t *Kernels[T], f func(x, d *T, total, n, h int), width int) {
	// A transform that fits the first-level cache makes all its passes over it.
	base := t.L1 / int(unsafe.Sizeof(*new(T)))
	// one transforms the whole of x, longer than base.
	var one func(x, d []T)
	one = func(x, d []T) {
		n := len(x)
		if n <= base {
			f(unsafe.SliceData(x), unsafe.SliceData(d), n, n, 1)
			return
		}
		// First the parts are transformed, each while it is in cache. Then passes of up to three
		// stages join them. Passes share the stages evenly.
		stages := bits.Len(uint(n/base)) - 1
		passes := (stages + 2) / 3
		part := n >> ((stages + passes - 1) / passes)
		for i := 0; i < n; i += part {
			one(x[i:i+part], sliceOrNil(d, i, part))
		}
		f(unsafe.SliceData(x), nil, n, n, part)
	}
	t.Hadamard = func(x, d []T, size int) {
		checkHadamard(x, d, size)
		if size < width {
			hadamardGo(x, d, size)
			return
		}
		// Take as many transforms at a time as stay in the cache from pass to pass.
		for i, n := 0, max(size, base); i < len(x); i += n {
			n = min(n, len(x)-i)
			part := x[i : i+n]
			by := sliceOrNil(d, i, n)
			if size > base {
				one(part, by)
			} else {
				f(unsafe.SliceData(part), unsafe.SliceData(by), n, size, 1)
			}
		}
	}
}

func sliceOrNil[T Float](d []T, i, n int) []T {
	if d == nil {
		return nil
	}
	return d[i : i+n]
}

//go:build gc && !purego && !noasm

package asm

import "unsafe"

// The kernels transpose blocks of 8 rows, each with as many elements as a vector.

//go:noescape
func transposeAVX2F64(dst *float64, ldd int, src *float64, lds, blocks int)

//go:noescape
func transposeAVX2F32(dst *float32, ldd int, src *float32, lds, blocks int)

func transposes[T Float](k *Kernels[T], f func(dst *T, ldd int, src *T, lds, blocks int)) {
	lanes := 32 / int(unsafe.Sizeof(*new(T)))
	k.Transpose = func(dst []T, ldd int, src []T, lds, n int) {
		checkTranspose(dst, ldd, src, lds, n)
		blocks := n / lanes
		if blocks > 0 {
			f(&dst[0], ldd, &src[0], lds, blocks)
		}
		switch done := blocks * lanes; {
		case done == n:
		case blocks > 0: // the last block does some columns once more
			f(&dst[(n-lanes)*ldd], ldd, &src[n-lanes], lds, 1)
		default:
			transposeGo(dst, ldd, src, lds, n)
		}
	}
}

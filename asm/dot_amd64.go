//go:build gc && !purego && !noasm

package asm

import "unsafe"

//go:noescape
func dotAVX512F64(x, y *float64, n int) float64

//go:noescape
func dotAVX512F32(x, y *float32, n int) float32

//go:noescape
func dotAVX2F64(x, y *float64, n int) float64

//go:noescape
func dotAVX2F32(x, y *float32, n int) float32

func dots[T Float](t *Kernels[T], f func(x, y *T, n int) T) {
	t.Dot = func(x, y []T) T {
		checkDot(x, y)
		return f(unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	}
}

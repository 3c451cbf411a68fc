//go:build gc && !purego && !noasm

package asm

import "unsafe"

// The pack kernels are Pack of some rows of a panel, strips of 8 each, for columns that
// fill a vector; panels are step apart in dst and ldd rows in src.

//go:noescape
func packAVX2F64(dst *float64, ldd, step int, src *float64, lds, n, strips, panels int)

//go:noescape
func packAVX2F32(dst *float32, ldd, step int, src *float32, lds, n, strips, panels int)

// The unzip kernels are Pack of two columns, of panels that are step apart and whole
// vectors wide.

//go:noescape
func unzipAVX2F64(dst *float64, width, step int, src *float64, lds, panels int)

//go:noescape
func unzipAVX2F32(dst *float32, width, step int, src *float32, lds, panels int)

// The zip kernels are Zip of blocks of as many elements as a vector has, at least one.

//go:noescape
func zipAVX2F64(dst *float64, ldd int, a, b *float64, blocks int)

//go:noescape
func zipAVX2F32(dst *float32, ldd int, a, b *float32, blocks int)

func packs64(k *Kernels[float64]) {
	packs(k, packAVX2F64, unzipAVX2F64)
	zips(k, zipAVX2F64)
}

func packs32(k *Kernels[float32]) {
	packs(k, packAVX2F32, unzipAVX2F32)
	zips(k, zipAVX2F32)
}

func packs[T Float](k *Kernels[T], pack func(dst *T, ldd, step int, src *T, lds, n, strips, panels int), unzip func(dst *T, width, step int, src *T, lds, panels int)) {
	lanes := 32 / int(unsafe.Sizeof(*new(T)))
	k.Pack = func(dst []T, width int, src []T, lds, n, panels int) {
		checkPack(dst, width, src, lds, n, panels)
		switch {
		case n == 0 || panels == 0:
		case n >= lanes && width >= TransposeRows:
			pack(&dst[0], width, n*width, &src[0], lds, n, width/TransposeRows, panels)
			if width%TransposeRows != 0 { // the last strip does some rows once more
				first := width - TransposeRows
				pack(&dst[first], width, n*width, &src[first*lds], lds, n, 1, panels)
			}
		case n >= 2 && n < lanes && width%lanes == 0:
			for l := 0; l < n; l += 2 { // if the number of columns is odd, one is done once more
				l := min(l, n-2)
				unzip(&dst[l*width], width, n*width, &src[l], lds, panels)
			}
		default:
			packGo(dst, width, src, lds, n, panels)
		}
	}
}

func zips[T Float](k *Kernels[T], zip func(dst *T, ldd int, a, b *T, blocks int)) {
	lanes := 32 / int(unsafe.Sizeof(*new(T)))
	k.Zip = func(dst []T, ldd int, a, b []T) {
		checkZip(dst, ldd, a, b)
		blocks := len(a) / lanes
		if blocks > 0 {
			zip(&dst[0], ldd, &a[0], &b[0], blocks)
		}
		if done := blocks * lanes; done < len(a) {
			zipGo(dst[done*ldd:], ldd, a[done:], b[done:])
		}
	}
}

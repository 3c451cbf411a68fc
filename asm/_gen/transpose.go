package main

import "fmt"

var _ = add("transpose_avx2_amd64.s", func(f *file) {
	for _, t := range types {
		transpose(f, t)
	}
})

// transpose prints the transposition of blocks of a vector's elements of 8 rows: by
// pairs of rows, by pairs of these within halves of vectors, and by halves.
func transpose(f *file, t typ) {
	lanes := 32 / t.size
	name := "transposeAVX2" + t.short
	const dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3, left = "DI", "DX", "R8", "R9", "SI", "BX", "R10", "R11", "CX"
	f.fn(name, fmt.Sprintf("func %s(dst *%s, ldd int, src *%s, lds, blocks int)", name, t.elem, t.elem), 0, 40)
	for i, r := range []string{dst, ldd, src, lds, left} {
		f.op("MOVQ", fmt.Sprintf("%s+%d(FP)", []string{"dst", "ldd", "src", "lds", "blocks"}[i], 8*i), r)
	}
	f.op("SHLQ", shiftOf(t.size), ldd)
	f.op("SHLQ", shiftOf(t.size), lds)
	f.op("LEAQ", memIndex(0, ldd, ldd, 2), ldd3)
	f.op("LEAQ", memIndex(0, lds, lds, 2), lds3)
	f.op("LEAQ", memIndex(0, src, lds, 4), srcFar)
	f.op("LEAQ", memIndex(0, dst, ldd, 4), dstFar)
	loop := f.label("loop")
	f.place(loop)
	transposeBlock(f, t, dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3)
	f.op("ADDQ", 32, src)
	f.op("ADDQ", 32, srcFar)
	f.op("LEAQ", memIndex(0, dst, ldd, lanes), dst)
	if t.size == 4 {
		f.op("LEAQ", memIndex(0, dstFar, ldd, lanes), dstFar)
	}
	f.op("DECQ", left)
	f.op("JNZ", loop)
	f.op("VZEROUPPER")
	f.op("RET")
}

// transposeBlock prints the transposition of one block, of which pointers to rows four on
// are at hand, but not of the result in float64.
func transposeBlock(f *file, t typ, dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3 string) {
	y := func(i int) string { return fmt.Sprint("Y", i) }
	for i := range 8 {
		f.op("VMOVU"+t.p, strided(src, srcFar, lds, lds3, i, 0), y(i))
	}
	for i := 0; i < 8; i += 2 {
		f.op("VUNPCKL"+t.p, y(i+1), y(i), y(8+i))
		f.op("VUNPCKH"+t.p, y(i+1), y(i), y(9+i))
	}
	if t.size == 8 {
		// Element l of four rows is halves of pairs l%2, low for l < 2.
		for q := range 2 {
			for l := range 4 {
				f.op("VPERM2F128", []int{0x20, 0x31}[l/2], y(10+4*q+l%2), y(8+4*q+l%2), y(4*q+l))
			}
		}
		for l := range 4 {
			f.op("VMOVUPD", y(l), strided(dst, dstFar, ldd, ldd3, l, 0))
			f.op("VMOVUPD", y(4+l), strided(dst, dstFar, ldd, ldd3, l, 32))
		}
	} else {
		// Elements l and l+4 of four rows, l < 4, to register l, of the others to 4+l.
		for q := range 2 {
			for l := range 4 {
				f.op("VSHUFPS", []int{0x44, 0xEE}[l%2], y(10+4*q+l/2), y(8+4*q+l/2), y(4*q+l))
			}
		}
		for l := range 8 {
			f.op("VPERM2F128", []int{0x20, 0x31}[l/4], y(4+l%4), y(l%4), y(8+l))
		}
		for l := range 8 {
			f.op("VMOVUPS", y(8+l), strided(dst, dstFar, ldd, ldd3, l, 0))
		}
	}
}

// strided is row i from a pointer and one four rows on.
func strided(near, far, row, row3 string, i, offset int) string {
	base := near
	if i >= 4 {
		base = far
	}
	switch i % 4 {
	case 0:
		return mem(offset, base)
	case 3:
		return memIndex(offset, base, row3, 1)
	}
	return memIndex(offset, base, row, i%4)
}

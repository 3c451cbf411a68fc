package main

import "fmt"

var _ = add("zip_avx2_amd64.s", func(f *file) {
	for _, t := range types {
		zip(f, t)
	}
})

// zip prints Zip of whole vectors.
func zip(f *file, t typ) {
	const dst, far, ldd, ldd3, a, b, blocks = "DI", "DX", "R8", "R9", "SI", "BX", "CX"
	lanes := 32 / t.size
	name := "zipAVX2" + t.short
	f.fn(name, fmt.Sprintf("func %s(dst *%s, ldd int, a, b *%s, blocks int)", name, t.elem, t.elem), 0, 40)
	for i, r := range []string{dst, ldd, a, b, blocks} {
		f.op("MOVQ", fmt.Sprintf("%s+%d(FP)", []string{"dst", "ldd", "a", "b", "blocks"}[i], 8*i), r)
	}
	f.op("SHLQ", shiftOf(t.size), ldd)
	f.op("LEAQ", memIndex(0, ldd, ldd, 2), ldd3)
	at := func(i int) string { return strided(dst, far, ldd, ldd3, i, 0) }
	loop := f.label("loop")
	f.op("PCALIGN", 32)
	f.place(loop)
	f.op("VMOVU"+t.p, mem(0, a), "Y0")
	f.op("VMOVU"+t.p, mem(0, b), "Y1")
	f.op("VUNPCKL"+t.p, "Y1", "Y0", "Y2")
	f.op("VUNPCKH"+t.p, "Y1", "Y0", "Y3")
	if t.size == 8 {
		f.op("VMOVUPD", "X2", at(0))
		f.op("VMOVUPD", "X3", at(1))
		f.op("VEXTRACTF128", 1, "Y2", at(2))
		f.op("VEXTRACTF128", 1, "Y3", at(3))
	} else {
		f.op("LEAQ", memIndex(0, dst, ldd, 4), far)
		for half := range 2 {
			for q := range 2 {
				x := fmt.Sprint("X", 2+q)
				f.op("VMOVSD", x, at(4*half+2*q))
				f.op("VMOVHPS", x, at(4*half+2*q+1))
				if half == 0 {
					f.op("VEXTRACTF128", 1, fmt.Sprint("Y", 2+q), x)
				}
			}
		}
	}
	f.op("ADDQ", 32, a)
	f.op("ADDQ", 32, b)
	f.op("LEAQ", memIndex(0, dst, ldd, lanes), dst)
	f.op("DECQ", blocks)
	f.op("JNZ", loop)
	f.op("VZEROUPPER")
	f.op("RET")
}

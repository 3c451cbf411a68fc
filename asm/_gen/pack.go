package main

import "fmt"

var _ = add("pack_avx2_amd64.s", func(f *file) {
	for _, t := range types {
		pack(f, t)
		unzip(f, t)
	}
})

// pack prints Pack of strips of 8 rows, of a vector's elements at least: block by block,
// the last of which takes some columns once more if it must.
func pack(f *file, t typ) {
	const dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3 = "DI", "DX", "R8", "R9", "SI", "BX", "R10", "R11"
	const blocks, strips, strip, panel, row = "CX", "AX", "R12", "R13", "R15"
	lanes := 32 / t.size
	name := "packAVX2" + t.short
	f.fn(name, fmt.Sprintf("func %s(dst *%s, ldd, step int, src *%s, lds, n, strips, panels int)", name, t.elem, t.elem), 32, 64)
	f.op("MOVQ", "dst+0(FP)", panel)
	f.op("MOVQ", "ldd+8(FP)", ldd)
	f.op("MOVQ", "src+24(FP)", src)
	f.op("MOVQ", "lds+32(FP)", lds)
	f.op("SHLQ", shiftOf(t.size), ldd)
	f.op("SHLQ", shiftOf(t.size), lds)
	f.op("LEAQ", memIndex(0, ldd, ldd, 2), ldd3)
	f.op("LEAQ", memIndex(0, lds, lds, 2), lds3)
	// From the end of the blocks back to the one that ends with the columns.
	const back, backRows, first, onward = "back-8(SP)", "rows-16(SP)", "first-24(SP)", "onward-32(SP)"
	f.op("MOVQ", "n+40(FP)", blocks)
	f.op("ANDQ", lanes-1, blocks)
	f.op("SUBQ", lanes, blocks)
	f.op("MOVQ", blocks, strips)
	f.op("SHLQ", shiftOf(t.size), strips)
	f.op("MOVQ", strips, back)
	f.op("MOVQ", ldd, strips)
	f.op("IMULQ", blocks, strips)
	f.op("MOVQ", strips, backRows)
	f.op("MOVQ", src, first) // row of the panel
	f.op("MOVQ", "ldd+8(FP)", strips)
	f.op("IMULQ", lds, strips)
	f.op("MOVQ", strips, onward) // to that of the next one
	nextPanel, nextStrip, loop, whole := f.label("panel"), f.label("strip"), f.label("loop"), f.label("whole")
	f.place(nextPanel)
	f.op("MOVQ", "strips+48(FP)", strips)
	f.op("MOVQ", panel, strip)
	f.place(nextStrip)
	f.op("MOVQ", strip, dst)
	f.op("MOVQ", src, row)
	f.op("MOVQ", "n+40(FP)", blocks)
	f.op("SHRQ", shiftOf(lanes), blocks)
	f.op("LEAQ", memIndex(0, src, lds, 4), srcFar)
	f.op("LEAQ", memIndex(0, dst, ldd, 4), dstFar)
	f.place(loop)
	transposeBlock(f, t, dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3)
	f.op("ADDQ", 32, src)
	f.op("ADDQ", 32, srcFar)
	f.op("LEAQ", memIndex(0, dst, ldd, lanes), dst)
	f.op("LEAQ", memIndex(0, dstFar, ldd, lanes), dstFar)
	f.op("DECQ", blocks)
	f.op("JNZ", loop)
	f.op("TESTQ", lanes-1, "n+40(FP)")
	f.op("JEQ", whole)
	f.op("ADDQ", back, src)
	f.op("ADDQ", back, srcFar)
	f.op("ADDQ", backRows, dst)
	f.op("ADDQ", backRows, dstFar)
	transposeBlock(f, t, dst, dstFar, ldd, ldd3, src, srcFar, lds, lds3)
	f.place(whole)
	f.op("LEAQ", memIndex(0, row, lds, 8), src)
	f.op("ADDQ", 8*t.size, strip)
	f.op("DECQ", strips)
	f.op("JNZ", nextStrip)
	f.op("MOVQ", "step+16(FP)", strip)
	f.op("LEAQ", memIndex(0, panel, strip, t.size), panel)
	f.op("MOVQ", first, src)
	f.op("ADDQ", onward, src)
	f.op("MOVQ", src, first)
	f.op("DECQ", "panels+56(FP)")
	f.op("JNZ", nextPanel)
	f.op("VZEROUPPER")
	f.op("RET")
}

// unzip prints Pack of two columns, a vector of rows at a time.
func unzip(f *file, t typ) {
	const dst, width, step, src, far, lds, lds3, panels, end, to = "DI", "DX", "R8", "SI", "BX", "R9", "R10", "CX", "R11", "AX"
	lanes := 32 / t.size
	name := "unzipAVX2" + t.short
	f.fn(name, fmt.Sprintf("func %s(dst *%s, width, step int, src *%s, lds, panels int)", name, t.elem, t.elem), 0, 48)
	for i, r := range []string{dst, width, step, src, lds, panels} {
		f.op("MOVQ", fmt.Sprintf("%s+%d(FP)", []string{"dst", "width", "step", "src", "lds", "panels"}[i], 8*i), r)
	}
	for _, r := range []string{width, step, lds} {
		f.op("SHLQ", shiftOf(t.size), r)
	}
	f.op("LEAQ", memIndex(0, lds, lds, 2), lds3)
	at := func(i int) string { return strided(src, far, lds, lds3, i, 0) }
	panel, loop := f.label("panel"), f.label("loop")
	f.place(panel)
	f.op("MOVQ", dst, to)
	f.op("LEAQ", memIndex(0, dst, width, 1), end)
	f.op("PCALIGN", 32)
	f.place(loop)
	if t.size == 8 {
		f.op("VMOVUPD", at(0), "X0")
		f.op("VMOVUPD", at(1), "X1")
		f.op("VINSERTF128", 1, at(2), "Y0", "Y0")
		f.op("VINSERTF128", 1, at(3), "Y1", "Y1")
		f.op("VUNPCKLPD", "Y1", "Y0", "Y2")
		f.op("VUNPCKHPD", "Y1", "Y0", "Y3")
	} else {
		f.op("LEAQ", memIndex(0, src, lds, 4), far)
		for q := range 4 {
			x := fmt.Sprint("X", q)
			f.op("VMOVSD", at(2*q), x)
			f.op("VMOVHPS", at(2*q+1), x, x)
		}
		f.op("VINSERTF128", 1, "X2", "Y0", "Y0")
		f.op("VINSERTF128", 1, "X3", "Y1", "Y1")
		f.op("VSHUFPS", 0x88, "Y1", "Y0", "Y2")
		f.op("VSHUFPS", 0xdd, "Y1", "Y0", "Y3")
	}
	f.op("VMOVU"+t.p, "Y2", mem(0, to))
	f.op("VMOVU"+t.p, "Y3", memIndex(0, to, width, 1))
	f.op("LEAQ", memIndex(0, src, lds, lanes), src)
	f.op("ADDQ", 32, to)
	f.op("CMPQ", to, end)
	f.op("JLT", loop)
	f.op("LEAQ", memIndex(0, dst, step, 1), dst)
	f.op("DECQ", panels)
	f.op("JNZ", panel)
	f.op("VZEROUPPER")
	f.op("RET")
}

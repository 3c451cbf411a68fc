package main

import "fmt"

// lanes is asm.Lanes: the partial sums of a dot product.
const lanes = 32

var _ = add("dot_avx512_amd64.s", func(f *file) {
	for _, t := range types {
		dot(f, t, "AVX512", "Z", 64/t.size)
	}
})

var _ = add("dot_avx2_amd64.s", func(f *file) {
	for _, t := range types {
		dot(f, t, "AVX2", "Y", 32/t.size)
	}
})

// Registers of a dot product.
const (
	xPtr, yPtrDot, elements = "SI", "DI", "CX"
	maskOf                  = "AX"
)

// dot prints Σ x[i]y[i] over 32 lanes in 32/width vectors. A tail updates only
// the lanes it reaches: adding 0·0 to the others would turn a −0 into +0.
func dot(f *file, t typ, isa, reg string, width int) {
	vecs := lanes / width
	bytes := width * t.size
	name := "dot" + isa + t.short
	f.fn(name, fmt.Sprintf("func %s(x, y *%s, n int) %s", name, t.elem, t.elem), 0, 24+t.size)
	f.op("MOVQ", "x+0(FP)", xPtr)
	f.op("MOVQ", "y+8(FP)", yPtrDot)
	f.op("MOVQ", "n+16(FP)", elements)
	acc := func(j int) string { return fmt.Sprint(reg, j) }
	tmp, tmp2, mask := fmt.Sprint(reg, vecs), fmt.Sprint(reg, vecs+1), fmt.Sprint(reg, vecs+2)
	f.comment("%d lanes in %d vectors.", lanes, vecs)
	for j := range vecs {
		clearReg(f, acc(j))
	}
	loop, tail, reduce := f.label("loop"), f.label("tail"), f.label("reduce")
	f.op("SUBQ", lanes, elements)
	f.op("JLT", tail)
	f.op("PCALIGN", 32)
	f.place(loop)
	for j := range vecs {
		x := fmt.Sprint(reg, vecs+j)
		f.op("VMOVU"+t.p, mem(j*bytes, xPtr), x)
		f.op("VFMADD231"+t.p, mem(j*bytes, yPtrDot), x, acc(j))
	}
	f.op("ADDQ", lanes*t.size, xPtr)
	f.op("ADDQ", lanes*t.size, yPtrDot)
	f.op("SUBQ", lanes, elements)
	f.op("JGE", loop)
	f.place(tail)
	f.comment("Fewer than %d elements are left.", lanes)
	f.op("ADDQ", lanes, elements)
	last := make([]string, vecs)
	for j := range vecs {
		last[j] = f.label("last")
		f.op("CMPQ", elements, width)
		f.op("JLT", last[j])
		f.op("VMOVU"+t.p, mem(j*bytes, xPtr), tmp)
		f.op("VFMADD231"+t.p, mem(j*bytes, yPtrDot), tmp, acc(j))
		f.op("SUBQ", width, elements)
	}
	f.op("JMP", reduce) // not reached: fewer than 32 are left
	for j := range vecs {
		f.place(last[j])
		if reg == "Z" {
			f.op("MOVQ", 1, maskOf)
			f.op("SHLQ", elements, maskOf)
			f.op("DECQ", maskOf)
			f.op("KMOVW", maskOf, "K1")
			f.op("VMOVU"+t.p+".Z", mem(j*bytes, xPtr), "K1", tmp)
			f.op("VFMADD231"+t.p, mem(j*bytes, yPtrDot), tmp, "K1", acc(j))
		} else {
			f.op("LEAQ", fmt.Sprintf("·columnMask%d+%d(SB)", 8*t.size, 24*t.size), maskOf)
			f.op("SHLQ", shiftOf(t.size), elements)
			f.op("SUBQ", elements, maskOf)
			f.op("VMOVUPS", mem(0, maskOf), mask)
			f.op("VMASKMOV"+t.p, mem(j*bytes, xPtr), mask, tmp)
			f.op("VMASKMOV"+t.p, mem(j*bytes, yPtrDot), mask, tmp2)
			f.op("VFMADD213"+t.p, acc(j), tmp2, tmp)
			f.op("VBLENDV"+t.p, mask, tmp, acc(j), acc(j))
		}
		if j < vecs-1 {
			f.op("JMP", reduce)
		}
	}
	f.place(reduce)
	f.comment("Add the lanes, by halves.")
	for h := vecs / 2; h > 0; h /= 2 {
		for j := range h {
			f.op("VADD"+t.p, acc(j+h), acc(j), acc(j))
		}
	}
	if reg == "Z" {
		f.op("VEXTRACTF64X4", 1, "Z0", "Y1")
		f.op("VADD"+t.p, "Y1", "Y0", "Y0")
	}
	f.op("VEXTRACTF128", 1, "Y0", "X1")
	f.op("VADD"+t.p, "X1", "X0", "X0")
	f.op("VPERMILPD", 1, "X0", "X1")
	f.op("VADD"+t.p, "X1", "X0", "X0")
	if t.size == 4 {
		f.op("VMOVSHDUP", "X0", "X1")
		f.op("VADDSS", "X1", "X0", "X0")
	}
	f.op("VMOV"+t.s, "X0", "ret+24(FP)")
	f.op("VZEROUPPER")
	f.op("RET")
}

func clearReg(f *file, r string) {
	if r[0] == 'Z' {
		f.op("VPXORQ", r, r, r)
	} else {
		f.op("VXORPS", r, r, r)
	}
}

func shiftOf(size int) int { return map[int]int{8: 3, 4: 2}[size] }

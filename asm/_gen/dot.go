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

// dot prints Σ x[i]y[i] over 32 lanes in 32/width vectors. A tail updates only
// the lanes it reaches: adding 0·0 to the others would turn a −0 into +0.
func dot(f *file, t typ, isa, reg string, width int) {
	vecs := lanes / width
	bytes := width * t.size
	name := "dot" + isa + t.short
	f.fn(name, fmt.Sprintf("func %s(x, y *%s, n int) %s", name, t.elem, t.elem), 0, 24+t.size)
	f.op("MOVQ", "x+0(FP)", "SI")
	f.op("MOVQ", "y+8(FP)", "DI")
	f.op("MOVQ", "n+16(FP)", "CX")
	acc := func(j int) string { return fmt.Sprint(reg, j) }
	tmp, tmp2, mask := fmt.Sprint(reg, vecs), fmt.Sprint(reg, vecs+1), fmt.Sprint(reg, vecs+2)
	for j := range vecs {
		clearReg(f, acc(j))
	}
	loop, tail, reduce := f.label("loop"), f.label("tail"), f.label("reduce")
	f.op("SUBQ", lanes, "CX")
	f.op("JLT", tail)
	f.op("PCALIGN", 32)
	f.place(loop)
	for j := range vecs {
		x := fmt.Sprint(reg, vecs+j)
		f.op("VMOVU"+t.p, mem(j*bytes, "SI"), x)
		f.op("VFMADD231"+t.p, mem(j*bytes, "DI"), x, acc(j))
	}
	f.op("ADDQ", lanes*t.size, "SI")
	f.op("ADDQ", lanes*t.size, "DI")
	f.op("SUBQ", lanes, "CX")
	f.op("JGE", loop)
	f.place(tail)
	f.op("ADDQ", lanes, "CX")
	last := make([]string, vecs)
	for j := range vecs {
		last[j] = f.label("last")
		f.op("CMPQ", "CX", width)
		f.op("JLT", last[j])
		f.op("VMOVU"+t.p, mem(j*bytes, "SI"), tmp)
		f.op("VFMADD231"+t.p, mem(j*bytes, "DI"), tmp, acc(j))
		f.op("SUBQ", width, "CX")
	}
	f.op("JMP", reduce) // not reached: fewer than 32 are left
	for j := range vecs {
		f.place(last[j])
		if reg == "Z" {
			f.op("MOVQ", 1, "AX")
			f.op("SHLQ", "CX", "AX")
			f.op("DECQ", "AX")
			f.op("KMOVW", "AX", "K1")
			f.op("VMOVU"+t.p+".Z", mem(j*bytes, "SI"), "K1", tmp)
			f.op("VFMADD231"+t.p, mem(j*bytes, "DI"), tmp, "K1", acc(j))
		} else {
			f.op("LEAQ", fmt.Sprintf("·columnMask%d+%d(SB)", 8*t.size, 24*t.size), "AX")
			f.op("SHLQ", shiftOf(t.size), "CX")
			f.op("SUBQ", "CX", "AX")
			f.op("VMOVUPS", mem(0, "AX"), mask)
			f.op("VMASKMOV"+t.p, mem(j*bytes, "SI"), mask, tmp)
			f.op("VMASKMOV"+t.p, mem(j*bytes, "DI"), mask, tmp2)
			f.op("VFMADD213"+t.p, acc(j), tmp2, tmp)
			f.op("VBLENDV"+t.p, mask, tmp, acc(j), acc(j))
		}
		if j < vecs-1 {
			f.op("JMP", reduce)
		}
	}
	f.place(reduce)
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

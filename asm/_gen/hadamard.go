package main

import "fmt"

var _ = add("hadamard_avx512_amd64.s", func(f *file) {
	for _, t := range types {
		(&butterflies{f, t, "AVX512", "Z", 16, 64 / t.size}).generate()
	}
})

var _ = add("hadamard_avx2_amd64.s", func(f *file) {
	for _, t := range types {
		(&butterflies{f, t, "AVX2", "Y", 8, 32 / t.size}).generate()
	}
})

// Butterflies of Walsh–Hadamard transforms side by side. The diagonal and the
// stages of one vector come first, the latter by permutation and (b·±1 + a), which rounds as a ± b does; then as
// many whole vectors as registers hold; then radix-8 passes.
type butterflies struct {
	*file
	typ
	isa   string
	reg   string
	block int // vectors of the first pass
	width int // elements of a vector
}

func (g *butterflies) r(i int) string { return fmt.Sprint(g.reg, i) }

func (g *butterflies) generate() {
	bytes := g.width * g.size
	name := "hadamard" + g.isa + g.short
	signs := "sign" + g.isa + g.short
	var table []string
	for h := 1; h < g.width; h *= 2 {
		for i := range g.width {
			v := 1.0
			if i&h != 0 {
				v = -1
			}
			table = append(table, g.bits(v))
		}
	}
	g.words(signs, g.size, 1, table...)
	g.fn(name, fmt.Sprintf("func %s(x, d *%s, total, n, h int)", name, g.elem), 0, 40)
	g.op("MOVQ", "x+0(FP)", "DI")
	g.op("MOVQ", "d+8(FP)", "R11")
	g.op("MOVQ", "total+16(FP)", "SI")
	g.op("MOVQ", "n+24(FP)", "CX")
	g.op("MOVQ", "h+32(FP)", "DX")
	g.op("SHLQ", shiftOf(g.size), "CX")
	g.op("SHLQ", shiftOf(g.size), "DX")
	g.op("SHLQ", shiftOf(g.size), "SI")
	g.op("ADDQ", "DI", "SI") // end
	passes := g.label("passes")
	done := g.label("done")
	g.op("CMPQ", "DX", g.size)
	g.op("JNE", passes)
	g.op("LEAQ", "·"+signs+"(SB)", "R8")
	g.op("MOVQ", "R11", "R12") // zero: no diagonal
	g.op("SUBQ", "DI", "R11")

	// First pass: in whole blocks, or in shorter ones that transforms are.
	for v := g.block; v >= 1; v /= 2 {
		short := g.label("short")
		g.op("CMPQ", "CX", v*bytes)
		g.op("JLT", short)
		loop := g.label("block")
		g.op("MOVQ", "DI", "AX")
		g.place(loop)
		g.first(v)
		g.op("ADDQ", v*bytes, "AX")
		g.op("CMPQ", "AX", "SI")
		g.op("JLT", loop)
		if v == g.block {
			g.op("MOVQ", v*bytes, "DX")
			g.op("JMP", passes)
		} else {
			g.op("JMP", done)
		}
		g.place(short)
	}
	g.op("JMP", done) // shorter than a vector: not for this function

	g.place(passes) // DX bytes apart, CX in a transform
	eight, four, two := g.label("eight"), g.label("four"), g.label("two")
	g.place(eight)
	g.op("LEAQ", "(DX*8)", "AX")
	g.op("CMPQ", "AX", "CX")
	g.op("JGT", four)
	g.pass(8)
	g.op("SHLQ", 3, "DX")
	g.op("JMP", eight)
	g.place(four)
	g.op("LEAQ", "(DX*4)", "AX")
	g.op("CMPQ", "AX", "CX")
	g.op("JGT", two)
	g.pass(4)
	g.op("JMP", done)
	g.place(two)
	g.op("LEAQ", "(DX*2)", "AX")
	g.op("CMPQ", "AX", "CX")
	g.op("JGT", done)
	g.pass(2)
	g.place(done)
	g.op("VZEROUPPER")
	g.op("RET")
}

// first prints the product with the diagonal and all stages within v adjacent
// vectors at AX.
func (g *butterflies) first(v int) {
	bytes := g.width * g.size
	for i := range v {
		g.op("VMOVU"+g.p, mem(i*bytes, "AX"), g.r(i))
	}
	plain := g.label("plain")
	g.op("TESTQ", "R12", "R12")
	g.op("JEQ", plain)
	for i := range v {
		g.op("VMUL"+g.p, memIndex(i*bytes, "AX", "R11", 1), g.r(i), g.r(i))
	}
	g.place(plain)
	temps := min(v, 2*g.block-v)
	stage := 0
	for h := 1; h < g.width; h *= 2 {
		for i := range v {
			t := g.r(v + i%temps)
			switch {
			case h*g.size >= 16 && g.reg == "Z": // 128-bit lanes
				g.op("VSHUFF64X2", map[int]int{16: 0xb1, 32: 0x4e}[h*g.size], g.r(i), g.r(i), t)
			case h*g.size >= 16:
				g.op("VPERM2F128", 1, g.r(i), g.r(i), t)
			case h*g.size == 8:
				imm := 0x55
				if g.reg == "Y" {
					imm = 5
				}
				g.op("VPERMILPD", imm, g.r(i), t)
			default:
				g.op("VPERMILPS", 0xb1, g.r(i), t)
			}
			g.op("VFMADD132"+g.p, mem(stage*bytes, "R8"), t, g.r(i))
		}
		stage++
	}
	at := g.cross(v)
	for i := range v {
		g.op("VMOVU"+g.p, at[i], mem(i*bytes, "AX"))
	}
}

// cross prints the stages among the vectors 0 … v−1 and returns where each
// then is.
func (g *butterflies) cross(v int) []string {
	at := make([]string, v)
	for i := range at {
		at[i] = g.r(i)
	}
	free := g.r(v)
	for h := 1; h < v; h *= 2 {
		for i := range v {
			if i&h == 0 {
				// The difference goes to a free register, the sum in place.
				g.op("VSUB"+g.p, at[i+h], at[i], free)
				g.op("VADD"+g.p, at[i+h], at[i], at[i])
				at[i+h], free = free, at[i+h]
			}
		}
	}
	return at
}

// pass prints the stages of one pass of the given radix up to SI, whose
// nearest pairs are DX bytes apart.
func (g *butterflies) pass(radix int) {
	bytes := g.width * g.size
	outer, inner := g.label("outer"), g.label("inner")
	g.op("LEAQ", "(DX)(DX*2)", "R9") // three
	g.op("MOVQ", "DI", "AX")
	at := func(i int) string {
		base := "AX"
		if i >= 4 {
			base = "BX"
		}
		switch i % 4 {
		case 1, 2:
			return memIndex(0, base, "DX", i%4)
		case 3:
			return memIndex(0, base, "R9", 1)
		}
		return mem(0, base)
	}
	g.place(outer)
	g.op("LEAQ", "(AX)(DX*1)", "R10")
	if radix > 4 {
		g.op("LEAQ", "(AX)(DX*4)", "BX")
	}
	g.op("PCALIGN", 32)
	g.place(inner)
	for i := range radix {
		g.op("VMOVU"+g.p, at(i), g.r(i))
	}
	for i, r := range g.cross(radix) {
		g.op("VMOVU"+g.p, r, at(i))
	}
	if radix > 4 {
		g.op("ADDQ", bytes, "BX")
	}
	g.op("ADDQ", bytes, "AX")
	g.op("CMPQ", "AX", "R10")
	g.op("JLT", inner)
	// On to the next group, radix·h further than this one began.
	switch radix {
	case 8:
		g.op("LEAQ", "(AX)(DX*4)", "AX")
		g.op("ADDQ", "R9", "AX")
	case 4:
		g.op("ADDQ", "R9", "AX")
	case 2:
		g.op("ADDQ", "DX", "AX")
	}
	g.op("CMPQ", "AX", "SI")
	g.op("JLT", outer)
}

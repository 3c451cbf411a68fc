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

// Registers of the butterflies.
const (
	rX, rD    = "DI", "R11" // x; the diagonal, as its distance from x
	rEnd      = "SI"        // of x
	rLength   = "CX"        // of a transform, in bytes
	rH        = "DX"        // distance of pairs, in bytes
	rPlain    = "R12"       // zero: no diagonal
	rSigns    = "R8"
	rAt       = "AX" // the vectors at work
	rAt4      = "BX" // four distances on
	rH3       = "R9" // three distances
	rInnerEnd = "R10"
)

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
	g.op("MOVQ", "x+0(FP)", rX)
	g.op("MOVQ", "d+8(FP)", rD)
	g.op("MOVQ", "total+16(FP)", rEnd)
	g.op("MOVQ", "n+24(FP)", rLength)
	g.op("MOVQ", "h+32(FP)", rH)
	g.op("SHLQ", shiftOf(g.size), rLength)
	g.op("SHLQ", shiftOf(g.size), rH)
	g.op("SHLQ", shiftOf(g.size), rEnd)
	g.op("ADDQ", rX, rEnd) // end
	passes := g.label("passes")
	done := g.label("done")
	g.op("CMPQ", rH, g.size)
	g.op("JNE", passes)
	g.op("LEAQ", "·"+signs+"(SB)", rSigns)
	g.op("MOVQ", rD, rPlain) // zero: no diagonal
	g.op("SUBQ", rX, rD)

	// First pass: in whole blocks, or in shorter ones that transforms are.
	for v := g.block; v >= 1; v /= 2 {
		short := g.label("short")
		g.op("CMPQ", rLength, v*bytes)
		g.op("JLT", short)
		loop := g.label("block")
		g.op("MOVQ", rX, rAt)
		g.place(loop)
		g.first(v)
		g.op("ADDQ", v*bytes, rAt)
		g.op("CMPQ", rAt, rEnd)
		g.op("JLT", loop)
		if v == g.block {
			g.op("MOVQ", v*bytes, rH)
			g.op("JMP", passes)
		} else {
			g.op("JMP", done)
		}
		g.place(short)
	}
	g.op("JMP", done) // shorter than a vector: not for this function

	g.place(passes)
	eight, four, two := g.label("eight"), g.label("four"), g.label("two")
	g.place(eight)
	g.op("LEAQ", "("+rH+"*8)", rAt)
	g.op("CMPQ", rAt, rLength)
	g.op("JGT", four)
	g.pass(8)
	g.op("SHLQ", 3, rH)
	g.op("JMP", eight)
	g.place(four)
	g.op("LEAQ", "("+rH+"*4)", rAt)
	g.op("CMPQ", rAt, rLength)
	g.op("JGT", two)
	g.pass(4)
	g.op("JMP", done)
	g.place(two)
	g.op("LEAQ", "("+rH+"*2)", rAt)
	g.op("CMPQ", rAt, rLength)
	g.op("JGT", done)
	g.pass(2)
	g.place(done)
	g.op("VZEROUPPER")
	g.op("RET")
}

// first prints the product with the diagonal and all stages within v adjacent
// vectors at rAt.
func (g *butterflies) first(v int) {
	bytes := g.width * g.size
	g.comment("First pass, %d vectors at a time: the diagonal.", v)
	for i := range v {
		g.op("VMOVU"+g.p, mem(i*bytes, rAt), g.r(i))
	}
	plain := g.label("plain")
	g.op("TESTQ", rPlain, rPlain)
	g.op("JEQ", plain)
	for i := range v {
		g.op("VMUL"+g.p, memIndex(i*bytes, rAt, rD, 1), g.r(i), g.r(i))
	}
	g.place(plain)
	g.comment("The stages within a vector.")
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
			g.op("VFMADD132"+g.p, mem(stage*bytes, rSigns), t, g.r(i))
		}
		stage++
	}
	g.comment("The stages among the vectors.")
	at := g.cross(v)
	for i := range v {
		g.op("VMOVU"+g.p, at[i], mem(i*bytes, rAt))
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
// nearest pairs are rH bytes apart.
func (g *butterflies) pass(radix int) {
	bytes := g.width * g.size
	g.comment("A pass of radix %d.", radix)
	outer, inner := g.label("outer"), g.label("inner")
	g.op("LEAQ", memIndex(0, rH, rH, 2), rH3) // three
	g.op("MOVQ", rX, rAt)
	at := func(i int) string {
		base := rAt
		if i >= 4 {
			base = rAt4
		}
		switch i % 4 {
		case 1, 2:
			return memIndex(0, base, rH, i%4)
		case 3:
			return memIndex(0, base, rH3, 1)
		}
		return mem(0, base)
	}
	g.place(outer)
	g.op("LEAQ", memIndex(0, rAt, rH, 1), rInnerEnd)
	if radix > 4 {
		g.op("LEAQ", memIndex(0, rAt, rH, 4), rAt4)
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
		g.op("ADDQ", bytes, rAt4)
	}
	g.op("ADDQ", bytes, rAt)
	g.op("CMPQ", rAt, rInnerEnd)
	g.op("JLT", inner)
	// On to the next group, radix·h further than this one began.
	switch radix {
	case 8:
		g.op("LEAQ", memIndex(0, rAt, rH, 4), rAt)
		g.op("ADDQ", rH3, rAt)
	case 4:
		g.op("ADDQ", rH3, rAt)
	case 2:
		g.op("ADDQ", rH, rAt)
	}
	g.op("CMPQ", rAt, rEnd)
	g.op("JLT", outer)
}

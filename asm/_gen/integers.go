package main

import "fmt"

// How words of four bytes, which hold integers of two or four rows, are multiplied and added.
const (
	words = "words" // two rows by VPDPWSSD
	madd  = "madd"  // two rows by VPMADDWD and VPADDD
	quads = "quads" // four rows by VPDPBUSD, whose other factor is not negative
)

var _ = add("integers_avx512_amd64.s", func(f *file) {
	for _, whole := range []string{words, madd, quads} {
		g := &products{file: f, typ: f32, isa: "AVX512", reg: "Z", regs: 32, lanes: 16, mr: 8, vecs: 1, across: 2, masked: true, whole: whole}
		g.generateIntegers()
	}
	g := &rounding{file: f, isa: "AVX512", reg: "Z", vecs: 1, lanes: 16}
	g.generate(2)
	g.generate(4)
})

var _ = add("integers_avx2_amd64.s", func(f *file) {
	g := &products{file: f, typ: f32, isa: "AVX2", reg: "Y", regs: 16, lanes: 8, mr: 4, vecs: 3, across: 1, whole: madd}
	g.generateIntegers()
	(&rounding{file: f, isa: "AVX2", reg: "Y", vecs: 3, lanes: 8}).generate(2)
})

// terms is the number of registers for products on their way to a sum.
func (g *products) terms(t block) int {
	switch {
	case g.whole != madd:
		return 0
	case g.regs == 32:
		return 4
	}
	return min(3, g.regs-g.needs(t))
}

// broadcast copies a word to all lanes of x. Quads become factors that are not negative.
func (g *products) broadcast(word, x string) {
	if g.whole == quads {
		g.op("VPXORD.BCST", word, g.r(g.regs-1), x)
		return
	}
	g.op("VBROADCAST"+g.s, word, x)
}

// multiply adds the products of b and x to acc.
func (g *products) multiply(b, x, acc, term string) {
	switch g.whole {
	case words:
		g.op("VPDPWSSD", b, x, acc)
	case madd:
		g.op("VPMADDWD", b, x, term)
		g.op("VPADDD", term, acc, acc)
	case quads:
		g.op("VPDPBUSD", b, x, acc)
	default:
		g.op("VFMADD231"+g.p, b, x, acc)
	}
}

// starts sets the accumulators to row k of b, and the last register to the signs of bytes.
func (g *products) starts(t block, acc func(i, j int) string, bAt func(u, j int) string) {
	g.op("MOVQ", kCount, left)
	g.op("IMULQ", g.panel()*g.size, left)
	g.op("ADDQ", left, bNow)
	if t.wide > 4 {
		g.op("ADDQ", left, bFar)
	}
	for j := range t.vecs * t.wide {
		g.op("VMOVU"+g.p, bAt(0, j), acc(0, j))
	}
	for i := 1; i < t.m; i++ {
		for j := range t.vecs * t.wide {
			g.op("VMOVA"+g.p, acc(0, j), acc(i, j))
		}
	}
	g.op("SUBQ", left, bNow)
	if t.wide > 4 {
		g.op("SUBQ", left, bFar)
	}
	g.op("MOVL", "$0x80808080", left)
	g.op("VPBROADCASTD", left, g.r(g.regs-1))
}

// generateIntegers prints the function of all m, n and k that adds sums of products of
// integers, times a unit, to float64 sums.
func (g *products) generateIntegers() {
	name := fmt.Sprintf("%s%dx%d%s", g.whole, g.mr, g.width(), g.isa)
	bytes := g.arguments("m", "n", "k", "a", "lda", "b", "bStride", "unit", "c", "ldc", "next")
	g.fn(name, fmt.Sprintf("func %s(m, n, k int, a *float32, lda int, b *float32, bStride int, unit float64, c *float64, ldc int, next *float32)", name), 0, bytes)
	g.load([]string{"k", "a", "lda", "b", "bStride", "c", "ldc", "next"}, []string{kCount, aPtr, aRow, bPtr, bPanel, cPtr, cRow, nextPtr})
	g.op("SHLQ", 1, cRow)
	g.byRows()
}

// rounding prints the kernels that round the features of a panel.
type rounding struct {
	*file
	isa, reg    string
	vecs, lanes int
}

// generate prints the function that replaces rows by words of that many of them.
func (g *rounding) generate(rows int) {
	const to, from, left, factor = "DI", "SI", "CX", "DX"
	r := func(i int) string { return fmt.Sprint(g.reg, i) }
	name := fmt.Sprintf("round%d%s", rows, g.isa)
	g.fn(name, fmt.Sprintf("func %s(z *float32, words int, factor *float32)", name), 0, 24)
	g.op("MOVQ", "z+0(FP)", from)
	g.op("MOVQ", "words+8(FP)", left)
	g.op("MOVQ", "factor+16(FP)", factor)
	g.op("MOVQ", from, to)
	size := 4 * g.lanes
	scale := func(v int) string { return r(rows + v) }
	sum := func(v int) string { return r(rows + g.vecs + v) }
	for v := range g.vecs {
		g.op("VMOVUPS", mem(v*size, factor), scale(v))
		if rows == 4 {
			clearReg(g.file, sum(v))
		}
	}
	if g.reg == "Z" { // the bits of a word that a row has
		for i := 1; i < rows; i++ {
			g.op("MOVQ", map[int]string{2: "$0xaaaaaaaa", 4: fmt.Sprintf("$0x%x", uint64(0x1111111111111111)<<i)}[rows], "AX")
			g.op("KMOVQ", "AX", fmt.Sprint("K", i))
		}
	}
	loop := g.label("words")
	g.place(loop)
	for v := range g.vecs {
		for i := range rows {
			g.op("VMULPS", mem((i*g.vecs+v)*size, from), scale(v), r(i))
			g.op("VCVTPS2DQ", r(i), r(i))
			if rows == 4 {
				g.op("VPADDD", r(i), sum(v), sum(v))
			}
			switch {
			case i == 0:
				continue
			case g.reg == "Y":
				g.op("VPSLLD", 16, r(i), r(i))
				g.op("VPBLENDW", 0xaa, r(i), r(0), r(0))
				continue
			}
			g.op("VPSLLD", 32/rows*i, r(i), r(i))
			g.op("VMOVDQU"+fmt.Sprint(32/rows), r(i), fmt.Sprint("K", i), r(0))
		}
		g.op("VMOVUPS", r(0), mem(v*size, to))
	}
	g.op("ADDQ", rows*g.vecs*size, from)
	g.op("ADDQ", g.vecs*size, to)
	g.op("DECQ", left)
	g.op("JNZ", loop)
	if rows == 4 {
		g.comment("The starts of sums whose other factors are 128 too large.")
		for v := range g.vecs {
			clearReg(g.file, r(0))
			g.op("VPSLLD", 7, sum(v), sum(v))
			g.op("VPSUBD", sum(v), r(0), r(0))
			g.op("VMOVUPS", r(0), mem(v*size, to))
		}
	}
	g.op("VZEROUPPER")
	g.op("RET")
}

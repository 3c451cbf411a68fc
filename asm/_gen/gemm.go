package main

import "fmt"

// The tile products of one instruction set: MR rows of C by the panels of a tile,
// held in registers over the whole of k.
type products struct {
	*file
	typ
	isa    string
	reg    string // letter of the vector registers
	regs   int    // how many there are
	lanes  int    // elements of a vector
	mr     int
	vecs   int // vectors of a panel
	across int // panels of a tile
	masked bool

	args map[string]string // of the function, where they are
	with int               // rows of a second left operand beside

	whole string // how words of integers are multiplied (integers.go); "": no integers
}

var _ = add("gemm_avx512_amd64.s", func(f *file) {
	for _, t := range types {
		g := &products{file: f, typ: t, isa: "AVX512", reg: "Z", regs: 32, lanes: 64 / t.size, mr: 8, vecs: 1, across: 2, masked: true}
		g.generate()
		g.generateWith()
	}
})

var _ = add("gemm_avx2_amd64.s", func(f *file) {
	for _, size := range []int{8, 4} {
		f.words(fmt.Sprint("columnMask", 8*size), size, 24, "$-1", "$0")
	}
	for _, t := range types {
		(&products{file: f, typ: t, isa: "AVX2", reg: "Y", regs: 16, lanes: 32 / t.size, mr: 4, vecs: 3, across: 1}).generate()
	}
})

func (g *products) r(i int) string { return fmt.Sprint(g.reg, i) }
func (g *products) panel() int     { return g.vecs * g.lanes }
func (g *products) width() int     { return g.across * g.panel() } // of a tile
func (g *products) bytes() int     { return g.lanes * g.size }

// A block is the inner loop of one tile: m rows by vecs vectors of each of
// wide adjacent panels.
type block struct{ m, vecs, wide int }

// wide is how many panels a tile of m rows takes at once, so that its fused
// chains cover the latency of the multiply-add on both pipes: 4 × 2 of them.
func (g *products) wide(m int) int {
	w := g.across
	for m*g.vecs*w < 8 && w < maxWide && g.needs(block{m, g.vecs, 2 * w}) < g.regs {
		w *= 2
	}
	return w
}

// maxWide is the number of panels that have addresses.
const maxWide = 8

// needs is the number of registers of t, one for the broadcast included: one
// row reads b from memory, several hold it.
func (g *products) needs(t block) int {
	n := t.m*t.vecs*t.wide + 1
	if t.m > 1 && !(g.whole == madd && n+t.vecs*t.wide+1 > g.regs) {
		n += t.vecs * t.wide
	}
	return n
}

// Registers of the tile products.
const (
	aNow, bNow, left  = "AX", "BX", "CX"  // run along a and b; steps of k that are left
	cPtr, cRow        = "DI", "SI"        // c and its row in bytes
	aPtr, aRow, aRow3 = "R8", "R9", "R13" // a, a step of k in bytes, three of them
	bPtr, bPanel      = "R10", "R11"
	kCount            = "R12"
	nextPtr           = "R14"
	prefetchC, row3   = "R15", "R15" // while multiplying; while storing
	rowsLeft, bFar    = "DX", "DX"   // while C is fetched; b from panel 4 on

	// While storing.
	cRow4, maskAt, maskBits, columnsLeft = "BX", "AX", "AX", "CX"

	// With a second left operand: what is in them otherwise comes from memory.
	yPtr, yRow = aPtr, kCount

	// At the start.
	rowsInAll = "AX"
)

// arguments notes where the arguments of a function are, 8 bytes each.
func (g *products) arguments(names ...string) (bytes int) {
	g.args = map[string]string{}
	for i, n := range names {
		g.args[n] = fmt.Sprintf("%s+%d(FP)", n, 8*i)
	}
	return 8 * len(names)
}

// load takes arguments into registers, strides in bytes of elements.
func (g *products) load(names, registers []string) {
	for i, n := range names {
		g.op("MOVQ", g.args[n], registers[i])
	}
	for _, r := range registers {
		if r == aRow || r == bPanel || r == cRow {
			g.op("SHLQ", shiftOf(g.size), r)
		}
	}
	g.op("LEAQ", memIndex(0, aRow, aRow, 2), aRow3)
}

// generate prints the function of all m, n and k:
//
//	alpha·s into c, added or overwriting, or for float32 s added to float64 sums
func (g *products) generate() {
	letter := map[int]string{8: "d", 4: "s"}[g.size]
	name := fmt.Sprintf("%sgemm%dx%d%s", letter, g.mr, g.width(), g.isa)
	t := g.elem // alpha fills eight bytes of the arguments in both types
	bytes := g.arguments("m", "n", "k", "alpha", "a", "lda", "b", "bStride", "c", "ldc", "mode", "next")
	g.fn(name, fmt.Sprintf("func %s(m, n, k int, alpha %s, a *%s, lda int, b *%s, bStride int, c unsafe.Pointer, ldc int, mode int, next *%s)",
		name, t, t, t, t), 0, bytes)
	g.load([]string{"k", "a", "lda", "b", "bStride", "c", "ldc", "next"}, []string{kCount, aPtr, aRow, bPtr, bPanel, cPtr, cRow, nextPtr})
	if g.size == 4 {
		g.comment("float64 sums have rows twice as long")
		single := g.label("single")
		g.op("CMPQ", g.args["mode"], 2)
		g.op("JNE", single)
		g.op("SHLQ", 1, cRow)
		g.place(single)
	}
	g.byRows()
}

// byRows prints the tiles of every number of rows.
func (g *products) byRows() {
	g.op("MOVQ", g.args["m"], rowsInAll)
	labels := make([]string, g.mr+1)
	for m := g.mr; m > 1; m-- {
		labels[m] = g.label(fmt.Sprintf("rows%dx", m))
		g.op("CMPQ", rowsInAll, m)
		g.op("JEQ", labels[m])
	}
	for m := 1; m <= g.mr; m++ {
		if m > 1 {
			g.place(labels[m])
		}
		g.rows(m)
	}
}

// generateWith prints the function of all n and k that adds the products of MR
// rows of a to c and those of two rows of y to sums, both float64.
func (g *products) generateWith() {
	letter := map[int]string{8: "d", 4: "s"}[g.size]
	name := fmt.Sprintf("%sgemm%dx%dWith2%s", letter, g.mr, g.width(), g.isa)
	t := g.elem
	bytes := g.arguments("n", "k", "alpha", "a", "lda", "y", "ldy", "b", "bStride", "c", "ldc", "sums", "ldSums", "mode", "next")
	g.fn(name, fmt.Sprintf("func %s(n, k int, alpha %s, a *%s, lda int, y *%s, ldy int, b *%s, bStride int, c unsafe.Pointer, ldc int, sums unsafe.Pointer, ldSums int, mode int, next *%s)",
		name, t, t, t, t, t), 0, bytes)
	g.load([]string{"lda", "b", "bStride", "c", "ldc", "next"}, []string{aRow, bPtr, bPanel, cPtr, cRow, nextPtr})
	if g.size == 4 {
		g.op("SHLQ", 1, cRow)
	}
	g.with = 2
	g.rows(g.mr)
	g.with = 0
}

// rows prints the loop over the panels of a tile of m rows.
func (g *products) rows(m int) {
	partial, done := g.label("partial"), g.label("done")
	for w := g.wide(m); w >= 1; w /= 2 {
		loop, fewer := g.label("panels"), partial
		if w > 1 {
			fewer = g.label("fewer")
		}
		g.op("CMPQ", g.args["n"], w*g.panel())
		g.op("JLT", fewer)
		g.place(loop)
		g.block(block{m + g.with, g.vecs, w}, false)
		g.advance(w)
		g.op("CMPQ", g.args["n"], w*g.panel())
		g.op("JGE", loop)
		if w > 1 {
			g.place(fewer)
		}
	}
	g.place(partial)
	g.op("CMPQ", g.args["n"], 0)
	g.op("JEQ", done)
	for v := 1; v <= g.vecs; v++ {
		more := g.label("wider")
		if v < g.vecs {
			g.op("CMPQ", g.args["n"], v*g.lanes)
			g.op("JGT", more)
		}
		g.block(block{m + g.with, v, 1}, true)
		if v < g.vecs {
			g.op("JMP", done)
			g.place(more)
		}
	}
	g.place(done)
	g.op("VZEROUPPER")
	g.op("RET")
}

// advance moves on by w panels.
func (g *products) advance(w int) {
	for range w {
		g.op("ADDQ", bPanel, bPtr)
	}
	g.op("ADDQ", w*g.panel()*g.size, cPtr)
	if g.whole != "" {
		g.op("ADDQ", w*g.panel()*g.size, cPtr)
	} else if g.size == 4 {
		double := g.label("single")
		g.op("CMPQ", g.args["mode"], 2)
		g.op("JNE", double)
		g.op("ADDQ", w*g.panel()*g.size, cPtr)
		g.place(double)
	}
	if g.with > 0 {
		g.op("ADDQ", w*g.panel()*8, g.args["sums"])
	}
	g.op("SUBQ", w*g.panel(), g.args["n"])
}

// block prints one tile: the chains over k, then the update of C.
func (g *products) block(t block, partial bool) {
	columns := t.vecs * t.wide
	acc := func(i, j int) string { return g.r(i*columns + j) }
	free := t.m * columns // first register without an accumulator
	b := func(j int) string { return g.r(free + j) }
	fromMemory, bRegs := g.needs(t) == free+1, columns
	if fromMemory {
		bRegs = 0
	}
	casts := min(g.regs-g.needs(t)+1-g.terms(t), 6) // broadcasts under way
	beside, columnsOf := "", ""
	if g.with > 0 {
		beside = fmt.Sprintf(", %d of them of y", g.with)
	}
	if partial {
		columnsOf = ", the last columns"
	}
	g.comment("Tile of %d rows%s by %d vectors of %d panels%s: clear the accumulators.", t.m, beside, t.vecs, t.wide, columnsOf)
	for i := range t.m {
		for j := range columns {
			if g.whole != quads {
				clearReg(g.file, acc(i, j))
			}
		}
	}
	if g.with > 0 {
		g.op("MOVQ", g.args["a"], aNow)
		g.op("MOVQ", g.args["y"], yPtr)
		g.op("MOVQ", g.args["ldy"], yRow)
		g.op("SHLQ", shiftOf(g.size), yRow)
	} else {
		g.op("MOVQ", aPtr, aNow)
	}
	g.op("MOVQ", bPtr, bNow)
	if t.wide > 2 {
		g.op("LEAQ", memIndex(0, bPanel, bPanel, 2), row3) // three panels
	}
	if t.wide > 4 {
		g.op("LEAQ", memIndex(0, bNow, bPanel, 4), bFar)
	}
	bAt := func(u, j int) string {
		offset := (u*g.panel() + j%t.vecs*g.lanes) * g.size
		base := bNow
		if j/t.vecs >= 4 {
			base = bFar
		}
		switch j / t.vecs % 4 {
		case 1, 2:
			return memIndex(offset, base, bPanel, j/t.vecs%4)
		case 3:
			return memIndex(offset, base, row3, 1)
		}
		return mem(offset, base)
	}
	onward := func(steps int) {
		g.op("ADDQ", steps*g.panel()*g.size, bNow)
		if t.wide > 4 {
			g.op("ADDQ", steps*g.panel()*g.size, bFar)
		}
	}
	step := func(u int) {
		if !fromMemory {
			for j := range columns {
				g.op("VMOVU"+g.p, bAt(u, j), b(j))
			}
		}
		for i := range t.m {
			a := mem(i*g.size, aNow)
			switch u {
			case 1, 2:
				a = memIndex(i*g.size, aNow, aRow, u)
			case 3:
				a = memIndex(i*g.size, aNow, aRow3, 1)
			}
			if i >= t.m-g.with {
				a = mem((i-t.m+g.with)*g.size, yPtr)
			}
			x := g.r(free + bRegs + i%casts)
			g.broadcast(a, x)
			for j := range columns {
				from := b(j)
				if fromMemory {
					from = bAt(u, j)
				}
				g.multiply(from, x, acc(i, j), g.r(free+bRegs+casts+(i*columns+j)%max(1, g.terms(t))))
			}
		}
		if g.with > 0 {
			g.op("ADDQ", yRow, yPtr)
		}
	}
	count := func() {
		if g.with > 0 {
			g.op("MOVQ", g.args["k"], left)
		} else {
			g.op("MOVQ", kCount, left)
		}
	}
	four := func(warmC bool) {
		for u := range 4 {
			step(u)
			if u == 2 {
				g.op("PREFETCHT1", mem(0, nextPtr))
				g.op("ADDQ", 64, nextPtr)
			}
			if warmC && 64*u < columns*g.lanes*8 {
				g.op("PREFETCHT0", mem(64*u, prefetchC))
			}
		}
		g.op("LEAQ", memIndex(0, aNow, aRow, 4), aNow)
		onward(4)
	}
	if g.whole == quads {
		g.starts(t, acc, bAt)
	}
	fours, singles, store := g.label("fours"), g.label("singles"), g.label("store")
	count()
	g.op("SHRQ", 2, left)
	g.comment("Four steps of k at a time.")
	if t.wide > g.across {
		for i := range t.m {
			for j := range columns {
				g.op("PREFETCHT0", g.cAt(i, j*g.bytes(), true))
			}
		}
		g.op("TESTQ", left, left)
		g.op("JZ", singles)
	} else {
		// The tile of C comes from afar: fetch it one row per four steps, so
		// that misses never crowd out the loads of a and b.
		warm := g.label("warm")
		g.op("TESTQ", left, left)
		g.op("JZ", singles)
		g.op("MOVQ", cPtr, prefetchC)
		g.op("MOVQ", t.m-g.with, rowsLeft)
		g.op("PCALIGN", 32)
		g.place(warm)
		four(true)
		g.op("ADDQ", cRow, prefetchC)
		g.op("DECQ", left)
		g.op("JZ", singles)
		g.op("DECQ", rowsLeft)
		g.op("JNZ", warm)
	}
	g.op("PCALIGN", 32)
	g.place(fours)
	four(false)
	g.op("DECQ", left)
	g.op("JNZ", fours)
	g.place(singles)
	g.comment("The steps of k that are left.")
	count()
	g.op("ANDQ", 3, left)
	g.op("JZ", store)
	single := g.label("single")
	g.place(single)
	step(0)
	g.op("ADDQ", aRow, aNow)
	onward(1)
	g.op("DECQ", left)
	g.op("JNZ", single)
	g.place(store)
	g.store(t, acc, free, partial)
}

// cAt is column byte offset of row i of C. cRow4 must hold row 4, row3 three rows
// unless early is set, which serves the first three rows only. Rows from MR on
// are the sums of a second left operand.
func (g *products) cAt(i, offset int, early bool) string {
	switch i {
	case g.mr:
		return mem(offset, yPtr)
	case g.mr + 1:
		return memIndex(offset, yPtr, yRow, 1)
	}
	base := cPtr
	if i >= 4 {
		base = cRow4
	}
	switch i % 4 {
	case 1, 2:
		return memIndex(offset, base, cRow, i%4)
	case 3:
		if early {
			panic("gemm: row 3 has no address yet")
		}
		return memIndex(offset, base, row3, 1)
	}
	return mem(offset, base)
}

// store updates C from the accumulators.
func (g *products) store(t block, acc func(i, j int) string, free int, partial bool) {
	g.op("LEAQ", memIndex(0, cRow, cRow, 2), row3)
	if t.m > 4 {
		g.op("LEAQ", memIndex(0, cPtr, cRow, 4), cRow4)
	}
	if g.with > 0 {
		g.op("MOVQ", g.args["sums"], yPtr)
		g.op("MOVQ", g.args["ldSums"], yRow)
		g.op("SHLQ", 3, yRow)
	}
	columns := t.vecs * t.wide
	overwrite, sums, end := g.label("overwrite"), g.label("sums"), g.label("end")
	alpha, x := g.r(free), g.r(free+1)
	if g.whole != "" {
		g.storeSums(columns, t, acc, free, x, partial)
		return
	}
	g.op("CMPQ", g.args["mode"], 1)
	g.op("JEQ", overwrite)
	if g.size == 4 {
		g.op("JGT", sums)
	}
	g.comment("c = fma(alpha, s, c)")
	if partial {
		g.masks(t.vecs, g.size)
	}
	g.op("VBROADCAST"+g.s, g.args["alpha"], alpha)
	for j := range columns {
		mask := g.mask(j, x, partial, g.size)
		for i := range t.m {
			c := g.cAt(i, j*g.bytes(), false)
			switch {
			case !partial:
				g.op("VFMADD213"+g.p, c, alpha, acc(i, j))
				g.op("VMOVU"+g.p, acc(i, j), c)
			case g.masked:
				g.op("VFMADD213"+g.p, c, alpha, mask, acc(i, j))
				g.op("VMOVU"+g.p, acc(i, j), mask, c)
			default:
				y := g.r(free + 2)
				g.op("VMASKMOV"+g.p, c, mask, y)
				g.op("VFMADD213"+g.p, y, alpha, acc(i, j))
				g.op("VMASKMOV"+g.p, acc(i, j), mask, c)
			}
		}
	}
	g.op("JMP", end)

	g.place(overwrite)
	g.comment("c = alpha*s")
	if partial {
		g.masks(t.vecs, g.size)
	}
	g.op("VBROADCAST"+g.s, g.args["alpha"], alpha)
	for j := range columns {
		mask := g.mask(j, x, partial, g.size)
		for i := range t.m {
			c := g.cAt(i, j*g.bytes(), false)
			g.op("VMUL"+g.p, acc(i, j), alpha, acc(i, j))
			switch {
			case !partial:
				g.op("VMOVU"+g.p, acc(i, j), c)
			case g.masked:
				g.op("VMOVU"+g.p, acc(i, j), mask, c)
			default:
				g.op("VMASKMOV"+g.p, acc(i, j), mask, c)
			}
		}
	}
	if g.size == 4 {
		g.op("JMP", end)
		g.place(sums)
		g.storeSums(columns, t, acc, free, x, partial)
	}
	g.place(end)
}

// storeSums adds the accumulators to float64 sums.
func (g *products) storeSums(columns int, t block, acc func(i, j int) string, free int, x string, partial bool) {
	convert, unit := "VCVTPS2PD", g.r(free+3)
	if g.whole != "" {
		convert = "VCVTDQ2PD"
		g.op("VBROADCASTSD", g.args["unit"], unit)
	}
	add := func(c, half, mask string) {
		operands := []any{c, half, half}
		name := "VADDPD"
		if g.whole != "" {
			name, operands = "VFMADD213PD", []any{c, unit, half}
		}
		if mask != "" {
			operands = append(operands[:2], mask, half)
		}
		g.op(name, operands...)
	}
	g.comment("c += s in float64")
	if partial {
		g.masks(t.vecs, 8)
	}
	for j := range 2 * columns { // halves of vectors
		mask := g.mask(j, x, partial, 8)
		for i := range t.m {
			c := g.cAt(i, j*g.bytes(), false)
			half, lower := g.r(free), acc(i, j/2)[1:]
			if j%2 == 1 {
				if g.masked {
					g.op("VEXTRACTF64X4", 1, "Z"+lower, "Y"+half[1:])
				} else {
					g.op("VEXTRACTF128", 1, "Y"+lower, "X"+half[1:])
				}
				lower = half[1:]
			}
			if g.masked {
				g.op(convert, "Y"+lower, half)
			} else {
				g.op(convert, "X"+lower, half)
			}
			switch {
			case !partial:
				add(c, half, "")
				g.op("VMOVUPD", half, c)
			case g.masked:
				add(c, half, mask)
				g.op("VMOVUPD", half, mask, c)
			default:
				y := g.r(free + 2)
				g.op("VMASKMOVPD", c, mask, y)
				add(y, half, "")
				g.op("VMASKMOVPD", half, mask, c)
			}
		}
	}
}

// masks prepares the masks of a last panel of n < Panel columns of C, whose
// elements have size bytes: opmasks, or the address of a vector of −1s that ends.
func (g *products) masks(vecs, size int) {
	g.op("MOVQ", g.args["n"], columnsLeft)
	if !g.masked {
		shift := shiftOf(size)
		g.op("SHLQ", shift, columnsLeft)
		g.op("LEAQ", fmt.Sprintf("·columnMask%d+%d(SB)", 8*size, 24*size), maskAt)
		g.op("SUBQ", columnsLeft, maskAt)
		return
	}
	lanes := 64 / size
	g.op("MOVQ", 1, maskBits)
	g.op("SHLQ", columnsLeft, maskBits)
	g.op("DECQ", maskBits)
	for j := range vecs * size / g.size {
		if j > 0 {
			g.op("SHRQ", lanes, maskBits)
		}
		if lanes == 8 {
			g.op("KMOVB", maskBits, fmt.Sprint("K", j+1))
		} else {
			g.op("KMOVW", maskBits, fmt.Sprint("K", j+1))
		}
	}
}

// mask is the mask of vector j of a partial panel, in x if that is a vector.
func (g *products) mask(j int, x string, partial bool, size int) string {
	if !partial {
		return ""
	}
	if g.masked {
		return fmt.Sprint("K", j+1)
	}
	g.op("VMOVUPS", mem(j*32, maskAt), x)
	return x
}

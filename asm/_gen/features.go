package main

import (
	"fmt"
	"math"
	"slices"
)

// The feature kernels: one function per instruction set, element type and
// number of rows, which takes a strip of rows through all panels of W. After
// the projection, which they share, it branches to the epilogue of its Func,
// which leaves the weighted features in the accumulators, and from there to
// plain stores, non-temporal stores, or the accumulation of scores.

// A simd is an instruction set as the feature kernels see it.
type simd struct {
	isa   string // as in the names of functions
	reg   string // Z or Y
	regs  int    // vector registers
	bytes int    // of a vector
	vecs  int    // vectors of a panel of W
	whole int    // vectors of a panel of the output
	tiles []tile
}

// A tile is what a kernel keeps in registers: rows × panels of W (one panel at a
// time where fewer are left).
type tile struct{ rows, panels int }

var (
	avx512 = simd{"AVX512", "Z", 32, 64, 2, 1, []tile{{8, 1}, {4, 2}, {1, 4}}}
	avx2   = simd{"AVX2", "Y", 16, 32, 3, 3, []tile{{4, 1}, {1, 4}}}
)

// Offsets in the struct strip of package asm.
const (
	offX = 8 * iota
	offLDX
	offD
	offW
	offPanels
	offPhase
	offWeight
	offWeight2
	offZ
	offZ2
	offRowStride
	offPanelStride
	offFunc
	offCoef
	offMode
	offY
	offLDY
	offTargets
	offAcc
	offAcc2
	offLDAcc
	offStrips
	offStripStride
	offLeft
	offPendZ
	offPendCol
	offPendY
	offHold
	offColumns
	offColNow
	offZNow
	offApart
)

// Values of strip.mode.
const (
	modeStore = iota
	modeStream
	modeScores
	modeStreamSines // pipelined kernels alone: the others store
	modePartial     // pipelined kernels alone: store some columns of a panel
)

// Values of asm.Func.
const (
	fnCos = iota
	fnCosSin
	fnLinear
	fnArcCos0
	fnArcCos1
	fnArcCos2
)

func init() {
	for _, a := range []struct {
		simd
		file string
	}{{avx512, "features_avx512_amd64.s"}, {avx2, "features_avx2_amd64.s"}} {
		add(a.file, func(f *file) {
			for _, t := range types {
				k := &kernel{file: f, simd: a.simd, typ: t}
				k.constants()
				for _, s := range a.tiles {
					k.features(s)
				}
				if k.wide() {
					for _, n := range flowInputs {
						k.flow(n)
					}
				}
				k.apply()
				k.peak()
			}
		})
	}
}

// A kernel is a kernel function in the making. General registers, in features:
//
//	DI  the strip            CX  panels left
//	SI  W of this panel      R13 offset of this panel in Phase and Weight
//	AX  z of row 0 (but see zRegister)
//
// and for the moment: DX, BX, R8–R12, R14, R15.
type kernel struct {
	*file
	simd
	typ
	tile
	acc  []string // accumulators, by row, panel and vector
	temp []string // the other vector registers
	offs map[string]int

	elementwise bool // apply, not features
}

// use divides the vector registers between n accumulators and temporaries.
func (k *kernel) use(n int) {
	k.acc, k.temp = nil, nil
	for i := range k.regs {
		r := fmt.Sprintf("%s%d", k.reg, i)
		if i < n {
			k.acc = append(k.acc, r)
		} else {
			k.temp = append(k.temp, r)
		}
	}
}

// release is the cycle in which the projection in a register is done, relative
// to the first: two vectors a cycle.
func (k *kernel) release(reg string) int {
	return max(0, slices.Index(k.acc, reg)) / 2
}

func (k *kernel) wide() bool    { return k.bytes == 64 }
func (k *kernel) width() int    { return k.vecs * k.bytes } // of a panel, in bytes
func (k *kernel) table() string { return "const" + k.isa + k.short }

// fp prints a packed floating-point instruction of the element type.
func (k *kernel) fp(name string, operands ...any) { k.op(name+k.p, operands...) }

// integer prints a packed integer instruction on lanes of the element's size.
func (k *kernel) integer(name string, operands ...any) {
	if k.size == 8 {
		k.op(name+"Q", operands...)
	} else {
		k.op(name+"D", operands...)
	}
}

// konst prints an instruction whose first operand (after immediates) is a
// constant of the table, broadcast where the instruction set can.
func (k *kernel) konst(name, c string, operands ...any) {
	off, ok := k.offs[c]
	if !ok {
		panic("no constant " + c)
	}
	if k.wide() {
		name += ".BCST"
	}
	at := fmt.Sprintf("·%s+%d(SB)", k.table(), off)
	if len(operands) > 0 {
		if imm, ok := operands[0].(int); ok {
			k.op(name, append([]any{imm, at}, operands[1:]...)...)
			return
		}
	}
	k.op(name, append([]any{at}, operands...)...)
}

// set loads a constant into all lanes of a register.
func (k *kernel) set(c, to string) {
	if k.wide() {
		k.op("VBROADCAST"+k.s, fmt.Sprintf("·%s+%d(SB)", k.table(), k.offs[c]), to)
	} else {
		k.konst("VMOVU"+k.p, c, to)
	}
}

// constants emits the table of constants: single elements for AVX-512, which
// broadcasts them, whole vectors for AVX2.
func (k *kernel) constants() {
	k.offs = map[string]int{}
	var values []string
	repeat := 1
	if !k.wide() {
		repeat = k.bytes / k.size
	}
	put := func(name, bits string) {
		k.offs[name] = len(values) * repeat * k.size
		values = append(values, bits)
	}
	put("sign", k.bits(math.Copysign(0, -1)))
	put("quarter", k.bits(0.25))
	put("half", k.bits(0.5))
	// Added to |f| ≤ ½ it rounds to quarters and leaves their number in the low bits.
	put("magic", k.bits(1.5*math.Ldexp(1, k.mant-2)))
	put("one", "$1")
	k.words(k.table(), k.size, repeat, values...)
}

// rowBases points R8, R9, … at rows 0, 3, 6, … from R8 on, stride apart, and
// clobbers nothing else; rowAt addresses one of them.
func (k *kernel) rowBases(stride string) {
	for b := 1; 3*b < k.rows; b++ {
		k.op("LEAQ", memIndex(0, fmt.Sprint("R", 7+b), stride, 2), fmt.Sprint("R", 8+b))
		k.op("ADDQ", stride, fmt.Sprint("R", 8+b))
	}
}

func rowAt(first, row, off int, stride string) string {
	base := fmt.Sprint("R", 8+first+row/3)
	if row%3 == 0 {
		return mem(off, base)
	}
	return memIndex(off, base, stride, row%3)
}

func (k *kernel) bases() int { return (k.rows + 2) / 3 }

func (k *kernel) features(t tile) {
	name := fmt.Sprintf("features%d%s%s", t.rows, k.isa, k.short)
	k.fn(name, fmt.Sprintf("func %s(s *strip)", name), 0, 8)
	k.op("MOVQ", "s+0(FP)", "DI")
	k.op("MOVQ", mem(offW, "DI"), "SI")
	k.op("MOVQ", mem(offPanels, "DI"), "CX")
	k.startZ()
	k.op("XORQ", "R13", "R13")
	done := k.label("done")
	for panels := t.panels; ; panels = 1 {
		next := done
		if panels > 1 {
			next = k.label("fewer")
		}
		loop := k.label("panels")
		k.place(loop)
		k.op("CMPQ", "CX", fmt.Sprint("$", panels))
		k.op("JLT", next)
		k.tile = tile{t.rows, panels}
		k.use(t.rows * panels * k.vecs)
		k.project()
		k.finish(loop)
		if panels == 1 {
			break
		}
		k.place(next)
	}
	k.place(done)
	k.op("VZEROUPPER")
	k.op("RET")
}

// startZ begins at the first panel of the output.
func (k *kernel) startZ() {
	k.op("MOVQ", mem(offZ, "DI"), "AX")
	k.op("MOVQ", "AX", mem(offZNow, "DI"))
	k.op("MOVQ", mem(offZ2, "DI"), "DX")
	k.op("SUBQ", "AX", "DX")
	k.op("MOVQ", "DX", mem(offApart, "DI"))
}

// each calls do for every accumulator.
func (k *kernel) each(do func(i, row, panel, vec int)) {
	i := 0
	for r := range k.rows {
		for p := range k.panels {
			for v := range k.vecs {
				do(i, r, p, v)
				i++
			}
		}
	}
}

// project leaves the projections in the accumulators and SI at the next panel.
func (k *kernel) project() {
	k.op("MOVQ", mem(offPhase, "DI"), "DX")
	across := k.panels * k.vecs
	k.each(func(i, r, p, v int) {
		if r == 0 {
			k.fp("VMOVU", memIndex((p*k.vecs+v)*k.bytes, "DX", "R13", 1), k.acc[i])
		} else {
			k.fp("VMOVA", k.acc[i%across], k.acc[i])
		}
	})
	start := k.label("epilogue")
	k.op("MOVQ", mem(offX, "DI"), "R8")
	k.op("MOVQ", mem(offLDX, "DI"), "R12")
	k.op("MOVQ", mem(offD, "DI"), "DX")
	k.rowBases("R12")
	w := []string{"SI"}
	if k.panels > 1 {
		k.op("IMUL3Q", k.width(), "DX", "R15")
		for p := 1; p < k.panels; p++ {
			r := fmt.Sprint("R", 8+k.bases()+p-1)
			k.op("LEAQ", memIndex(0, w[p-1], "R15", 1), r)
			w = append(w, r)
		}
	}
	k.op("TESTQ", "DX", "DX")
	k.op("JZ", start)
	// The loop leaves the last inputs to code that finishes the first half of
	// the rows before the second, so that the epilogue of the first rows can
	// start while multiply-adds are left to do.
	loop, last := k.label("inputs"), k.label("last")
	tail := 3
	if k.rows == 1 {
		tail = 0
	}
	if tail > 0 {
		k.op("SUBQ", tail, "DX")
		k.op("JLE", last)
	}
	k.op("PCALIGN", 32)
	k.place(loop)
	k.input(w, 0, 0, k.rows)
	k.advance(w, 1)
	k.op("DECQ", "DX")
	k.op("JNZ", loop)
	if tail > 0 {
		k.place(last)
		few, half := k.label("few"), k.rows/2
		k.op("JNE", few)
		for i := range tail {
			k.input(w, i, 0, half)
		}
		for i := range tail {
			k.input(w, i, half, k.rows)
		}
		k.advance(w, tail)
		k.op("JMP", start)
		k.place(few)
		k.op("ADDQ", tail, "DX")
		loop := k.label("inputs")
		k.place(loop)
		k.input(w, 0, 0, k.rows)
		k.advance(w, 1)
		k.op("DECQ", "DX")
		k.op("JNZ", loop)
		k.place(start)
	}
	if tail == 0 {
		k.place(start)
	}
	if k.panels > 1 {
		k.op("MOVQ", w[k.panels-1], "SI")
	}
}

// input adds the products of input number i from here, for some rows.
func (k *kernel) input(w []string, i, first, end int) {
	across := k.panels * k.vecs
	if k.rows == 1 {
		k.op("VBROADCAST"+k.s, rowAt(0, 0, i*k.size, "R12"), k.temp[0])
		k.each(func(a, r, p, v int) {
			k.fp("VFMADD231", mem(i*k.width()+v*k.bytes, w[p]), k.temp[0], k.acc[a])
		})
		return
	}
	for c := range across {
		k.fp("VMOVU", mem(i*k.width()+c%k.vecs*k.bytes, w[c/k.vecs]), k.temp[c])
	}
	x := k.temp[across:]
	for r := first; r < end; r++ {
		xr := x[r%len(x)]
		k.op("VBROADCAST"+k.s, rowAt(0, r, i*k.size, "R12"), xr)
		for c := range across {
			k.fp("VFMADD231", k.temp[c], xr, k.acc[r*across+c])
		}
	}
}

// advance goes n inputs on.
func (k *kernel) advance(w []string, n int) {
	for b := range k.bases() {
		k.op("ADDQ", n*k.size, fmt.Sprint("R", 8+b))
	}
	for _, r := range w {
		k.op("ADDQ", n*k.width(), r)
	}
}

// spread is the number of panels of the output that a tile spreads over.
func (k *kernel) spread() int { return k.panels * k.vecs / k.whole }

// tall reports whether addresses take every register: then z is kept in memory.
func (k *kernel) tall() bool { return k.rows == 8 && k.spread() == 2 }

// zRegister is where z of the tile's first panel is kept.
func (k *kernel) zRegister() string {
	if k.tall() {
		return mem(offZNow, "DI")
	}
	return "AX"
}

// pointZ prepares the addresses of the outputs of this tile (of z2 with second set),
// which zAt gives. Registers: in one panel and in tall tiles, the rows 0, 3 and 6 of
// each panel and, in BX, their stride; otherwise every row, BX for the next panel and
// R14 for the third.
func (k *kernel) pointZ(second bool) {
	k.op("MOVQ", k.zRegister(), "R8")
	if second {
		k.op("ADDQ", mem(offApart, "DI"), "R8")
	}
	k.op("MOVQ", mem(offRowStride, "DI"), "BX")
	switch {
	case k.spread() == 1:
		k.rowBases("BX")
		return
	case k.tall():
		k.rowBases("BX")
		k.op("MOVQ", mem(offPanelStride, "DI"), "R11")
		k.op("LEAQ", memIndex(0, "R10", "R11", 1), "AX")
		k.op("LEAQ", memIndex(0, "R9", "R11", 1), "R14")
		k.op("ADDQ", "R8", "R11")
		return
	}
	for r := 1; r < k.rows; r++ {
		k.op("LEAQ", memIndex(0, fmt.Sprint("R", 7+r), "BX", 1), fmt.Sprint("R", 8+r))
	}
	k.op("MOVQ", mem(offPanelStride, "DI"), "BX")
	if k.spread() > 3 {
		k.op("LEAQ", memIndex(0, "BX", "BX", 2), "R14")
	}
	if k.spread() > 4 {
		k.op("LEAQ", memIndex(0, "R8", "BX", 4), "R9")
	}
}

// zAt addresses vector c of a row of the tile.
func (k *kernel) zAt(row, c int) string {
	panel, off := c/k.whole, c%k.whole*k.bytes
	if k.spread() == 1 || k.tall() {
		base := []string{"R8", "R9", "R10", "R11", "R14", "AX"}[3*panel+row/3]
		if row%3 == 0 {
			return mem(off, base)
		}
		return memIndex(off, base, "BX", row%3)
	}
	base := fmt.Sprint("R", 8+row)
	if panel >= 4 {
		base, panel = "R9", panel-4
	}
	switch panel {
	case 1, 2:
		return memIndex(off, base, "BX", panel)
	case 3:
		return memIndex(off, base, "R14", 1)
	}
	return mem(off, base)
}

// finish applies the function, stores or accumulates, and goes on to loop.
func (k *kernel) finish(loop string) {
	var items []item
	k.each(func(i, r, p, v int) {
		col := (p*k.vecs + v) * k.bytes
		items = append(items, item{k.acc[i], memIndex(col, "DX", "R13", 1),
			memIndex(col, "R12", "R13", 1), k.zAt(r, p*k.vecs+v)})
	})
	k.epilogues(items, func() { k.pointZ(true) })
	advance, same := k.label("advance"), k.label("next")
	stream, scores := k.label("stream"), k.label("scores")
	k.op("MOVQ", mem(offMode, "DI"), "DX")
	k.op("CMPQ", "DX", fmt.Sprint("$", modeScores))
	k.op("JEQ", scores)
	k.pointZ(false)
	k.op("CMPQ", "DX", fmt.Sprint("$", modeStream))
	k.op("JEQ", stream)
	k.each(func(i, r, p, v int) { k.fp("VMOVU", k.acc[i], k.zAt(r, p*k.vecs+v)) })
	k.place(advance)
	k.op("MOVQ", mem(offPanelStride, "DI"), "DX")
	for range k.spread() {
		k.op("ADDQ", "DX", k.zRegister())
	}
	k.place(same)
	k.op("ADDQ", k.panels*k.width(), "R13")
	k.op("SUBQ", k.panels, "CX")
	k.op("JMP", loop)
	k.place(stream)
	k.each(func(i, r, p, v int) { k.fp("VMOVNT", k.acc[i], k.zAt(r, p*k.vecs+v)) })
	k.op("JMP", advance)
	k.place(scores)
	k.accumulate(offAcc)
	k.op("CMPQ", mem(offFunc, "DI"), fmt.Sprint("$", fnCosSin))
	k.op("JNE", same)
	k.comment("The sines wait in the scratch tile.")
	k.pointZ(true)
	k.each(func(i, r, p, v int) { k.fp("VMOVU", k.zAt(r, p*k.vecs+v), k.acc[i]) })
	k.accumulate(offAcc2)
	k.op("JMP", same)
}

// accumulate adds the tile in the accumulators, times y, to the sums of every
// target: row after row, as one fused chain per column.
func (k *kernel) accumulate(off int) {
	k.op("MOVQ", mem(off, "DI"), "DX")
	k.op("ADDQ", "R13", "DX")
	k.op("MOVQ", mem(offLDAcc, "DI"), "BX")
	k.op("MOVQ", mem(offTargets, "DI"), "R15")
	k.op("MOVQ", mem(offY, "DI"), "R8")
	k.op("MOVQ", mem(offLDY, "DI"), "R12")
	k.rowBases("R12")
	loop := k.label("targets")
	k.place(loop)
	for p := range k.panels {
		for v := range k.vecs {
			k.fp("VMOVU", mem((p*k.vecs+v)*k.bytes, "DX"), k.temp[v])
		}
		y := k.temp[k.vecs:]
		for r := range k.rows {
			k.op("VBROADCAST"+k.s, rowAt(0, r, 0, "R12"), y[r%len(y)])
			for v := range k.vecs {
				k.fp("VFMADD231", k.acc[(r*k.panels+p)*k.vecs+v], y[r%len(y)], k.temp[v])
			}
		}
		for v := range k.vecs {
			k.fp("VMOVU", k.temp[v], mem((p*k.vecs+v)*k.bytes, "DX"))
		}
	}
	for b := range k.bases() {
		k.op("ADDQ", k.size, fmt.Sprint("R", 8+b))
	}
	k.op("ADDQ", "BX", "DX")
	k.op("DECQ", "R15")
	k.op("JNZ", loop)
}

// apply is the epilogues alone, on projections in memory; strip.panels counts
// single vectors, strip.x points to the projections.
func (k *kernel) apply() {
	name := fmt.Sprintf("apply%s%s", k.isa, k.short)
	k.fn(name, fmt.Sprintf("func %s(s *strip)", name), 0, 8)
	k.op("MOVQ", "s+0(FP)", "DI")
	k.op("MOVQ", mem(offPanels, "DI"), "CX")
	k.op("MOVQ", mem(offZ, "DI"), "AX")
	k.op("XORQ", "R13", "R13")
	k.elementwise = true
	defer func() { k.elementwise = false }()
	done := k.label("done")
	for vecs := 4; ; vecs = 1 {
		next := done
		if vecs > 1 {
			next = k.label("fewer")
		}
		loop := k.label("vectors")
		k.place(loop)
		k.op("CMPQ", "CX", fmt.Sprint("$", vecs))
		k.op("JLT", next)
		k.use(vecs)
		k.op("MOVQ", mem(offX, "DI"), "SI")
		k.op("MOVQ", mem(offPhase, "DI"), "DX")
		var items []item
		for i, a := range k.acc {
			k.fp("VMOVU", memIndex(i*k.bytes, "SI", "R13", 1), a)
			k.fp("VADD", memIndex(i*k.bytes, "DX", "R13", 1), a, a)
			items = append(items, item{a, memIndex(i*k.bytes, "DX", "R13", 1),
				memIndex(i*k.bytes, "R12", "R13", 1), memIndex(i*k.bytes, "R8", "R13", 1)})
		}
		k.epilogues(items, func() { k.op("MOVQ", mem(offZ2, "DI"), "R8") })
		for i, a := range k.acc {
			k.fp("VMOVU", a, memIndex(i*k.bytes, "AX", "R13", 1))
		}
		k.op("ADDQ", vecs*k.bytes, "R13")
		k.op("SUBQ", vecs, "CX")
		k.op("JMP", loop)
		if vecs == 1 {
			break
		}
		k.place(next)
	}
	k.place(done)
	k.op("VZEROUPPER")
	k.op("RET")
}

// peak runs rounds of independent multiply-adds, three quarters of the
// registers wide, and touches no memory.
func (k *kernel) peak() {
	name := fmt.Sprintf("peak%s%s", k.isa, k.short)
	k.fn(name, fmt.Sprintf("func %s(rounds int)", name), 0, 8)
	k.op("MOVQ", "rounds+0(FP)", "CX")
	k.use(k.regs * 3 / 4)
	for _, r := range append(k.acc, k.temp[0]) {
		k.op("VXOR"+k.p, r, r, r)
	}
	loop, done := k.label("rounds"), k.label("done")
	k.op("PCALIGN", 32)
	k.place(loop)
	k.op("SUBQ", 1, "CX")
	k.op("JLT", done)
	for _, r := range k.acc {
		k.fp("VFMADD231", k.temp[0], k.temp[0], r)
	}
	k.op("JMP", loop)
	k.place(done)
	k.op("VZEROUPPER")
	k.op("RET")
}

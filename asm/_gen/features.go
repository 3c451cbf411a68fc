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

func init() {
	for _, a := range []struct {
		simd
		file string
	}{{avx512, "features_avx512_amd64.s"}, {avx2, "features_avx2_amd64.s"}} {
		add(a.file, func(f *file) {
			var entries []string
			for _, t := range types {
				k := &kernel{file: f, simd: a.simd, typ: t}
				k.constants()
				for _, s := range a.tiles {
					k.features(s)
				}
				if k.wide() {
					for _, n := range pipeInputs {
						k.pipelined(n)
					}
				}
				k.apply()
				k.peak()
				for _, name := range []string{"features1", "features4", "features8", "pipelined4", "pipelined8", "apply", "peak"} {
					entries = append(entries, name+k.isa+k.short)
				}
			}
			f.table("strip"+a.isa, "*strip", entries)
		})
	}
}

// A kernel is a kernel function in the making.
type kernel struct {
	*file
	simd
	typ
	tile
	acc  []string          // accumulators, by row, panel and vector
	temp []string          // the other vector registers
	offs map[string]int    // of the constants in their table
	held map[string]string // constants that are in registers

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
// constant of the table: in a register if keep put it there, otherwise from
// memory, broadcast where the instruction set can.
func (k *kernel) konst(name, c string, operands ...any) {
	off, ok := k.offs[c]
	if !ok {
		panic("no constant " + c)
	}
	at := fmt.Sprintf("·%s+%d(SB)", k.table(), off)
	switch r, ok := k.held[c]; {
	case ok:
		at = r
	case k.wide():
		name += ".BCST"
	}
	if len(operands) > 0 {
		if imm, ok := operands[0].(int); ok {
			k.op(name, append([]any{imm, at}, operands[1:]...)...)
			return
		}
	}
	k.op(name, append([]any{at}, operands...)...)
}

// keep loads constants into registers for the konst that follow, and
// returns the registers left.
func (k *kernel) keep(registers []string, constants ...string) []string {
	k.held = map[string]string{}
	for i, c := range constants {
		k.set(c, registers[i])
		k.held[c] = registers[i]
	}
	return registers[len(constants):]
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

// rowBases points row(1), row(2), … at rows 3, 6, … from row(0) on, stride
// apart, and writes nothing else; rowAt addresses one of them.
func (k *kernel) rowBases(stride string) {
	for b := 1; 3*b < k.rows; b++ {
		k.op("LEAQ", memIndex(0, row(b-1), stride, 2), row(b))
		k.op("ADDQ", stride, row(b))
	}
}

func rowAt(first, r, off int, stride string) string {
	base := row(first + r/3)
	if r%3 == 0 {
		return mem(off, base)
	}
	return memIndex(off, base, stride, r%3)
}

func (k *kernel) bases() int { return (k.rows + 2) / 3 }

func (k *kernel) features(t tile) {
	name := fmt.Sprintf("features%d%s%s", t.rows, k.isa, k.short)
	k.member(name, "strip")
	k.op("MOVQ", "s+0(FP)", rStrip)
	k.op("MOVQ", field("w"), rW)
	k.op("MOVQ", field("panels"), rPanels)
	k.startZ()
	k.op("XORQ", rColumn, rColumn)
	done := k.label("done")
	for panels := t.panels; ; panels = 1 {
		next := done
		if panels > 1 {
			next = k.label("fewer")
		}
		loop := k.label("panels")
		k.place(loop)
		k.op("CMPQ", rPanels, fmt.Sprint("$", panels))
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
	k.op("MOVQ", field("z"), rZ)
	k.op("MOVQ", rZ, field("zNow"))
	k.op("MOVQ", field("z2"), rStep)
	k.op("SUBQ", rZ, rStep)
	k.op("MOVQ", rStep, field("apart"))
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

// project leaves the projections in the accumulators and rW at the next panel.
func (k *kernel) project() {
	k.comment("Tile of %d rows by %d panels of W: accumulators start at the phases.", k.rows, k.panels)
	k.op("MOVQ", field("phase"), rPhase)
	across := k.panels * k.vecs
	k.each(func(i, r, p, v int) {
		if r == 0 {
			k.fp("VMOVU", memIndex((p*k.vecs+v)*k.bytes, rPhase, rColumn, 1), k.acc[i])
		} else {
			k.fp("VMOVA", k.acc[i%across], k.acc[i])
		}
	})
	start := k.label("epilogue")
	k.op("MOVQ", field("x"), row(0))
	k.op("MOVQ", field("ldx"), rLDX)
	k.op("MOVQ", field("d"), rInputs)
	k.rowBases(rLDX)
	w := []string{rW}
	if k.panels > 1 {
		k.op("IMUL3Q", k.width(), rInputs, rPanelBytes)
		for p := 1; p < k.panels; p++ {
			r := row(k.bases() + p - 1)
			k.op("LEAQ", memIndex(0, w[p-1], rPanelBytes, 1), r)
			w = append(w, r)
		}
	}
	k.op("TESTQ", rInputs, rInputs)
	k.op("JZ", start)
	differences := k.label("differences")
	k.op("CMPQ", field("terms"), constant("Products"))
	k.op("JNE", differences)
	// The loop leaves the last inputs to code that finishes the first half of
	// the rows before the second, so that the epilogue of the first rows can
	// start while multiply-adds are left to do.
	k.comment("Add the products, input by input.")
	loop, last := k.label("inputs"), k.label("last")
	tail := 3
	if k.rows == 1 {
		tail = 0
	}
	if tail > 0 {
		k.op("SUBQ", tail, rInputs)
		k.op("JLE", last)
	}
	k.op("PCALIGN", 32)
	k.place(loop)
	k.input(w, 0, 0, k.rows)
	k.advance(w, 1)
	k.op("DECQ", rInputs)
	k.op("JNZ", loop)
	if tail > 0 {
		k.place(last)
		k.comment("The last inputs, of the first rows and then of the others.")
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
		k.comment("Fewer inputs than that.")
		k.op("ADDQ", tail, rInputs)
		loop := k.label("inputs")
		k.place(loop)
		k.input(w, 0, 0, k.rows)
		k.advance(w, 1)
		k.op("DECQ", rInputs)
		k.op("JNZ", loop)
	}
	k.op("JMP", start)
	k.place(differences)
	powers := k.label("powers")
	k.op("CMPQ", field("terms"), constant("Differences"))
	k.op("JNE", powers)
	k.differences(w, false)
	k.op("JMP", start)
	k.place(powers)
	k.differences(w, true)
	k.place(start)
	if k.panels > 1 {
		k.op("MOVQ", w[k.panels-1], rW)
	}
}

// differences prints the loop that adds absolute differences, or their powers of 3/2.
func (k *kernel) differences(w []string, powers bool) {
	k.comment("Add the absolute differences, or their powers, input by input.")
	sign, x, temp := k.temp[0], k.temp[1], k.temp[2:]
	k.set("sign", sign)
	loop := k.label("inputs")
	k.place(loop)
	for r := range k.rows {
		k.op("VBROADCAST"+k.s, rowAt(0, r, 0, rLDX), x)
		for c := range k.panels * k.vecs {
			d, root := temp[c%len(temp)], ""
			if powers {
				at := 2 * (c % (len(temp) / 2))
				d, root = temp[at], temp[at+1]
			}
			k.fp("VSUB", mem(c%k.vecs*k.bytes, w[c/k.vecs]), x, d)
			k.fp("VANDN", d, sign, d)
			if powers {
				k.fp("VSQRT", d, root)
				k.fp("VMUL", root, d, d)
			}
			acc := k.acc[r*k.panels*k.vecs+c]
			k.fp("VADD", d, acc, acc)
		}
	}
	k.advance(w, 1)
	k.op("DECQ", rInputs)
	k.op("JNZ", loop)
}

// input adds the products of input number i from here, for some rows.
func (k *kernel) input(w []string, i, first, end int) {
	across := k.panels * k.vecs
	if k.rows == 1 {
		k.op("VBROADCAST"+k.s, rowAt(0, 0, i*k.size, rLDX), k.temp[0])
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
		k.op("VBROADCAST"+k.s, rowAt(0, r, i*k.size, rLDX), xr)
		for c := range across {
			k.fp("VFMADD231", k.temp[c], xr, k.acc[r*across+c])
		}
	}
}

// advance goes n inputs on.
func (k *kernel) advance(w []string, n int) {
	for b := range k.bases() {
		k.op("ADDQ", n*k.size, row(b))
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
		return field("zNow")
	}
	return rZ
}

// pointZ prepares the addresses of the outputs of this tile (of z2 with second set),
// which zAt gives. Registers: in one panel and in tall tiles, the rows 0, 3 and 6 of
// each panel and rZRow, their stride; otherwise every row, with rNextPanel for the next
// panel and rThird for the third.
func (k *kernel) pointZ(second bool) {
	k.op("MOVQ", k.zRegister(), row(0))
	if second {
		k.op("ADDQ", field("apart"), row(0))
	}
	k.op("MOVQ", field("rowStride"), rZRow)
	switch {
	case k.spread() == 1:
		k.rowBases(rZRow)
		return
	case k.tall():
		k.rowBases(rZRow)
		k.op("MOVQ", field("panelStride"), row(3))
		k.op("LEAQ", memIndex(0, row(2), row(3), 1), rZ)
		k.op("LEAQ", memIndex(0, row(1), row(3), 1), rThird)
		k.op("ADDQ", row(0), row(3))
		return
	}
	for r := 1; r < k.rows; r++ {
		k.op("LEAQ", memIndex(0, row(r-1), rZRow, 1), row(r))
	}
	k.op("MOVQ", field("panelStride"), rNextPanel)
	if k.spread() > 3 {
		k.op("LEAQ", memIndex(0, rNextPanel, rNextPanel, 2), rThird)
	}
	if k.spread() > 4 {
		k.op("LEAQ", memIndex(0, row(0), rNextPanel, 4), row(1))
	}
}

// zAt addresses vector c of a row of the tile.
func (k *kernel) zAt(r, c int) string {
	panel, off := c/k.whole, c%k.whole*k.bytes
	if k.spread() == 1 || k.tall() {
		base := []string{row(0), row(1), row(2), row(3), rThird, rZ}[3*panel+r/3]
		if r%3 == 0 {
			return mem(off, base)
		}
		return memIndex(off, base, rZRow, r%3)
	}
	base := row(r)
	if panel >= 4 {
		base, panel = row(1), panel-4
	}
	switch panel {
	case 1, 2:
		return memIndex(off, base, rNextPanel, panel)
	case 3:
		return memIndex(off, base, rThird, 1)
	}
	return mem(off, base)
}

// finish applies the function, stores or accumulates, and goes on to loop.
func (k *kernel) finish(loop string) {
	var items []item
	k.each(func(i, r, p, v int) {
		col := (p*k.vecs + v) * k.bytes
		items = append(items, item{k.acc[i], memIndex(col, rWeight, rColumn, 1),
			memIndex(col, rWeight2, rColumn, 1), k.zAt(r, p*k.vecs+v)})
	})
	k.comment("Epilogue: branch by function.")
	k.epilogues(items, func() { k.pointZ(true) })
	k.comment("Output: branch by mode, then store.")
	advance, same := k.label("advance"), k.label("next")
	stream, scores := k.label("stream"), k.label("scores")
	k.op("MOVQ", field("mode"), rMode)
	k.op("CMPQ", rMode, constant("modeScores"))
	k.op("JEQ", scores)
	k.pointZ(false)
	k.op("CMPQ", rMode, constant("modeStream"))
	k.op("JEQ", stream)
	k.each(func(i, r, p, v int) { k.fp("VMOVU", k.acc[i], k.zAt(r, p*k.vecs+v)) })
	k.place(advance)
	k.op("MOVQ", field("panelStride"), rStep)
	for range k.spread() {
		k.op("ADDQ", rStep, k.zRegister())
	}
	k.place(same)
	k.op("ADDQ", k.panels*k.width(), rColumn)
	k.op("SUBQ", k.panels, rPanels)
	k.op("JMP", loop)
	k.place(stream)
	k.comment("Store past the caches.")
	k.each(func(i, r, p, v int) { k.fp("VMOVNT", k.acc[i], k.zAt(r, p*k.vecs+v)) })
	k.op("JMP", advance)
	k.place(scores)
	k.comment("Scores: add y times the tile to the sums of every target.")
	k.accumulate("acc")
	k.op("CMPQ", field("function"), constant("CosSin"))
	k.op("JNE", same)
	k.comment("The sines wait in the scratch tile.")
	k.pointZ(true)
	k.each(func(i, r, p, v int) { k.fp("VMOVU", k.zAt(r, p*k.vecs+v), k.acc[i]) })
	k.accumulate("acc2")
	k.op("JMP", same)
}

// accumulate adds the tile in the accumulators, times y, to the sums of every
// target: row after row, as one fused chain per column.
func (k *kernel) accumulate(sums string) {
	k.op("MOVQ", field(sums), rSums)
	k.op("ADDQ", rColumn, rSums)
	k.op("MOVQ", field("ldAcc"), rLDSums)
	k.op("MOVQ", field("targets"), rTargets)
	k.op("MOVQ", field("y"), row(0))
	k.op("MOVQ", field("ldy"), rLDY)
	k.rowBases(rLDY)
	loop := k.label("targets")
	k.place(loop)
	for p := range k.panels {
		for v := range k.vecs {
			k.fp("VMOVU", mem((p*k.vecs+v)*k.bytes, rSums), k.temp[v])
		}
		y := k.temp[k.vecs:]
		for r := range k.rows {
			k.op("VBROADCAST"+k.s, rowAt(0, r, 0, rLDY), y[r%len(y)])
			for v := range k.vecs {
				k.fp("VFMADD231", k.acc[(r*k.panels+p)*k.vecs+v], y[r%len(y)], k.temp[v])
			}
		}
		for v := range k.vecs {
			k.fp("VMOVU", k.temp[v], mem((p*k.vecs+v)*k.bytes, rSums))
		}
	}
	for b := range k.bases() {
		k.op("ADDQ", k.size, row(b))
	}
	k.op("ADDQ", rLDSums, rSums)
	k.op("DECQ", rTargets)
	k.op("JNZ", loop)
}

// apply is the epilogues alone, on projections in memory; strip.panels counts
// single vectors, strip.x points to the projections.
func (k *kernel) apply() {
	name := fmt.Sprintf("apply%s%s", k.isa, k.short)
	k.member(name, "strip")
	k.op("MOVQ", "s+0(FP)", rStrip)
	k.op("MOVQ", field("panels"), rPanels)
	k.op("MOVQ", field("z"), rZ)
	k.op("XORQ", rColumn, rColumn)
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
		k.op("CMPQ", rPanels, fmt.Sprint("$", vecs))
		k.op("JLT", next)
		k.use(vecs)
		k.op("MOVQ", field("x"), rT)
		k.op("MOVQ", field("phase"), rPhase)
		var items []item
		for i, a := range k.acc {
			k.fp("VMOVU", memIndex(i*k.bytes, rT, rColumn, 1), a)
			k.fp("VADD", memIndex(i*k.bytes, rPhase, rColumn, 1), a, a)
			items = append(items, item{a, memIndex(i*k.bytes, rWeight, rColumn, 1),
				memIndex(i*k.bytes, rWeight2, rColumn, 1), memIndex(i*k.bytes, rSines, rColumn, 1)})
		}
		k.comment("Epilogue of %d vectors: branch by function.", vecs)
		k.epilogues(items, func() { k.op("MOVQ", field("z2"), rSines) })
		for i, a := range k.acc {
			k.fp("VMOVU", a, memIndex(i*k.bytes, rZ, rColumn, 1))
		}
		k.op("ADDQ", vecs*k.bytes, rColumn)
		k.op("SUBQ", vecs, rPanels)
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

// peak runs strip.strips rounds of independent multiply-adds, three quarters of the
// registers wide, and touches no other memory.
func (k *kernel) peak() {
	name := fmt.Sprintf("peak%s%s", k.isa, k.short)
	k.member(name, "strip")
	k.op("MOVQ", "s+0(FP)", rStrip)
	k.op("MOVQ", field("strips"), rPanels)
	k.use(k.regs * 3 / 4)
	for _, r := range append(k.acc, k.temp[0]) {
		k.op("VXOR"+k.p, r, r, r)
	}
	loop, done := k.label("rounds"), k.label("done")
	k.op("PCALIGN", 32)
	k.place(loop)
	k.op("SUBQ", 1, rPanels)
	k.op("JLT", done)
	for _, r := range k.acc {
		k.fp("VFMADD231", k.temp[0], k.temp[0], r)
	}
	k.op("JMP", loop)
	k.place(done)
	k.op("VZEROUPPER")
	k.op("RET")
}

package main

import "fmt"

// The pipelined kernels of AVX-512: strips of 8 rows through all panels for Cos
// and CosSin. Alone, an epilogue leaves multiply-add pipes idle while its first
// chains start and its last ones end. Here a strip is two tiles of 4 rows ×
// 2 vectors, A and B, and the epilogue of one is merged with the first inputs of
// the other: A's with those of B, B's with those of A in the next panel or strip.
const (
	flowRows = 4
	flowXs   = 1
)

// flowInputs are the numbers of inputs merged with an epilogue, a kernel each: D
// must be at least that. The more, the fewer are left to a loop of their own.
var flowInputs = []int{8, 4}

// A side is one of the two tiles.
type side struct {
	acc   []string
	other *side
	first int // row of the strip
}

// flow prints the kernel. General registers:
//
//	DI  the strip                          R14 room for a tile
//	SI  W of this panel                    R15 coefficients
//
// inside a step R8 and R9 are rows 0 and 3 of x, R12 its stride, DX and CX the
// weights of the tile that is finished, R10 and R11 rows 0 and 3 of its first
// vectors in z2 or z, AX and R13 of its second ones, BX their stride; R10 then runs
// over W.
func (k *kernel) flow(inputs int) {
	name := fmt.Sprintf("flow%d%s%s", inputs, k.isa, k.short)
	k.fn(name, fmt.Sprintf("func %s(s *strip)", name), 0, 8)
	k.tile = tile{flowRows, 1}
	k.use(2 * flowRows * k.vecs)
	n := flowRows * k.vecs
	a, b := &side{acc: k.acc[:n], first: 0}, &side{acc: k.acc[n:], first: flowRows}
	a.other, b.other = b, a
	k.op("MOVQ", "s+0(FP)", "DI")
	k.op("MOVQ", mem(offW, "DI"), "SI")
	k.startZ()
	k.op("MOVQ", mem(offHold, "DI"), "R14")
	k.op("MOVQ", mem(offCoef, "DI"), "R15")
	k.op("MOVQ", mem(offColumns, "DI"), "CX")
	for v := range k.vecs {
		k.op("KMOVW", "CX", flowMask(v))
		k.op("SHRQ", k.bytes/k.size, "CX")
	}
	k.op("MOVQ", mem(offPanels, "DI"), "CX")
	k.op("MOVQ", "CX", mem(offLeft, "DI"))
	k.op("MOVQ", 0, mem(offColNow, "DI"))

	panel, enter, exit, last := k.label("panel"), k.label("enter"), k.label("exit"), k.label("last")
	k.comment("The first tile has no epilogue beside it.")
	k.flowStart(a)
	k.op("MOVQ", "SI", "R10")
	k.op("MOVQ", mem(offD, "DI"), "DX")
	k.op("JMP", enter)

	k.place(panel)
	k.flowStart(a)
	k.flowMerged(a, inputs)
	k.op("CMPQ", mem(offStrips, "DI"), "$0")
	k.op("JEQ", exit)
	k.flowRest(a, inputs, enter)
	k.comment("B will be finished when these have changed.")
	for _, f := range [][2]int{{offZNow, offPendZ}, {offColNow, offPendCol}, {offY, offPendY}} {
		k.op("MOVQ", mem(f[0], "DI"), "CX")
		k.op("MOVQ", "CX", mem(f[1], "DI"))
	}
	k.flowStart(b)
	k.flowMerged(b, inputs)
	k.flowRest(b, inputs, "")

	k.op("DECQ", mem(offLeft, "DI"))
	k.op("JZ", last)
	k.op("MOVQ", mem(offD, "DI"), "DX")
	k.op("IMUL3Q", k.width(), "DX", "DX")
	k.op("ADDQ", "DX", "SI")
	k.op("ADDQ", k.width(), mem(offColNow, "DI"))
	k.op("MOVQ", mem(offPanelStride, "DI"), "AX")
	k.op("SHLQ", 1, "AX")
	k.op("ADDQ", "AX", mem(offZNow, "DI"))
	k.op("JMP", panel)
	k.place(last)
	k.op("DECQ", mem(offStrips, "DI"))
	k.comment("After the last strip its last tile A is begun again, in vain, beside B's epilogue.")
	k.op("JZ", panel)
	for _, f := range [][2]int{{offX, offLDX}, {offY, offLDY}} {
		k.op("MOVQ", mem(f[1], "DI"), "DX")
		k.op("SHLQ", 3, "DX")
		k.op("ADDQ", "DX", mem(f[0], "DI"))
	}
	k.op("MOVQ", mem(offStripStride, "DI"), "AX")
	k.op("ADDQ", mem(offZ, "DI"), "AX")
	k.op("MOVQ", "AX", mem(offZ, "DI"))
	k.op("MOVQ", "AX", mem(offZNow, "DI"))
	k.op("MOVQ", mem(offW, "DI"), "SI")
	k.op("MOVQ", 0, mem(offColNow, "DI"))
	k.op("MOVQ", mem(offPanels, "DI"), "CX")
	k.op("MOVQ", "CX", mem(offLeft, "DI"))
	k.op("JMP", panel)
	k.place(exit)
	k.op("VZEROUPPER")
	k.op("RET")
}

// flowStart sets the accumulators of s to the phases and points R8 and R9 at its rows.
func (k *kernel) flowStart(s *side) {
	k.op("MOVQ", mem(offPhase, "DI"), "DX")
	k.op("ADDQ", mem(offColNow, "DI"), "DX")
	for i, acc := range s.acc {
		if i < k.vecs {
			k.fp("VMOVU", mem(i*k.bytes, "DX"), acc)
		} else {
			k.fp("VMOVA", s.acc[i%k.vecs], acc)
		}
	}
	k.op("MOVQ", mem(offX, "DI"), "R8")
	k.op("MOVQ", mem(offLDX, "DI"), "R12")
	if s.first > 0 {
		k.op("LEAQ", memIndex(0, "R8", "R12", s.first), "R8")
	}
	k.op("LEAQ", memIndex(0, "R8", "R12", 2), "R9")
	k.op("ADDQ", "R12", "R9")
}

// flowMerged adds the first inputs to s and finishes the other side. What waits in
// an epilogue waits at R14: in the sines' place, at the distance of rows, loads
// would take it for older stores of the same address modulo 4 KiB.
func (k *kernel) flowMerged(s *side, inputs int) {
	o := s.other
	pend := o.first > 0
	hold := func(i int) string { return mem(i*k.bytes, "R14") }
	var items []item
	for i, acc := range o.acc {
		v := i % k.vecs * k.bytes
		items = append(items, item{acc, mem(v, "DX"), mem(v, "CX"), k.flowZ(i)})
	}
	apart := func() {
		for _, r := range []string{"R10", "R11", "AX", "R13"} {
			k.op("ADDQ", mem(offApart, "DI"), r)
		}
	}
	pair, done := k.label("pair"), k.label("done")
	k.op("CMPQ", mem(offFunc, "DI"), fmt.Sprint("$", fnCosSin))
	k.op("JEQ", pair)
	for _, f := range []int{fnCos, fnCosSin} {
		if f == fnCosSin {
			k.place(pair)
			k.comment("Sines are stored at once, or left at R14.")
			held, ready := k.label("held"), k.label("ready")
			k.op("CMPQ", mem(offMode, "DI"), fmt.Sprint("$", modeStore))
			k.op("JNE", held)
			k.flowPoint(o, pend)
			apart()
			k.op("JMP", ready)
			k.place(held)
			k.op("MOVQ", "R14", "R10")
			k.op("MOVQ", k.width(), "BX")
			k.op("LEAQ", memIndex(0, "R10", "BX", 2), "R11")
			k.op("ADDQ", "BX", "R11")
			k.op("LEAQ", mem(k.bytes, "R10"), "AX")
			k.op("LEAQ", mem(k.bytes, "R11"), "R13")
			k.place(ready)
		}
		columns := k.label("columns")
		k.op("CMPQ", mem(offWeight, "DI"), "$0")
		k.op("JNE", columns)
		for _, weighted := range []bool{false, true} {
			if weighted {
				k.place(columns)
				k.flowColumn("DX", pend)
				k.op("MOVQ", mem(offWeight2, "DI"), "CX")
				k.op("ADDQ", "DX", "CX")
				k.op("ADDQ", mem(offWeight, "DI"), "DX")
			}
			k.scheduled(func(string) int { return 0 }, func() {
				k.flowInputs(s, inputs)
				all := k.temp
				k.temp = k.temp[k.vecs+flowXs:]
				if f == fnCos {
					for _, g := range divide(items, 4) {
						k.cos(g, weighted)
					}
				} else {
					for n, g := range divide(items, 2) {
						k.flowCosSin(g, n, weighted, hold)
					}
				}
				k.temp = all
			})
			if !weighted || f == fnCos {
				k.op("JMP", done)
			}
		}
	}
	k.place(done)
	scores, stream, next := k.label("scores"), k.label("stream"), k.label("next")
	half, second, partial := k.label("half"), k.label("second"), k.label("partial")
	k.op("MOVQ", mem(offMode, "DI"), "DX")
	k.op("CMPQ", "DX", fmt.Sprint("$", modeScores))
	k.op("JEQ", scores)
	k.flowPoint(o, pend)
	store := func(verb string) {
		for i, acc := range o.acc {
			k.fp(verb, acc, k.flowZ(i))
		}
	}
	some := func() {
		for i, acc := range o.acc {
			k.fp("VMOVU", acc, flowMask(i%k.vecs), k.flowZ(i))
		}
	}
	sines := func() {
		k.op("CMPQ", mem(offFunc, "DI"), fmt.Sprint("$", fnCosSin))
		k.op("JNE", next)
		for i, acc := range o.acc {
			k.fp("VMOVU", hold(i), acc)
		}
	}
	k.op("CMPQ", "DX", fmt.Sprint("$", modeStream))
	k.op("JEQ", stream)
	k.op("CMPQ", "DX", fmt.Sprint("$", modeStreamSines))
	k.op("JEQ", half)
	k.op("CMPQ", "DX", fmt.Sprint("$", modePartial))
	k.op("JEQ", partial)
	store("VMOVU")
	k.op("JMP", next)
	k.place(half)
	store("VMOVU")
	k.op("JMP", second)
	k.place(stream)
	store("VMOVNT")
	k.place(second)
	sines()
	apart()
	store("VMOVNT")
	k.op("JMP", next)
	k.place(partial)
	some()
	sines()
	apart()
	some()
	k.op("JMP", next)
	k.place(scores)
	k.flowSum(o, offAcc, pend)
	sines()
	k.flowSum(o, offAcc2, pend)
	k.place(next)
}

// flowPoint points R10 and R11 at rows 0 and 3 of the first vectors of z of the
// tile o, AX and R13 at those of the second ones, in the next panel of the output,
// BX at their stride.
func (k *kernel) flowPoint(o *side, pend bool) {
	if pend {
		k.op("MOVQ", mem(offPendZ, "DI"), "R10")
	} else {
		k.op("MOVQ", mem(offZNow, "DI"), "R10")
	}
	k.op("MOVQ", mem(offRowStride, "DI"), "BX")
	if o.first > 0 {
		k.op("LEAQ", memIndex(0, "R10", "BX", o.first), "R10")
	}
	k.op("LEAQ", memIndex(0, "R10", "BX", 2), "R11")
	k.op("ADDQ", "BX", "R11")
	k.op("MOVQ", mem(offPanelStride, "DI"), "AX")
	k.op("LEAQ", memIndex(0, "R11", "AX", 1), "R13")
	k.op("ADDQ", "R10", "AX")
}

// flowZ is the place of accumulator i where flowPoint points.
func (k *kernel) flowZ(i int) string {
	v, r := i%k.vecs, i/k.vecs
	if r == 3 {
		return mem(0, []string{"R11", "R13"}[v])
	}
	base := []string{"R10", "AX"}[v]
	if r == 0 {
		return mem(0, base)
	}
	return memIndex(0, base, "BX", r)
}

// flowMask is the register of the columns of vector v of a panel that may be written.
func flowMask(v int) string { return fmt.Sprint("K", v+1) }

// flowColumn sets r to the offset in Phase of the panel of the tile that is finished.
func (k *kernel) flowColumn(r string, pend bool) {
	if pend {
		k.op("MOVQ", mem(offPendCol, "DI"), r)
	} else {
		k.op("MOVQ", mem(offColNow, "DI"), r)
	}
}

// flowInputs adds the products of the first inputs. Loads are scarce here: two a
// cycle serve the multiply-adds of both tiles, which is why epilogues load a
// coefficient once for several items.
func (k *kernel) flowInputs(s *side, inputs int) {
	w, x := k.temp[:k.vecs], k.temp[k.vecs:k.vecs+flowXs]
	for i := range inputs {
		for v := range w {
			k.fp("VMOVU", mem(i*k.width()+v*k.bytes, "SI"), w[v])
		}
		for r := range flowRows {
			k.op("VBROADCAST"+k.s, flowX(r, i*k.size), x[r%flowXs])
			for v := range w {
				k.fp("VFMADD231", w[v], x[r%flowXs], s.acc[r*k.vecs+v])
			}
		}
	}
}

func flowX(r, off int) string {
	switch r {
	case 0:
		return mem(off, "R8")
	case 3:
		return mem(off, "R9")
	}
	return memIndex(off, "R8", "R12", r)
}

// flowRest adds the products of the other inputs, from R10 of W on; a jump to
// enter, with their number in DX, adds any.
func (k *kernel) flowRest(s *side, inputs int, enter string) {
	loop, done := k.label("inputs"), k.label("projected")
	k.op("MOVQ", mem(offD, "DI"), "DX")
	k.op("SUBQ", inputs, "DX")
	k.op("JZ", done)
	k.op("LEAQ", mem(inputs*k.width(), "SI"), "R10")
	k.op("ADDQ", inputs*k.size, "R8")
	k.op("ADDQ", inputs*k.size, "R9")
	if enter != "" {
		k.place(enter)
	}
	w, x := k.temp[:k.vecs], k.temp[k.vecs:]
	k.place(loop)
	for v := range w {
		k.fp("VMOVU", mem(v*k.bytes, "R10"), w[v])
	}
	for r := range flowRows {
		k.op("VBROADCAST"+k.s, flowX(r, 0), x[r])
		for v := range w {
			k.fp("VFMADD231", w[v], x[r], s.acc[r*k.vecs+v])
		}
	}
	k.op("ADDQ", k.width(), "R10")
	k.op("ADDQ", k.size, "R8")
	k.op("ADDQ", k.size, "R9")
	k.op("DECQ", "DX")
	k.op("JNZ", loop)
	k.place(done)
}

// flowCosSin is the pair cos(2πt), sin(2πt), by cosSinTurns, times the weights of
// the columns if there are any; the sines are stored.
func (k *kernel) flowCosSin(items []item, group int, weighted bool, hold func(int) string) {
	n := len(items)
	t, spare := k.temp[group%2*3*n:], k.temp[6*n:]
	u, c, s := t[:n], t[n:2*n], t[2*n:3*n]
	// cosSinTurns takes off whole turns and then quarters; both at once is as exact.
	// The low bits of m = t − round(t) + magic are the quarter turns q.
	for j, i := range items {
		k.round(i.t, u[j])
		k.fp("VRNDSCALE", 2<<4|8, i.t, s[j])
		k.fp("VSUB", u[j], i.t, u[j])
		k.fp("VSUB", s[j], i.t, i.t)
		k.konst("VADD"+k.p, "magic", u[j], u[j])
		k.fp("VMOVU", u[j], hold(group*n+j))
	}
	for j, i := range items {
		k.fp("VMUL", i.t, i.t, u[j])
	}
	k.hornerShared(1, terms[k.size].pairC, u, c, spare[0])
	k.hornerShared(1+terms[k.size].pairC, terms[k.size].pairS, u, s, spare[0])
	// For odd q the two change places; before that the cosine is negative for
	// q = 2, 3, the sine for q = 1, 2. s gets bit 0 of q in all bits, u bit 1 as sign.
	top := k.size*8 - 1
	for j, i := range items {
		k.fp("VMUL", s[j], i.t, i.t)
		k.integer("VPSLL", top, hold(group*n+j), s[j])
		k.integer("VPSRA", top, s[j], s[j])
		k.integer("VPSLL", top-1, hold(group*n+j), u[j])
	}
	for j, i := range items {
		k.signed(0x78, u[j], c[j]) // c ⊕ (sign ∧ u)
		k.signed(0x28, s[j], u[j]) // sign ∧ (s ⊕ u)
		k.fp("VXOR", u[j], i.t, i.t)
		k.fp("VMOVA", c[j], u[j])
		k.ternary(0xe2, i.t, s[j], c[j])
		k.ternary(0xe2, u[j], s[j], i.t)
		if weighted {
			k.fp("VMUL", i.weight, i.t, i.t)
			k.fp("VMUL", i.weight2, c[j], c[j])
		}
		k.fp("VMOVU", c[j], i.z2)
	}
}

// hornerShared is horner with one register, r, for the coefficients.
func (k *kernel) hornerShared(first, n int, u, p []string, r string) {
	for j := range p {
		k.load(first+n-1, p[j])
	}
	for c := n - 2; c >= 0; c-- {
		k.load(first+c, r)
		for j := range p {
			k.fp("VFMADD213", r, u[j], p[j])
		}
	}
}

// signed prints a bitwise function of the sign bit, y and last.
func (k *kernel) signed(table int, y, last string) {
	suffix := map[int]string{8: "Q", 4: "D"}[k.size]
	k.konst("VPTERNLOG"+suffix, "sign", table, y, last)
}

// flowSum adds a finished tile, times y, to the sums of every target.
func (k *kernel) flowSum(s *side, off int, pend bool) {
	k.flowColumn("DX", pend)
	k.op("ADDQ", mem(off, "DI"), "DX")
	y := offY
	if pend {
		y = offPendY
	}
	k.op("MOVQ", mem(y, "DI"), "CX")
	k.op("MOVQ", mem(offLDY, "DI"), "BX")
	if s.first > 0 {
		k.op("LEAQ", memIndex(0, "CX", "BX", s.first), "CX")
	}
	k.op("MOVQ", mem(offTargets, "DI"), "R12")
	loop := k.label("targets")
	k.place(loop)
	sum, ys := k.temp[:k.vecs], k.temp[k.vecs:]
	k.op("LEAQ", memIndex(0, "CX", "BX", 2), "R15")
	for v := range sum {
		k.fp("VMOVU", mem(v*k.bytes, "DX"), sum[v])
	}
	for r := range flowRows {
		at := memIndex(0, "CX", "BX", r)
		switch r {
		case 0:
			at = mem(0, "CX")
		case 3:
			at = memIndex(0, "R15", "BX", 1)
		}
		k.op("VBROADCAST"+k.s, at, ys[r])
		for v := range sum {
			k.fp("VFMADD231", s.acc[r*k.vecs+v], ys[r], sum[v])
		}
	}
	for v := range sum {
		k.fp("VMOVU", sum[v], mem(v*k.bytes, "DX"))
	}
	k.op("ADDQ", k.size, "CX")
	k.op("ADDQ", mem(offLDAcc, "DI"), "DX")
	k.op("DECQ", "R12")
	k.op("JNZ", loop)
	k.op("MOVQ", mem(offCoef, "DI"), "R15")
	k.op("MOVQ", mem(offLDX, "DI"), "R12")
}

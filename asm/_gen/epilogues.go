package main

// An item is one vector on its way through an epilogue: the register that holds
// t and is to hold the feature, its weights in memory (if columns have weights) and where the sine goes.
type item struct{ t, weight, weight2, z2 string }

// terms is the number of coefficients of the polynomials of asm/cos.go, by
// element size. In the table at rCoef the factor that P lacks in float32 comes
// first, for AVX-512 as an exponent of two, and then the coefficients of P, or
// those of C and S.
var terms = map[int]struct{ cos, pairC, pairS int }{8: {8, 7, 7}, 4: {5, 5, 4}}

// epilogues branches on strip.function. sines prepares the addresses of the
// sines.
func (k *kernel) epilogues(items []item, sines func()) {
	pair, linear, arc0, arc2 := k.label("pair"), k.label("linear"), k.label("arc0_"), k.label("arc2_")
	cos, done := k.label("cos"), k.label("weighted")
	sections := k.label("sections")
	k.op("MOVQ", field("function"), rFunction)
	k.op("MOVQ", field("weight"), rWeight)
	k.op("CMPQ", rFunction, constant("CosSin"))
	k.op("JEQ", pair)
	k.op("JLT", cos)
	k.op("CMPQ", rFunction, constant("ArcCos0"))
	k.op("JLT", linear)
	k.op("JEQ", arc0)
	k.op("CMPQ", rFunction, constant("ArcCos2"))
	k.op("JGT", sections)
	k.comment("ArcCos1 and 2: max(t, 0); VMAX returns its first Plan 9 operand for NaN and for two zeros.")
	zero := k.temp[0]
	k.op("VXOR"+k.p, zero, zero, zero)
	for _, i := range items {
		k.fp("VMAX", i.t, zero, i.t)
	}
	k.op("CMPQ", rFunction, constant("ArcCos2"))
	k.op("JEQ", arc2)
	k.place(linear)
	k.comment("The weights of the columns.")
	for _, i := range items {
		k.fp("VMUL", i.weight, i.t, i.t)
	}
	k.op("JMP", done)
	k.place(arc2)
	k.comment("ArcCos2: the square.")
	for _, i := range items {
		k.fp("VMUL", i.t, i.t, i.t)
	}
	k.op("JMP", linear)

	k.place(arc0)
	k.comment("ArcCos0: the step function.")
	k.set("half", k.temp[1])
	k.op("VXOR"+k.p, zero, zero, zero)
	for _, i := range items {
		k.step(i.t, zero, k.temp[1], k.temp[2], k.temp[3])
	}
	k.op("JMP", linear)

	k.place(sections)
	k.sections(items, linear)

	k.place(pair)
	k.comment("CosSin.")
	k.op("MOVQ", field("weight2"), rWeight2)
	sines()
	k.variants(func(weighted bool) {
		group := len(k.temp) / 4
		if k.wide() {
			group = min((len(k.temp)-4)/3, 4)
		}
		k.scheduled(k.release, func() {
			for _, g := range divide(items, group) {
				k.cosSin(g, weighted)
			}
		})
	}, done)

	k.place(cos)
	k.comment("Cos.")
	k.variants(func(weighted bool) {
		group := len(k.temp) / 2
		if k.wide() {
			group = min((len(k.temp)-4)/2, 8)
		}
		k.scheduled(k.release, func() {
			for _, g := range divide(items, group) {
				k.cos(g, weighted)
			}
		})
	}, done)
	k.place(done)
}

// variants prints an epilogue for weights of the columns, and in feature kernels
// one for strip.weight zero: then the weight is in the coefficients.
func (k *kernel) variants(body func(weighted bool), done string) {
	k.op("MOVQ", field("coef"), rCoef)
	if !k.elementwise {
		weighted := k.label("columns")
		k.op("TESTQ", rWeight, rWeight)
		k.op("JNZ", weighted)
		body(false)
		k.op("JMP", done)
		k.place(weighted)
		k.comment("The same with a weight for each column.")
	}
	body(true)
	k.op("JMP", done)
}

// divide cuts items into the fewest groups of at most n, as even as can be.
func divide(items []item, n int) [][]item {
	var groups [][]item
	count := (len(items) + n - 1) / n
	for g := range count {
		groups = append(groups, items[g*len(items)/count:(g+1)*len(items)/count])
	}
	return groups
}

// step is ½·[t ≥ 0] + ½·[t > 0], or NaN for NaN.
func (k *kernel) step(t, zero, half, a, b string) {
	const unord, ge, gt = 3, 13, 14
	if !k.wide() {
		k.fp("VCMP", ge, zero, t, a)
		k.fp("VAND", half, a, a)
		k.fp("VCMP", gt, zero, t, b)
		k.fp("VAND", half, b, b)
		k.fp("VCMP", unord, t, t, t)
		k.fp("VADD", a, b, a)
		k.fp("VOR", a, t, t)
		return
	}
	k.fp("VCMP", ge, zero, t, "K1")
	k.fp("VCMP", gt, zero, t, "K2")
	k.op("VMOVA"+k.p+".Z", half, "K1", a)
	k.fp("VADD", half, a, "K2", a)
	k.fp("VCMP", unord, t, t, "K1")
	k.fp("VMOVA", t, "K1", a)
	k.fp("VMOVA", a, t)
}

// round rounds to the nearest integer, ties to even.
func (k *kernel) round(from, to string) {
	if k.wide() {
		k.fp("VRNDSCALE", 8, from, to)
	} else {
		k.fp("VROUND", 8, from, to)
	}
}

// horner leaves Σ cᵢ·u^i in p for several vectors at once, where the c are n
// coefficients of the table from first on. Each coefficient is loaded once for
// all of them into a register of spare, or read by every multiply-add if there
// is none. With two or more the first step begins from registers.
func (k *kernel) horner(first, n int, u, p, spare []string) {
	c := n - 2 // the next coefficient
	if len(spare) > 1 {
		k.load(first+n-1, spare[0])
		k.load(first+n-2, spare[1])
		for j := range p {
			k.fp("VMOVA", spare[1], p[j])
			k.fp("VFMADD231", spare[0], u[j], p[j])
		}
		c--
	} else {
		for j := range p {
			k.load(first+n-1, p[j])
		}
	}
	for ; c >= 0; c-- {
		fma, coef := "VFMADD213"+k.p, k.coef(first+c)
		switch {
		case len(spare) > 0:
			coef = spare[c%len(spare)]
			k.load(first+c, coef)
		case k.wide():
			fma += ".BCST"
		}
		for j := range p {
			k.op(fma, coef, u[j], p[j])
		}
	}
}

// coef addresses entry i of the table at rCoef, single elements for AVX-512, which
// broadcasts them, whole vectors for AVX2; load loads it into all lanes.
func (k *kernel) coef(i int) string {
	if k.wide() {
		return mem(i*k.size, rCoef)
	}
	return mem(i*k.bytes, rCoef)
}

func (k *kernel) load(i int, to string) {
	if k.wide() {
		k.op("VBROADCAST"+k.s, k.coef(i), to)
	} else {
		k.fp("VMOVU", k.coef(i), to)
	}
}

// heads are the temporaries of the reduction: two registers of their own, so
// that it need not wait for the polynomials of the items before.
func (k *kernel) heads(n int) []string {
	last := k.temp[len(k.temp)-2:]
	h := make([]string, n)
	for j := range h {
		h[j] = last[j%2]
	}
	return h
}

// cos is cos(2πt), by cosTurns, times the weights of the columns if there are any.
func (k *kernel) cos(items []item, weighted bool) {
	n := len(items)
	u, p, spare := k.temp[:n], k.temp[n:2*n], k.temp[2*n:]
	rounded := u
	if k.wide() {
		rounded, spare = k.heads(n), spare[:len(spare)-2]
	}
	for j, i := range items {
		k.round(i.t, rounded[j])
		k.fp("VSUB", rounded[j], i.t, i.t) // f = t − round(t)
	}
	k.held = nil
	if len(spare) > 1 { // the polynomial needs them later
		k.keep(spare, "sign", "quarter")
	}
	for _, i := range items {
		k.konst("VOR"+k.p, "sign", i.t, i.t)
	}
	for _, i := range items { // g = ¼ − |f|
		k.konst("VADD"+k.p, "quarter", i.t, i.t)
	}
	for j, i := range items {
		k.fp("VMUL", i.t, i.t, u[j])
	}
	k.horner(1, terms[k.size].cos, u, p, spare)
	if k.size == 8 {
		for j, i := range items {
			k.fp("VMUL", p[j], i.t, i.t)
		}
	} else {
		if k.wide() { // VSCALEF leaves the multiply-add pipes alone
			for j, i := range items {
				k.op("VSCALEFPS.BCST", k.coef(0), i.t, u[j])
			}
		} else {
			for j, i := range items {
				k.op("VMULPS", k.coef(0), i.t, u[j])
			}
		}
		for j, i := range items {
			k.fp("VFMADD213", u[j], p[j], i.t) // g·(P−4) + 4g
		}
	}
	if weighted {
		for _, i := range items {
			k.fp("VMUL", i.weight, i.t, i.t)
		}
	}
}

// cosSin is the pair cos(2πt), sin(2πt), by cosSinTurns, times the weights of the
// columns if there are any; the sines are stored.
func (k *kernel) cosSin(items []item, weighted bool) {
	n := len(items)
	if k.wide() {
		// What waits, waits where the sine will go.
		k.pairAVX512(items, k.temp, k.temp[3*n:], weighted, 0, func(i int) string { return items[i].z2 })
		return
	}
	k.pairAVX2(items, weighted)
}

// pairAVX512 is cosSin on three registers of t for each item. The low bits of
// m = t − round(t) + magic, the quarter turns q, wait at hold(first), hold(first+1), …
func (k *kernel) pairAVX512(items []item, t, spare []string, weighted bool, first int, hold func(int) string) {
	n := len(items)
	u, c, s := t[:n], t[n:2*n], t[2*n:3*n]
	k.held = nil
	if len(spare) > 3 {
		spare = k.keep(spare, "magic", "sign")
	}
	// cosSinTurns takes off whole turns and then quarters; both at once is as exact.
	for j, i := range items {
		k.round(i.t, u[j])
		k.fp("VRNDSCALE", 2<<4|8, i.t, s[j])
		k.fp("VSUB", u[j], i.t, u[j])
		k.fp("VSUB", s[j], i.t, i.t)
		k.konst("VADD"+k.p, "magic", u[j], u[j])
		k.fp("VMOVU", u[j], hold(first+j))
	}
	for j, i := range items {
		k.fp("VMUL", i.t, i.t, u[j])
	}
	k.horner(1, terms[k.size].pairC, u, c, spare)
	k.horner(1+terms[k.size].pairC, terms[k.size].pairS, u, s, spare)
	// For odd q the two change places; before that the cosine is negative for
	// q = 2, 3, the sine for q = 1, 2. s gets bit 0 of q in all bits, u bit 1 as sign.
	top := k.size*8 - 1
	for j, i := range items {
		k.fp("VMUL", s[j], i.t, i.t)
		k.integer("VPSLL", top, hold(first+j), s[j])
		k.integer("VPSRA", top, s[j], s[j])
		k.integer("VPSLL", top-1, hold(first+j), u[j])
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

// pairAVX2 is cosSin on four temporaries for each item.
func (k *kernel) pairAVX2(items []item, weighted bool) {
	n := len(items)
	k.held = nil
	u, c, s, m := k.temp[:n], k.temp[n:2*n], k.temp[2*n:3*n], k.temp[3*n:4*n]
	// m = f + magic: its low bits are the quarter turns q, and m − magic is q/4.
	for j, i := range items {
		k.round(i.t, u[j])
		k.fp("VSUB", u[j], i.t, i.t)
		k.konst("VADD"+k.p, "magic", i.t, m[j])
		k.set("magic", u[j])
		k.fp("VSUB", u[j], m[j], u[j])
		k.fp("VSUB", u[j], i.t, i.t)
	}
	for j, i := range items {
		k.fp("VMUL", i.t, i.t, u[j])
	}
	k.horner(1, terms[k.size].pairC, u, c, nil)
	k.horner(1+terms[k.size].pairC, terms[k.size].pairS, u, s, nil)
	for j, i := range items {
		k.fp("VMUL", s[j], i.t, i.t)
	}
	// Odd q exchanges cosine and sine; the sine is negative for q = 2, 3, the
	// cosine for q = 1, 2. a has bit 1 of q as its sign, b bit 0.
	top := k.size*8 - 1
	for j, i := range items {
		a, b := u[j], s[j]
		k.integer("VPSLL", top-1, m[j], a)
		k.integer("VPSLL", top, m[j], b)
		k.fp("VBLENDV", b, i.t, c[j], m[j])
		k.fp("VBLENDV", b, c[j], i.t, c[j])
		k.fp("VXOR", a, b, b)
		k.konst("VAND"+k.p, "sign", a, a)
		k.konst("VAND"+k.p, "sign", b, b)
		k.fp("VXOR", a, c[j], c[j])
		k.fp("VXOR", b, m[j], i.t)
		if weighted {
			k.fp("VMUL", i.weight, i.t, i.t)
			k.fp("VMUL", i.weight2, c[j], c[j])
		}
		k.fp("VMOVU", c[j], i.z2)
	}
}

// signed prints a bitwise function of the sign bit, y and last.
func (k *kernel) signed(table int, y, last string) {
	suffix := map[int]string{8: "Q", 4: "D"}[k.size]
	k.konst("VPTERNLOG"+suffix, "sign", table, y, last)
}

// ternary prints a bitwise function of three registers, whose result replaces
// the last; bit 4·last + 2·y + x of table is its value.
func (k *kernel) ternary(table int, x, y, last string) {
	k.integer("VPTERNLOG", table, x, y, last)
}

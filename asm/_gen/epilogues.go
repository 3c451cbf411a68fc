package main

import "fmt"

// An item is one vector on its way through an epilogue: the register that holds
// t and is to hold the feature, its weights in memory (by DX, for the sine by
// R12, both offset by R13, if columns have weights) and where the sine goes.
type item struct{ t, weight, weight2, z2 string }

// terms is the number of coefficients of the polynomials of asm/cos.go, by
// element size. In the table at R15 the factor that P lacks in float32 comes
// first, for AVX-512 as an exponent of two, and then the coefficients of P, or
// those of C and S.
var terms = map[int]struct{ cos, pairC, pairS int }{8: {8, 7, 7}, 4: {5, 5, 4}}

// epilogues branches on strip.function. sines prepares the addresses of the
// sines. Clobbers DX, R12 and R15.
func (k *kernel) epilogues(items []item, sines func()) {
	pair, linear, arc0, arc2 := k.label("pair"), k.label("linear"), k.label("arc0_"), k.label("arc2_")
	cos, done := k.label("cos"), k.label("weighted")
	k.op("MOVQ", mem(offFunc, "DI"), "R12")
	k.op("MOVQ", mem(offWeight, "DI"), "DX")
	k.op("CMPQ", "R12", fmt.Sprint("$", fnCosSin))
	k.op("JEQ", pair)
	k.op("JLT", cos)
	k.op("CMPQ", "R12", fmt.Sprint("$", fnArcCos0))
	k.op("JLT", linear)
	k.op("JEQ", arc0)
	k.comment("max(t, 0); VMAX returns its first Plan 9 operand for NaN and for two zeros.")
	zero := k.temp[0]
	k.op("VXOR"+k.p, zero, zero, zero)
	for _, i := range items {
		k.fp("VMAX", i.t, zero, i.t)
	}
	k.op("CMPQ", "R12", fmt.Sprint("$", fnArcCos2))
	k.op("JEQ", arc2)
	k.place(linear)
	for _, i := range items {
		k.fp("VMUL", i.weight, i.t, i.t)
	}
	k.op("JMP", done)
	k.place(arc2)
	for _, i := range items {
		k.fp("VMUL", i.t, i.t, i.t)
	}
	k.op("JMP", linear)

	k.place(arc0)
	k.set("half", k.temp[1])
	k.op("VXOR"+k.p, zero, zero, zero)
	for _, i := range items {
		k.step(i.t, zero, k.temp[1], k.temp[2], k.temp[3])
	}
	k.op("JMP", linear)

	k.place(pair)
	k.op("MOVQ", mem(offWeight2, "DI"), "R12")
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
	k.op("MOVQ", mem(offCoef, "DI"), "R15")
	if !k.elementwise {
		weighted := k.label("columns")
		k.op("TESTQ", "DX", "DX")
		k.op("JNZ", weighted)
		body(false)
		k.op("JMP", done)
		k.place(weighted)
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
// coefficients of the table from first on. With spare registers each is loaded
// once for all of them.
func (k *kernel) horner(first, n int, u, p, spare []string) {
	if len(spare) > 1 {
		top, next := spare[0], spare[1]
		k.load(first+n-1, top)
		k.load(first+n-2, next)
		for j := range p {
			k.fp("VMOVA", next, p[j])
			k.fp("VFMADD231", top, u[j], p[j])
		}
		for c := n - 3; c >= 0; c-- {
			r := spare[c%len(spare)]
			k.load(first+c, r)
			for j := range p {
				k.fp("VFMADD213", r, u[j], p[j])
			}
		}
		return
	}
	for j := range p {
		k.load(first+n-1, p[j])
	}
	fma := "VFMADD213" + k.p
	if k.wide() {
		fma += ".BCST"
	}
	for c := n - 2; c >= 0; c-- {
		for j := range p {
			k.op(fma, k.coef(first+c), u[j], p[j])
		}
	}
}

// coef addresses entry i of the table at R15, single elements for AVX-512, which
// broadcasts them, whole vectors for AVX2; load loads it into all lanes.
func (k *kernel) coef(i int) string {
	if k.wide() {
		return mem(i*k.size, "R15")
	}
	return mem(i*k.bytes, "R15")
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
	if len(spare) > 1 {
		k.set("sign", spare[0])
		k.set("quarter", spare[1])
	}
	for _, i := range items {
		if len(spare) > 1 {
			k.fp("VOR", spare[0], i.t, i.t)
		} else {
			k.konst("VOR"+k.p, "sign", i.t, i.t)
		}
	}
	for _, i := range items { // g = ¼ − |f|
		if len(spare) > 1 {
			k.fp("VADD", spare[1], i.t, i.t)
		} else {
			k.konst("VADD"+k.p, "quarter", i.t, i.t)
		}
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
	u, c, s := k.temp[:n], k.temp[n:2*n], k.temp[2*n:3*n]
	// m = f + magic: its low bits are the quarter turns q, and m − magic is q/4.
	var m, spare []string
	if k.wide() {
		// m waits where the sine will go.
		head := k.heads(n)
		spare = k.temp[3*n : len(k.temp)-2]
		k.set("magic", spare[0])
		for j, i := range items {
			k.round(i.t, head[j])
			k.fp("VSUB", head[j], i.t, i.t)
			k.fp("VADD", spare[0], i.t, head[j])
			k.fp("VMOVU", head[j], i.z2)
			k.fp("VSUB", spare[0], head[j], head[j])
			k.fp("VSUB", head[j], i.t, i.t)
		}
	} else {
		m = k.temp[3*n : 4*n]
		for j, i := range items {
			k.round(i.t, u[j])
			k.fp("VSUB", u[j], i.t, i.t)
			k.konst("VADD"+k.p, "magic", i.t, m[j])
			k.set("magic", u[j])
			k.fp("VSUB", u[j], m[j], u[j])
			k.fp("VSUB", u[j], i.t, i.t)
		}
	}
	for j, i := range items {
		k.fp("VMUL", i.t, i.t, u[j])
	}
	k.horner(1, terms[k.size].pairC, u, c, spare)
	k.horner(1+terms[k.size].pairC, terms[k.size].pairS, u, s, nil)
	for j, i := range items {
		k.fp("VMUL", s[j], i.t, i.t)
	}
	// Odd q exchanges cosine and sine; the sine is negative for q = 2, 3, the
	// cosine for q = 1, 2. a has bit 1 of q as its sign, b bit 0.
	top := k.size*8 - 1
	if k.wide() {
		k.set("sign", spare[0])
	}
	for j, i := range items {
		a, b := u[j], s[j]
		if k.wide() {
			// Mask registers would be slower: d = (c ⊕ s) ∧ odd exchanges the two.
			d := k.heads(n)[j]
			k.fp("VMOVU", i.z2, d)
			k.integer("VPSLL", top-1, d, a)
			k.integer("VPSLL", top, d, b)
			k.integer("VPSRA", top, b, d)
			k.ternary(0x60, i.t, c[j], d)
			k.ternary(0x28, spare[0], a, b) // (a ⊕ b) ∧ sign
			k.fp("VAND", spare[0], a, a)
			k.ternary(0x96, d, i.t, a)
			if weighted {
				k.ternary(0x96, d, c[j], b)
				k.fp("VMUL", i.weight, b, i.t)
				k.fp("VMUL", i.weight2, a, a)
			} else {
				k.fp("VMOVA", c[j], i.t)
				k.ternary(0x96, d, b, i.t)
			}
			k.fp("VMOVU", a, i.z2)
			continue
		}
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

// ternary prints a bitwise function of three registers, whose result replaces
// the last; bit 4·last + 2·y + x of table is its value.
func (k *kernel) ternary(table int, x, y, last string) {
	k.integer("VPTERNLOG", table, x, y, last)
}

func repeat(s string, n int) []string {
	r := make([]string, n)
	for i := range r {
		r[i] = s
	}
	return r
}

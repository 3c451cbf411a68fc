package main

import "fmt"

// An item is one vector on its way through an epilogue: the register that holds
// t and is to hold the feature, its weights in memory (by DX, for the sine by
// R12, both offset by R13) and where the sine goes.
type item struct{ t, weight, weight2, z2 string }

// Coefficients as in asm/cos.go, by element size.
var coef = map[int]struct{ cos, pairC, pairS []float64 }{
	8: {
		cos: []float64{
			0x1.921fb54442d11p+2, -0x1.4abbce625bb9dp+5, 0x1.466bc67747d66p+6, -0x1.32d2ccded11fcp+6,
			0x1.5078317c4b89p+5, -0x1.e305e15a5b5f9p+3, 0x1.e891f375d84a6p+1, -0x1.61a89ebc99701p-1,
		},
		pairC: []float64{
			0x1p+0, -0x1.3bd3cc9be45a5p+4, 0x1.03c1f081b14eap+6, -0x1.55d3c7dcb8acfp+6,
			0x1.e1f4fbfe702cap+5, -0x1.a6ca019ad5b6dp+4, 0x1.f3ef94e7385e5p+2,
		},
		pairS: []float64{
			0x1.921fb54442d18p+2, -0x1.4abbce625be06p+5, 0x1.466bc67754a63p+6, -0x1.32d2ccdf7c45p+6,
			0x1.50782cec0b2a8p+5, -0x1.e2fe094cff30cp+3, 0x1.e33135a506bdap+1,
		},
	},
	4: {
		cos:   []float64{0x1.243f6ap+1, -0x1.4abbbcp+5, 0x1.4667fep+6, -0x1.323d16p+6, 0x1.3cc88cp+5},
		pairC: []float64{0x1p+0, -0x1.3bd3ccp+4, 0x1.03c1aep+6, -0x1.55b146p+6, 0x1.d47d46p+5},
		pairS: []float64{0x1.921fb4p+2, -0x1.4abb68p+5, 0x1.46496cp+6, -0x1.2a7638p+6},
	},
}

// epilogues branches on strip.function. sines prepares the addresses of the
// sines. Clobbers DX and R12.
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
	group := len(k.temp) / 4
	if k.wide() {
		group = min((len(k.temp)-4)/3, 4)
	}
	k.scheduled(k.release, func() {
		for _, g := range divide(items, group) {
			k.cosSin(g)
		}
	})
	k.op("JMP", done)

	k.place(cos)
	group = len(k.temp) / 2
	if k.wide() {
		group = min((len(k.temp)-4)/2, 8)
	}
	k.scheduled(k.release, func() {
		for _, g := range divide(items, group) {
			k.cos(g)
		}
	})
	k.place(done)
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

// horner leaves Σ cᵢ·u^i in p for several vectors at once. With spare registers
// each coefficient is loaded once for all of them.
func (k *kernel) horner(name string, terms int, u, p, spare []string) {
	if len(spare) > 1 {
		top, next := spare[0], spare[1]
		k.set(fmt.Sprint(name, terms-1), top)
		k.set(fmt.Sprint(name, terms-2), next)
		for j := range p {
			k.fp("VMOVA", next, p[j])
			k.fp("VFMADD231", top, u[j], p[j])
		}
		for c := terms - 3; c >= 0; c-- {
			r := spare[c%len(spare)]
			k.set(fmt.Sprint(name, c), r)
			for j := range p {
				k.fp("VFMADD213", r, u[j], p[j])
			}
		}
		return
	}
	for j := range p {
		k.set(fmt.Sprint(name, terms-1), p[j])
	}
	for c := terms - 2; c >= 0; c-- {
		for j := range p {
			k.konst("VFMADD213"+k.p, fmt.Sprint(name, c), u[j], p[j])
		}
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

// cos is weight·cos(2πt), by cosTurns.
func (k *kernel) cos(items []item) {
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
	k.horner("cos", len(coef[k.size].cos), u, p, spare)
	if k.size == 8 {
		for j, i := range items {
			k.fp("VMUL", p[j], i.t, i.t)
		}
	} else {
		for j, i := range items {
			k.fp("VADD", i.t, i.t, u[j])
		}
		for j := range items {
			k.fp("VADD", u[j], u[j], u[j])
		}
		for j, i := range items {
			k.fp("VFMADD213", u[j], p[j], i.t) // g·(P−4) + 4g
		}
	}
	for _, i := range items {
		k.fp("VMUL", i.weight, i.t, i.t)
	}
}

// cosSin is the pair weight·cos(2πt), weight2·sin(2πt), by cosSinTurns; the
// sines are stored.
func (k *kernel) cosSin(items []item) {
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
	k.horner("pairC", len(coef[k.size].pairC), u, c, spare)
	k.horner("pairS", len(coef[k.size].pairS), u, s, nil)
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
			k.ternary(0x96, d, c[j], b)
			k.ternary(0x96, d, i.t, a)
			k.fp("VMUL", i.weight, b, i.t)
			k.fp("VMUL", i.weight2, a, a)
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
		k.fp("VMUL", i.weight, i.t, i.t)
		k.fp("VMUL", i.weight2, c[j], c[j])
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

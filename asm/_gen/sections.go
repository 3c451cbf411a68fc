package main

// Entries of the table at rCoef for sections: see sectionTable in package asm. One
// and the polynomial after it are the coefficients of 2^−f.
const (
	sectionCut = iota
	sectionMagic
	sectionLn2
	sectionThird
	sectionOne
)

// sectionTerms is the number of coefficients of 2^−f, by element size.
var sectionTerms = map[int]int{8: 12, 4: 7}

// sections branches among the sections, functions above ArcCos2, and goes on to
// linear with section(t) in place of t.
func (k *kernel) sections(items []item, linear string) {
	plain, third, fifth, cauchy := k.label("section"), k.label("matern3_"), k.label("matern5_"), k.label("cauchy")
	k.comment("Sections: max(t, 0), then the square root but for SectionGaussian and SectionCauchy.")
	k.op("MOVQ", field("coef"), rCoef)
	zero := k.temp[0]
	k.op("VXOR"+k.p, zero, zero, zero)
	for _, i := range items {
		k.fp("VMAX", i.t, zero, i.t)
	}
	k.op("CMPQ", rFunction, constant("SectionGaussian"))
	k.op("JEQ", plain)
	k.op("CMPQ", rFunction, constant("SectionCauchy"))
	k.op("JEQ", cauchy)
	for _, i := range items {
		k.fp("VSQRT", i.t, i.t)
	}
	k.op("CMPQ", rFunction, constant("SectionMatern3"))
	k.op("JEQ", third)
	k.op("JGT", fifth)
	for _, variant := range []struct {
		label, text string
		factor      int
	}{{plain, "2^−a.", 0}, {third, "SectionMatern3.", 1}, {fifth, "SectionMatern5.", 2}} {
		k.place(variant.label)
		k.comment(variant.text)
		group := len(k.temp) / 3
		if k.wide() {
			group = min((len(k.temp)-3)/3, 4)
		}
		for _, g := range divide(items, group) {
			k.powers(g, variant.factor)
		}
		k.op("JMP", linear)
	}
	k.place(cauchy)
	k.comment("SectionCauchy.")
	one := k.temp[0]
	k.load(sectionOne, one)
	for _, i := range items {
		k.fp("VADD", one, i.t, i.t)
		k.fp("VDIV", i.t, one, i.t)
	}
	k.op("JMP", linear)
}

// powers is exp2Negative of t, times a polynomial of t of the degree factor.
func (k *kernel) powers(items []item, factor int) {
	n := len(items)
	m, f, p, spare := k.temp[:n], k.temp[n:2*n], k.temp[2*n:3*n], k.temp[3*n:]
	magic := p[0] // until the polynomial
	k.load(sectionMagic, magic)
	for j, i := range items {
		k.round(i.t, m[j])
		k.fp("VSUB", m[j], i.t, f[j]) // f = a − n
	}
	for j := range items {
		// The low bits of magic − n are the exponent of 2^−n.
		k.fp("VSUB", m[j], magic, m[j])
		k.integer("VPSLL", k.mant, m[j], m[j])
	}
	k.horner(sectionOne, sectionTerms[k.size], f, p, spare)
	switch factor {
	case 1: // 1 + ln2·a
		for j := range items {
			k.load(sectionLn2, f[j])
		}
	case 2:
		for j := range items {
			k.load(sectionThird, f[j])
		}
		for j, i := range items {
			k.plus(sectionLn2, i.t, f[j])
		}
	}
	if factor > 0 {
		for j, i := range items {
			k.plus(sectionOne, i.t, f[j])
		}
		for j := range items {
			k.fp("VMUL", f[j], p[j], p[j])
		}
	}
	// 0 beyond the cut; NaN stays.
	const notGreater = 10
	if k.wide() {
		cut := f[0]
		k.load(sectionCut, cut)
		for j, i := range items {
			k.fp("VCMP", notGreater, cut, i.t, "K1")
			k.op("VMUL"+k.p+".Z", m[j], p[j], "K1", i.t)
		}
		return
	}
	for j, i := range items {
		k.fp("VCMP", notGreater, k.coef(sectionCut), i.t, f[j])
		k.fp("VMUL", m[j], p[j], i.t)
		k.fp("VAND", f[j], i.t, i.t)
	}
}

// plus is to·u + entry c of the table, in to.
func (k *kernel) plus(c int, u, to string) {
	fma := "VFMADD213" + k.p
	if k.wide() {
		fma += ".BCST"
	}
	k.op(fma, k.coef(c), u, to)
}

package main

// Entries of the table at rCoef for sections, 32 bytes each: see setSections in
// package asm. One and what follows it are the coefficients of 2^−f.
const (
	sectionCut = 32 * iota
	sectionMagic
	sectionLn2
	sectionThird
	sectionOne
)

// sectionTerms is the number of coefficients of 2^−f, by element size.
var sectionTerms = map[int]int{8: 12, 4: 7}

// sections replaces t by section(t) and branches to label store.
func (c *code) sections(t []V) {
	c.label("sections")
	c.comment("Sections: max(t, 0), then the square root but for SectionGaussian and SectionCauchy.")
	for _, a := range t {
		c.cmp0("fcmlt", 16, a)
		c.bits("bic", a, a, 16)
	}
	c.go_("CMP $const_SectionGaussian, %s", rFunc)
	c.go_("BEQ section")
	c.go_("CMP $const_SectionCauchy, %s", rFunc)
	c.go_("BEQ cauchy")
	for _, a := range t {
		c.un("fsqrt", a, a)
	}
	c.go_("CMP $const_SectionMatern3, %s", rFunc)
	c.go_("BEQ matern3")
	c.go_("BGT matern5")
	for factor, label := range []string{"section", "matern3", "matern5"} {
		c.label(label)
		for i := 0; i < len(t); i += 4 {
			c.powers(t[i:min(i+4, len(t))], factor)
		}
		c.go_("B store")
	}
	c.label("cauchy")
	c.ld(30, sectionOne, rCoef)
	for _, a := range t {
		c.v("fadd", a, a, 30)
		c.v("fdiv", a, 30, a)
	}
	c.go_("B store")
}

// powers is exp2Negative of up to four t, times a polynomial of t of the degree factor.
func (c *code) powers(t []V, factor int) {
	n := V(len(t))
	m, f, p, spare := span(16, 16+n), span(20, 20+n), span(24, 24+n), []V{28, 29}
	const k = 30
	c.ld(k, sectionMagic, rCoef)
	for i := range t {
		c.un("frintn", m[i], t[i])
	}
	for i := range t {
		c.v("fsub", f[i], t[i], m[i]) // a − n
		c.v("fsub", m[i], k, m[i])    // its low bits are the exponent of 2^−n
	}
	for i := range t {
		c.shl(m[i], m[i], map[int]int{8: 52, 4: 23}[c.elem])
	}
	p, spare = c.horner(sectionOne, sectionTerms[c.elem], p, f, spare)
	switch factor {
	case 1: // 1 + ln2·a
		c.ld(k, sectionLn2, rCoef)
		for i := range t {
			c.ld(f[i], sectionOne, rCoef)
			c.v("fmla", f[i], t[i], k)
		}
	case 2:
		c.ld(k, sectionThird, rCoef)
		for i := range t {
			c.ld(f[i], sectionLn2, rCoef)
			c.v("fmla", f[i], t[i], k)
		}
		for i := range t {
			s := spare[i%2]
			c.ld(s, sectionOne, rCoef)
			c.v("fmla", s, f[i], t[i])
			c.mov(f[i], s)
		}
	}
	if factor > 0 {
		for i := range t {
			c.v("fmul", p[i], p[i], f[i])
		}
	}
	c.ld(k, sectionCut, rCoef)
	for i := range t { // 0 beyond the cut; NaN stays
		c.v("fcmgt", f[i], t[i], k)
		c.v("fmul", t[i], p[i], m[i])
		c.bits("bic", t[i], t[i], f[i])
	}
}

package main

// function writes the evaluation of a.f on the accumulators t, in place: falls
// through or branches to label store. For CosSin the cosine stays in t[i] and
// sine(i, s, w) takes the sine, register s, with w free; before runs once first.
//
// There is no NEON multiply-add that overwrites a factor, so a Horner step
// p ← c + p·u loads the next coefficient c into a spare register, adds p·u to
// it and makes the old p the spare. The loads run on other pipes than the
// arithmetic, which copies from a register would not; the table holds each
// coefficient twice, so that one instruction feeds two chains.
func (c *code) function(t []V, sine func(i int, s, w V), before func()) {
	c.go_("CMP $const_Cos, %s", rFunc)
	c.go_("BEQ cos")
	c.go_("CMP $const_CosSin, %s", rFunc)
	c.go_("BEQ cossin")
	c.go_("CMP $const_Linear, %s", rFunc)
	c.go_("BEQ store")
	c.go_("CMP $const_ArcCos0, %s", rFunc)
	c.go_("BEQ arccos0")
	c.go_("CMP $const_ArcCos2, %s", rFunc)
	c.go_("BGT sections")

	c.comment("ArcCos1 and 2: max(t, 0); ArcCos2: its square.")
	// ArcCos1 and 2: t, or +0 where t < 0; −0 and NaN stay.
	for _, a := range t {
		c.cmp0("fcmlt", 16, a)
		c.bits("bic", a, a, 16)
	}
	c.go_("CMP $const_ArcCos1, %s", rFunc)
	c.go_("BEQ store")
	for _, a := range t {
		c.v("fmul", a, a, a)
	}
	c.go_("B store")

	c.label("arccos0")
	c.comment("ArcCos0: the step function.")
	c.ld(30, c.tab().one, rTab)
	c.ld(31, c.tab().half, rTab)
	for i, a := range t {
		gt, eq, ord := V(16+i%2*4), V(17+i%2*4), V(18+i%2*4)
		c.cmp0("fcmgt", gt, a)
		c.cmp0("fcmeq", eq, a)
		c.v("fcmeq", ord, a, a)
		c.bits("and", gt, gt, 30)
		c.bits("and", eq, eq, 31)
		c.bits("orr", gt, gt, eq)
		c.bits("bit", a, gt, ord) // NaN stays
	}
	c.go_("B store")

	c.sections(t)

	c.label("cossin")
	c.comment("CosSin.")
	before()
	for i := 0; i < len(t); i += 3 {
		c.cosSin(t[i:min(i+3, len(t))], i, sine)
	}
	c.go_("B store")

	c.label("cos")
	c.comment("Cos.")
	for i := 0; i < len(t); i += 6 {
		c.cos(t[i:min(i+6, len(t))])
	}
}

// horner writes p[i] = Σ coef·u[i]^k in lockstep, for coefficients at offset
// at of those at rCoef. p, u and spare (two registers) are overwritten but for u;
// it returns where the results are and the spares left.
func (c *code) horner(at, terms int, p, u, spare []V) (value, left []V) {
	p, spare = append([]V(nil), p...), append([]V(nil), spare...)
	for i := 0; i < len(p); i += 2 {
		if i+1 < len(p) {
			c.ld2(p[i], p[i+1], at+32*(terms-1), rCoef)
		} else {
			c.ld(p[i], at+32*(terms-1), rCoef)
		}
	}
	for k := terms - 2; k >= 0; k-- {
		for i := 0; i < len(p); i += 2 {
			if i+1 < len(p) {
				c.ld2(spare[0], spare[1], at+32*k, rCoef)
			} else {
				c.ld(spare[0], at+32*k, rCoef)
			}
			for j := i; j < min(i+2, len(p)); j++ {
				c.v("fmla", spare[j-i], p[j], u[j])
				p[j], spare[j-i] = spare[j-i], p[j]
			}
		}
	}
	return p, spare
}

// cos replaces up to six t by cos(2πt): cosTurns of cos.go, step by step.
func (c *code) cos(t []V) {
	n := len(t)
	quarter, u, p, spare := V(16), span(17, 17+V(n)), span(23, 23+V(n)), []V{29, 30}
	c.ld(quarter, c.tab().quarter, rTab)
	for i := range t {
		c.un("frintn", u[i], t[i])
	}
	for i := range t {
		c.v("fabd", t[i], t[i], u[i]) // |f|
	}
	for i := range t {
		c.v("fsub", t[i], quarter, t[i]) // g
	}
	for i := range t {
		c.v("fmul", u[i], t[i], t[i])
	}
	p, spare = c.horner(c.tab().cos, len(c.tab().cosP), p, u, spare)
	if c.elem == 8 {
		for i := range t {
			c.v("fmul", t[i], t[i], p[i])
		}
		return
	}
	c.ld(spare[0], c.tab().lead, rCoef)
	for i := range t {
		c.v("fmul", u[i], t[i], spare[0]) // 4g, for weight 1
	}
	for i := range t {
		c.v("fmla", u[i], t[i], p[i])
	}
	for i := range t {
		c.mov(t[i], u[i])
	}
}

// cosSin replaces up to three t by cos(2πt) and hands the sines to sine:
// cosSinTurns of cos.go, step by step. first is the index of t[0].
func (c *code) cosSin(t []V, first int, sine func(i int, s, w V)) {
	n := V(len(t))
	q, u, p1, p2 := span(16, 16+n), span(19, 19+n), span(22, 22+n), span(25, 25+n)
	spare := []V{28, 29}
	const k = 30
	c.ld(k, c.tab().reduce, rTab) // lanes −¼, 4
	for i := range t {
		c.un("frintn", u[i], t[i])
	}
	for i := range t {
		c.v("fsub", t[i], t[i], u[i]) // f in ±½
	}
	for i := range t {
		c.elt("fmul", q[i], t[i], k, 1)
	}
	for i := range t {
		c.un("frintn", q[i], q[i])
	}
	for i := range t {
		c.elt("fmla", t[i], q[i], k, 0) // f in ±⅛
	}
	for i := range t {
		c.v("fmul", u[i], t[i], t[i])
	}
	for i := range t {
		c.un("fcvtns", q[i], q[i]) // quarter turns; 0 for NaN
	}
	cosine, spare := c.horner(c.tab().pairC, len(c.tab().coefC), p1, u, spare)
	sin, spare := c.horner(c.tab().pairS, len(c.tab().coefS), p2, u, spare)
	for i := range t {
		c.v("fmul", sin[i], sin[i], t[i])
	}
	// Odd quarters swap the two; the cosine is negative in quarters 1 and 2,
	// the sine in 2 and 3: bit 1 of q+1 and of q, moved to the sign.
	sign, one := V(30), V(31)
	c.ld(one, c.tab().intOne, rTab)
	c.ld(sign, c.tab().sign, rTab)
	for i := range t {
		odd := u[i]
		c.v("cmtst", odd, q[i], one)
		c.mov(t[i], cosine[i])
		c.bits("bit", t[i], sin[i], odd)
		c.bits("bit", sin[i], cosine[i], odd)
		c.shl(spare[0], q[i], 8*c.elem-2)
		c.bits("and", spare[0], spare[0], sign)
		c.bits("eor", sin[i], sin[i], spare[0])
		c.v("add", spare[1], q[i], one)
		c.shl(spare[1], spare[1], 8*c.elem-2)
		c.bits("and", spare[1], spare[1], sign)
		c.bits("eor", t[i], t[i], spare[1])
	}
	for i := range t {
		sine(first+i, sin[i], u[i])
	}
}

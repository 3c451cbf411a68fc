package main

import "fmt"

// sdot is d += the sums of the four products of bytes of each lane of n and of element index of m.
func (c *code) sdot(d, n, m V, index int) {
	w := 0x4f80e000 | uint32(index&1)<<21 | uint32(index>>1)<<11
	c.word(w|uint32(m<<16|n<<5|d), "sdot v%d.4s, v%d.16b, v%d.4b[%d]", d, n, m, index)
}

// smlal is d += the products of four halfwords of n, the upper ones if upper is 1, and element
// index of m, one of V0 to V15.
func (c *code) smlal(d, n, m V, index, upper int) {
	w := 0x0f402000 | uint32(upper)<<30 | uint32(index>>2)<<11 | uint32(index>>1&1)<<21 | uint32(index&1)<<20
	name, shape := [2]string{"smlal", "smlal2"}[upper], [2]string{"4h", "8h"}[upper]
	c.word(w|uint32(m<<16|n<<5|d), "%s v%d.4s, v%d.%s, v%d.h[%d]", name, d, n, shape, m, index)
}

// unzip is d = the even or, if odd is 1, the odd halfwords of n:m.
func (c *code) unzip(d, n, m V, odd int) {
	c.word(0x4e401800|uint32(odd)<<14|uint32(m<<16|n<<5|d), "uzp%d v%d.8h, v%d.8h, v%d.8h", odd+1, d, n, m)
}

// insert is d = n << shift in the bits of 32-bit lanes from shift on; lower ones stay.
func (c *code) insert(d, n V, shift int) {
	c.word(0x6f005400|uint32(32+shift)<<16|uint32(n<<5|d), "sli v%d.4s, v%d.4s, #%d", d, n, shift)
}

// whole is lo, hi = float64 of the int32 lanes 0, 1 and 2, 3 of n.
func (c *code) whole(lo, hi, n V) {
	c.word(0x0f20a400|uint32(n<<5|lo), "sxtl v%d.2d, v%d.2s", lo, n)
	c.word(0x4f20a400|uint32(n<<5|hi), "sxtl2 v%d.2d, v%d.4s", hi, n)
	for _, d := range []V{lo, hi} {
		c.word(0x4e61d800|uint32(d<<5|d), "scvtf v%d.2d, v%d.2d", d, d)
	}
}

// times64 is d += n·m[0] in float64 lanes.
func (c *code) times64(d, n, m V) {
	c.word(byElement["fmla"]|1<<22|uint32(m<<16|n<<5|d), "fmla v%d.2d, v%d.2d, v%d.d[0]", d, n, m)
}

// integers writes the product of words of integers of per rows, 2 or 4, for that many columns of
// a and a.panels whole panels of b: smlal multiplies the halfwords of even and of odd rows apart,
// and sdot adds up four rows of bytes.
func (c *code) integers(rows, per int) {
	kind := map[int]string{2: "words", 4: "quads"}[per]
	c.text(fmt.Sprintf("%sNEON%sx%d", kind, c.suffix(), rows), fmt.Sprintf(
		"// Integers.Accumulate of %d rows and a.panels whole panels, in words of %d rows.\n", rows, per))
	load := func(reg, field string) { c.go_("MOVD neonGemm_%s(%s), %s", field, rArgs, reg) }
	load(rPanels, "panels")
	load(gemmB, "b")
	load(gemmBStr, "bStride")
	load(gemmC, "c")
	load(gemmLDC, "ldc")
	load(gemmLDA, "lda")
	load(gemmNext, "next")
	c.go_("FMOVD neonGemm_alpha(%s), F31", rArgs)

	const a = V(0) // smlal takes elements of the lower half of the registers
	acc := func(r, v int) V { return V(1 + r*vecs + v) }
	step := func(b V) {
		switch rows {
		case 4:
			c.ld(a, 0, gemmA)
		case 2:
			c.go_("FMOVD (%s), F%d", gemmA, a)
		case 1:
			c.go_("FMOVS (%s), F%d", gemmA, a)
		}
		c.go_("ADD %s, %s", gemmLDA, gemmA)
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", gemmBk, b, b+1)
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", gemmBk, b+2, b+3)
		if per == 2 {
			for half := range V(2) {
				for odd := range 2 {
					c.unzip(25+half+V(2*odd), b+2*half, b+2*half+1, odd)
				}
			}
		}
		for r := range rows {
			for v := range vecs {
				if per == 4 {
					c.sdot(acc(r, v), b+V(v), a, r)
					continue
				}
				for odd := range 2 {
					c.smlal(acc(r, v), V(25+v/2+2*odd), a, 2*r+odd, v%2)
				}
			}
		}
	}
	c.label("panel")
	c.comment("Tile of %d rows by a panel: clear the sums.", rows)
	load(gemmA, "a")
	load(gemmK, "k")
	c.go_("MOVD %s, %s", gemmB, gemmBk)
	for r := range rows {
		for v := range vecs {
			c.zero(acc(r, v))
		}
	}
	c.comment("Four words at a time.")
	c.go_("LSR $2, %s, %s", gemmK, gemmLeft)
	c.go_("CBZ %s, krest", gemmLeft)
	c.label("kloop")
	c.go_("PRFM (%s), PLDL2KEEP", gemmNext)
	c.go_("ADD $64, %s", gemmNext)
	for i := range 4 {
		step(V(17 + i%2*4))
	}
	c.go_("SUBS $1, %s", gemmLeft)
	c.go_("BNE kloop")
	c.label("krest")
	c.comment("The words that are left.")
	c.go_("ANDS $3, %s, %s", gemmK, gemmLeft)
	c.go_("BEQ finish")
	c.label("kone")
	step(17)
	c.go_("SUBS $1, %s", gemmLeft)
	c.go_("BNE kone")

	c.label("finish")
	c.comment("c = fma(float64(s), unit, c)")
	c.go_("MOVD %s, %s", gemmC, gemmRow)
	for r := range rows {
		for v := range vecs {
			c.whole(17, 18, acc(r, v))
			c.ld2(19, 20, 32*v, gemmRow)
			c.times64(19, 17, 31)
			c.times64(20, 18, 31)
			c.st2(19, 20, 32*v, gemmRow)
		}
		c.go_("ADD %s, %s", gemmLDC, gemmRow)
	}
	c.comment("The next panel.")
	c.go_("ADD %s, %s", gemmBStr, gemmB)
	load(gemmLeft, "panelBytes")
	c.go_("ADD %s, %s", gemmLeft, gemmC)
	c.go_("SUBS $1, %s", rPanels)
	c.go_("BNE panel")
	c.go_("RET")
}

// round writes the rounding of rows of a panel to words of per rows.
func (c *code) round(per int) {
	const from, to, left, factor = "R1", "R2", "R3", "R4"
	c.text(fmt.Sprintf("roundNEON%sx%d", c.suffix(), per), fmt.Sprintf("// Integers.Round to a.words words of %d rows.\n", per))
	load := func(reg, field string) { c.go_("MOVD neonRound_%s(%s), %s", field, rArgs, reg) }
	load(from, "z")
	load(left, "words")
	load(factor, "factor")
	c.go_("MOVD %s, %s", from, to)
	scale := func(v int) V { return V(24 + v) }
	for v := 0; v < vecs; v += 2 {
		c.ld2(scale(v), scale(v+1), 16*v, factor)
	}
	c.label("words")
	for v := range vecs {
		for i := range per {
			c.ld(V(i), 16*(i*vecs+v), from)
			c.v("fmul", V(i), V(i), scale(v))
			c.un("fcvtns", V(i), V(i))
			if i > 0 {
				c.insert(0, V(i), 32/per*i)
			}
		}
		c.st(0, 16*v, to)
	}
	c.go_("ADD $%d, %s", 16*vecs*per, from)
	c.go_("ADD $%d, %s", 16*vecs, to)
	c.go_("SUBS $1, %s", left)
	c.go_("BNE words")
	c.go_("RET")
}

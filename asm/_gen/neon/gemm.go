package main

import "fmt"

// Registers of a tile product.
const (
	gemmB     = "R2" // panel of b
	gemmBStr  = "R3"
	gemmC     = "R4" // panel of c
	gemmLDC   = "R5"
	gemmLDA   = "R6"
	gemmMode  = "R7"
	gemmA     = "R8" // running a
	gemmK     = "R9"
	gemmBk    = "R10" // running b
	gemmLeft  = "R11" // steps of k to go; then from one panel of c to the next
	gemmRow   = "R12" // row of c
	gemmAlpha = "R13"
	gemmNext  = "R14" // what to fetch
)

// gemm writes the tile product of rows rows and a.panels whole panels: rows·4
// accumulators, a taken by element from the vectors that hold one step of k.
// a.mode is what becomes of the chains: neonAdd, neonOverwrite, neonWiden.
func (c *code) gemm(rows int) {
	c.text(fmt.Sprintf("gemmNEON%sx%d", c.suffix(), rows), fmt.Sprintf(
		"// Gemm and Accumulate of %d rows and a.panels whole panels.\n", rows))
	load := func(reg, field string) { c.go_("MOVD neonGemm_%s(%s), %s", field, rArgs, reg) }
	load(rPanels, "panels")
	load(gemmB, "b")
	load(gemmBStr, "bStride")
	load(gemmC, "c")
	load(gemmLDC, "ldc")
	load(gemmLDA, "lda")
	load(gemmMode, "mode")
	load(gemmNext, "next")

	c.label("panel")
	c.comment("Tile of %d rows by a panel: clear the accumulators.", rows)
	load(gemmA, "a")
	load(gemmK, "k")
	c.go_("MOVD %s, %s", gemmB, gemmBk)
	n := V(rows * vecs)
	for v := V(0); v < n; v++ {
		c.zero(v)
	}
	step := func(a, b V) {
		switch rows * c.elem {
		case 32:
			c.ld2(a, a+1, 0, gemmA)
		case 16:
			c.ld(a, 0, gemmA)
		case 8:
			c.go_("FMOVD (%s), F%d", gemmA, a)
		case 4:
			c.go_("FMOVS (%s), F%d", gemmA, a)
		}
		c.go_("ADD %s, %s", gemmLDA, gemmA)
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", gemmBk, b, b+1)
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", gemmBk, b+2, b+3)
		for r := range rows {
			for v := V(0); v < vecs; v++ {
				c.elt("fmla", V(r)*vecs+v, b+v, a+V(r/c.lanes()), r%c.lanes())
			}
		}
	}
	// Four steps of k share one cache line of prefetch, as Gemm promises.
	c.comment("Four steps of k at a time.")
	c.go_("LSR $2, %s, %s", gemmK, gemmLeft)
	c.go_("CBZ %s, krest", gemmLeft)
	c.label("kloop")
	c.go_("PRFM (%s), PLDL2KEEP", gemmNext)
	c.go_("ADD $64, %s", gemmNext)
	for i := range 4 {
		step(V(16+i%2*6), V(18+i%2*6))
	}
	c.go_("SUBS $1, %s", gemmLeft)
	c.go_("BNE kloop")
	c.label("krest")
	c.comment("The steps of k that are left.")
	c.go_("ANDS $3, %s, %s", gemmK, gemmLeft)
	c.go_("BEQ finish")
	c.label("kone")
	step(16, 18)
	c.go_("SUBS $1, %s", gemmLeft)
	c.go_("BNE kone")

	c.label("finish")
	c.go_("MOVD %s, %s", gemmC, gemmRow)
	c.go_("CMP $const_neonWiden, %s", gemmMode)
	c.go_("BEQ widen")
	c.go_("ADD $neonGemm_alpha, %s, %s", rArgs, gemmAlpha)
	c.ld1(31, 0, gemmAlpha)
	c.go_("CMP $const_neonOverwrite, %s", gemmMode)
	c.go_("BEQ overwrite")
	c.comment("c = fma(alpha, s, c)")
	for r := range rows {
		for v := V(0); v < vecs; v += 2 {
			s := V(r)*vecs + v
			c.ld2(16, 17, int(16*v), gemmRow)
			c.elt("fmla", 16, s, 31, 0)
			c.elt("fmla", 17, s+1, 31, 0)
			c.st2(16, 17, int(16*v), gemmRow)
		}
		c.go_("ADD %s, %s", gemmLDC, gemmRow)
	}
	c.go_("B next")

	c.label("overwrite")
	c.comment("c = alpha*s")
	for r := range rows {
		for v := V(0); v < vecs; v += 2 {
			s := V(r)*vecs + v
			c.elt("fmul", s, s, 31, 0)
			c.elt("fmul", s+1, s+1, 31, 0)
			c.st2(s, s+1, int(16*v), gemmRow)
		}
		c.go_("ADD %s, %s", gemmLDC, gemmRow)
	}
	c.go_("B next")

	c.label("widen")
	c.comment("c += s in float64")
	for r := range rows {
		for v := V(0); v < vecs; v++ {
			s := V(r)*vecs + v
			if c.elem == 8 {
				if v%2 == 0 {
					c.ld2(16, 17, int(16*v), gemmRow)
					c.add64(16, 16, s)
					c.add64(17, 17, s+1)
					c.st2(16, 17, int(16*v), gemmRow)
				}
				continue
			}
			c.ld2(16, 17, int(32*v), gemmRow)
			c.widen(18, 19, s)
			c.add64(16, 16, 18)
			c.add64(17, 17, 19)
			c.st2(16, 17, int(32*v), gemmRow)
		}
		c.go_("ADD %s, %s", gemmLDC, gemmRow)
	}

	c.label("next")
	c.comment("The next panel.")
	c.go_("ADD %s, %s", gemmBStr, gemmB)
	load(gemmLeft, "panelBytes")
	c.go_("ADD %s, %s", gemmLeft, gemmC)
	c.go_("SUBS $1, %s", rPanels)
	c.go_("BNE panel")
	c.go_("RET")
}

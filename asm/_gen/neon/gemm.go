package main

import "fmt"

// gemm writes the tile product of rows rows and a.panels whole panels: rows·4
// accumulators, a taken by element from the vectors that hold one step of k.
// a.mode is what becomes of the chains: neonAdd, neonOverwrite, neonWiden.
func (c *code) gemm(rows int) {
	c.text(fmt.Sprintf("gemmNEON%sx%d", c.suffix(), rows), fmt.Sprintf(
		"// Gemm and Accumulate of %d rows and a.panels whole panels.\n", rows))
	load := func(reg, field string) { c.go_("MOVD neonGemm_%s(R0), %s", field, reg) }
	load("R1", "panels")
	load("R2", "b")
	load("R3", "bStride")
	load("R4", "c")
	load("R5", "ldc")
	load("R6", "lda")
	load("R7", "mode")
	load("R14", "next")

	c.label("panel")
	c.comment("Tile of %d rows by a panel: clear the accumulators.", rows)
	load("R8", "a")
	load("R9", "k")
	c.go_("MOVD R2, R10")
	n := V(rows * vecs)
	for v := V(0); v < n; v++ {
		c.zero(v)
	}
	step := func(a, b V) {
		switch rows * c.elem {
		case 32:
			c.ld2(a, a+1, 0, "R8")
		case 16:
			c.ld(a, 0, "R8")
		case 8:
			c.go_("FMOVD (R8), F%d", a)
		case 4:
			c.go_("FMOVS (R8), F%d", a)
		}
		c.go_("ADD R6, R8")
		c.go_("FLDPQ.P 32(R10), (F%d, F%d)", b, b+1)
		c.go_("FLDPQ.P 32(R10), (F%d, F%d)", b+2, b+3)
		for r := range rows {
			for v := V(0); v < vecs; v++ {
				c.elt("fmla", V(r)*vecs+v, b+v, a+V(r/c.lanes()), r%c.lanes())
			}
		}
	}
	// Four steps of k share one cache line of prefetch, as Gemm promises.
	c.comment("Four steps of k at a time.")
	c.go_("LSR $2, R9, R11")
	c.go_("CBZ R11, krest")
	c.label("kloop")
	c.go_("PRFM (R14), PLDL2KEEP")
	c.go_("ADD $64, R14")
	for i := range 4 {
		step(V(16+i%2*6), V(18+i%2*6))
	}
	c.go_("SUBS $1, R11")
	c.go_("BNE kloop")
	c.label("krest")
	c.comment("The steps of k that are left.")
	c.go_("ANDS $3, R9, R11")
	c.go_("BEQ finish")
	c.label("kone")
	step(16, 18)
	c.go_("SUBS $1, R11")
	c.go_("BNE kone")

	c.label("finish")
	c.go_("MOVD R4, R12")
	c.go_("CMP $const_neonWiden, R7")
	c.go_("BEQ widen")
	c.go_("ADD $neonGemm_alpha, R0, R13")
	c.ld1(31, 0, "R13")
	c.go_("CMP $const_neonOverwrite, R7")
	c.go_("BEQ overwrite")
	c.comment("c = fma(alpha, s, c)")
	for r := range rows {
		for v := V(0); v < vecs; v += 2 {
			s := V(r)*vecs + v
			c.ld2(16, 17, int(16*v), "R12")
			c.elt("fmla", 16, s, 31, 0)
			c.elt("fmla", 17, s+1, 31, 0)
			c.st2(16, 17, int(16*v), "R12")
		}
		c.go_("ADD R5, R12")
	}
	c.go_("B next")

	c.label("overwrite")
	c.comment("c = alpha*s")
	for r := range rows {
		for v := V(0); v < vecs; v += 2 {
			s := V(r)*vecs + v
			c.elt("fmul", s, s, 31, 0)
			c.elt("fmul", s+1, s+1, 31, 0)
			c.st2(s, s+1, int(16*v), "R12")
		}
		c.go_("ADD R5, R12")
	}
	c.go_("B next")

	c.label("widen")
	c.comment("c += s in float64")
	for r := range rows {
		for v := V(0); v < vecs; v++ {
			s := V(r)*vecs + v
			if c.elem == 8 {
				if v%2 == 0 {
					c.ld2(16, 17, int(16*v), "R12")
					c.add64(16, 16, s)
					c.add64(17, 17, s+1)
					c.st2(16, 17, int(16*v), "R12")
				}
				continue
			}
			c.ld2(16, 17, int(32*v), "R12")
			c.widen(18, 19, s)
			c.add64(16, 16, 18)
			c.add64(17, 17, 19)
			c.st2(16, 17, int(32*v), "R12")
		}
		c.go_("ADD R5, R12")
	}

	c.label("next")
	c.comment("The next panel.")
	c.go_("ADD R3, R2")
	load("R11", "panelBytes")
	c.go_("ADD R11, R4")
	c.go_("SUBS $1, R1")
	c.go_("BNE panel")
	c.go_("RET")
}

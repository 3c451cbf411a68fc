package main

// Registers of a dot product.
const (
	dotX      = "R1"
	dotY      = "R2"
	dotBlocks = "R3" // to go
	dotTailX  = "R4" // the last block, or 0
	dotTailY  = "R5"
)

// dot writes the 32 lanes of Dot: a.blocks blocks of 32 elements from x and y,
// then one more from xt and yt, and the folding of the lanes.
func (c *code) dot() {
	c.text("dotNEON"+c.suffix(), "// The 32 fused chains of Dot, folded, in a.sum.\n")
	load := func(reg, field string) { c.go_("MOVD neonDot_%s(%s), %s", field, rArgs, reg) }
	load(dotX, "x")
	load(dotY, "y")
	load(dotBlocks, "blocks")
	load(dotTailX, "xt")
	load(dotTailY, "yt")
	n := V(32 / c.lanes())
	for v := V(0); v < n; v++ {
		c.zero(v)
	}
	c.go_("CBZ %s, tail", dotBlocks)
	c.label("block")
	c.comment("32 lanes.")
	for v := V(0); v < n; v += 2 {
		t := 16 + v%8*2/4*4 // four registers in turn: 16, 20, 24, 28
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", dotX, t, t+1)
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", dotY, t+2, t+3)
		c.v("fmla", v, t, t+2)
		c.v("fmla", v+1, t+1, t+3)
	}
	c.go_("SUBS $1, %s", dotBlocks)
	c.go_("BNE block")
	// The tail is one more block, padded with products −0, which change nothing.
	c.label("tail")
	c.comment("The last block, padded.")
	c.go_("CBZ %s, fold", dotTailX)
	c.go_("MOVD %s, %s", dotTailX, dotX)
	c.go_("MOVD %s, %s", dotTailY, dotY)
	c.go_("MOVD ZR, %s", dotTailX)
	c.go_("MOVD $1, %s", dotBlocks)
	c.go_("B block")
	c.label("fold")
	c.comment("Add the lanes, by halves.")
	for h := n / 2; h > 0; h /= 2 {
		for v := V(0); v < h; v++ {
			c.v("fadd", v, v, v+h)
		}
	}
	if c.elem == 4 {
		c.ext(1, 0, 0, 8)
		c.v("fadd", 0, 0, 1)
	}
	c.addPair(0, 0)
	c.go_("FMOVQ F0, neonDot_sum(%s)", rArgs)
	c.go_("RET")
}

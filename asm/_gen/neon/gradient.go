package main

import "fmt"

// A residualTile is rows by targets whose partial sums, a panel each, are in registers.
type residualTile struct{ rows, targets int }

// Registers of the kernels of the gradient.
const (
	gTiles  = "R1" // tiles to go
	gPanels = "R2" // panels to go
	gZ      = "R3" // features of this panel: cosines
	gZ2     = "R4" // and sines
	gZStr   = "R5" // from one panel to the next
	gA      = "R6" // coefficients
	gB      = "R7"
	gTile   = "R8" // offset of the rows of this tile in the features

	// Residuals.
	gAStr = "R9" // from one panel of coefficients to the next
	gR    = "R10"
	gY    = "R11"
	gLDR  = "R12"
	gLDY  = "R13"
	gTmp  = "R14"

	// Backward.
	gD       = "R9"
	gDStr    = "R10"
	gGA      = "R11" // derivatives by coefficients
	gGB      = "R12"
	gTargets = "R13" // targets to go
	gE       = "R14" // residuals of this target
	gLDE     = "R15"
	gRow     = "R16" // residuals of row 0 of this tile
	gE1      = "R17" // of row 1
	gAt      = "R19" // coefficients of this target
	gBt      = "R20"
	gGAt     = "R21"
	gGBt     = "R22"
	gPanel   = "R23" // offset of the coefficients of this panel
	gCoefStr = "R24" // from one panel of them to the next
	gWork    = "R25"

	// Adam.
	gX, gM, gV, gG     = "R1", "R2", "R3", "R4"
	gRuns, gVectors    = "R5", "R6"
	gSkip, gGSkip      = "R7", "R8"
	gConstants, gCount = "R9", "R10"
)

// panelBytes is the size of a row of a panel.
const panelBytes = 16 * vecs

// ldPanel loads four vectors, a row of a panel, into neighbours from d on.
func (c *code) ldPanel(d V, off int, base string) {
	c.ld2(d, d+1, off, base)
	c.ld2(d+2, d+3, off+32, base)
}

// residuals writes the kernel of tiles of so many rows and targets.
func (c *code) residuals(t residualTile) {
	c.text(fmt.Sprintf("residualsNEON%sx%dx%d", c.suffix(), t.rows, t.targets), fmt.Sprintf(
		"// Residuals of a.tiles tiles of %d rows by %d targets.\n", t.rows, t.targets))
	load := func(reg, field string) { c.go_("MOVD sweep_%s(%s), %s", field, rArgs, reg) }
	load(gTiles, "tiles")
	load(gZStr, "zStride")
	load(gAStr, "aStride")
	load(gR, "r")
	load(gY, "y")
	load(gLDR, "ldr")
	load(gLDY, "ldy")
	c.go_("MOVD ZR, %s", gTile)
	acc := func(r, i int) V { return V((r*t.targets + i) * vecs) }
	n := V(t.rows * t.targets * vecs)
	coef, feature := n, n+V(t.targets*vecs)

	c.label("tile")
	c.comment("Tile of %d rows by %d targets: clear the partial sums.", t.rows, t.targets)
	for v := V(0); v < n; v++ {
		c.zero(v)
	}
	load(gZ, "z")
	load(gZ2, "z2")
	load(gA, "a")
	load(gB, "b")
	load(gPanels, "panels")
	c.go_("ADD %s, %s", gTile, gZ)
	c.go_("ADD %s, %s", gTile, gZ2)
	c.go_("CBZ %s, fold", gPanels)
	c.label("panel")
	c.comment("Add the products, panel by panel: the cosines, then the sines.")
	for _, half := range [][2]string{{gZ, gA}, {gZ2, gB}} {
		for i := range t.targets {
			c.ldPanel(coef+V(i*vecs), i*panelBytes, half[1])
		}
		for r := range t.rows {
			c.ldPanel(feature, r*panelBytes, half[0])
			for i := range t.targets {
				for v := V(0); v < vecs; v++ {
					c.v("fmla", acc(r, i)+v, feature+v, coef+V(i*vecs)+v)
				}
			}
		}
	}
	for _, p := range [][2]string{{gZStr, gZ}, {gZStr, gZ2}, {gAStr, gA}, {gAStr, gB}} {
		c.go_("ADD %s, %s", p[0], p[1])
	}
	c.go_("SUBS $1, %s", gPanels)
	c.go_("BNE panel")
	c.label("fold")
	c.comment("Add the partial sums by halves, subtract the targets.")
	for r := range t.rows {
		for i := range t.targets {
			s := acc(r, i)
			c.v("fadd", s, s, s+2)
			c.v("fadd", s+1, s+1, s+3)
			c.v("fadd", s, s, s+1)
			if c.elem == 4 {
				c.ext(s+1, s, s, 8)
				c.v("fadd", s, s, s+1)
			}
			c.addPair(s, s)
			c.ld1(s+1, i*c.elem, gY)
			c.go_("FSUB%s F%d, F%d, F%d", c.letter(), s+1, s, s)
			c.go_("FMOV%s F%d, %d(%s)", c.letter(), s, i*c.elem, gR)
		}
		c.go_("ADD %s, %s", gLDR, gR)
		c.go_("ADD %s, %s", gLDY, gY)
	}
	c.go_("ADD $%d, %s", t.rows*panelBytes, gTile)
	c.go_("SUBS $1, %s", gTiles)
	c.go_("BNE tile")
	c.go_("RET")
}

// letter is the suffix of scalar instructions.
func (c *code) letter() string {
	if c.elem == 8 {
		return "D"
	}
	return "S"
}

// backward writes the kernel of tiles of so many rows by two vectors: features,
// and the chains u and v, stay in registers through all targets.
func (c *code) backward(rows int) {
	c.text(fmt.Sprintf("backwardNEON%sx%d", c.suffix(), rows), fmt.Sprintf(
		"// Backward of a.tiles tiles of %d rows.\n", rows))
	load := func(reg, field string) { c.go_("MOVD sweep_%s(%s), %s", field, rArgs, reg) }
	load(gTiles, "tiles")
	load(gZStr, "zStride")
	load(gDStr, "dStride")
	load(gA, "a")
	load(gB, "b")
	load(gGA, "ga")
	load(gGB, "gb")
	load(gRow, "r")
	load(gLDE, "ldr")
	load(gCoefStr, "aStride")
	c.go_("MOVD ZR, %s", gTile)
	const cols = 2 // vectors of a tile
	cos := func(r int) V { return V(8 * r) }
	sin := func(r int) V { return V(8*r + 2) }
	u := func(r int) V { return V(8*r + 4) }
	v := func(r int) V { return V(8*r + 6) }
	const a, b, ga, gb, e = 16, 18, 20, 22, 24

	c.label("tile")
	load(gZ, "z")
	load(gZ2, "z2")
	load(gD, "d")
	load(gPanels, "panels")
	for _, reg := range []string{gZ, gZ2, gD} {
		c.go_("ADD %s, %s", gTile, reg)
	}
	c.go_("MOVD ZR, %s", gPanel)
	c.label("panel")
	for half := 0; half < vecs/cols; half++ {
		off := half * cols * 16
		loop := fmt.Sprint("targets", half)
		c.comment("Tile of %d rows by %d vectors of a panel: the features.", rows, cols)
		for r := range rows {
			c.ld2(cos(r), cos(r)+1, r*panelBytes+off, gZ)
			c.ld2(sin(r), sin(r)+1, r*panelBytes+off, gZ2)
			for i := V(0); i < cols; i++ {
				c.zero(u(r) + i)
				c.zero(v(r) + i)
			}
		}
		c.go_("MOVD %s, %s", gRow, gE)
		if rows > 1 {
			c.go_("ADD %s, %s, %s", gLDE, gRow, gE1)
		}
		load(gTargets, "targets")
		for _, p := range [][2]string{{gA, gAt}, {gB, gBt}, {gGA, gGAt}, {gGB, gGBt}} {
			c.go_("ADD %s, %s, %s", gPanel, p[0], p[1])
		}
		c.label(loop)
		c.comment("A target: add its products to its derivatives, and to u and v.")
		c.ld2(a, a+1, off, gAt)
		c.ld2(b, b+1, off, gBt)
		c.ld2(ga, ga+1, off, gGAt)
		c.ld2(gb, gb+1, off, gGBt)
		for r, at := range []string{gE, gE1}[:rows] {
			c.go_("FMOV%s.P %d(%s), F%d", c.letter(), c.elem, at, e+r)
		}
		for r := range rows {
			for i := V(0); i < cols; i++ {
				c.elt("fmla", ga+i, cos(r)+i, V(e+r), 0)
				c.elt("fmla", gb+i, sin(r)+i, V(e+r), 0)
				c.elt("fmla", u(r)+i, b+i, V(e+r), 0)
				c.elt("fmla", v(r)+i, a+i, V(e+r), 0)
			}
		}
		c.st2(ga, ga+1, off, gGAt)
		c.st2(gb, gb+1, off, gGBt)
		for _, reg := range []string{gAt, gBt, gGAt, gGBt} {
			c.go_("ADD $%d, %s", panelBytes, reg)
		}
		c.go_("SUBS $1, %s", gTargets)
		c.go_("BNE %s", loop)
		c.comment("D = cos*u - sin*v")
		for r := range rows {
			for i := V(0); i < cols; i++ {
				c.v("fmul", u(r)+i, cos(r)+i, u(r)+i)
				c.v("fmls", u(r)+i, sin(r)+i, v(r)+i)
			}
			c.st2(u(r), u(r)+1, r*panelBytes+off, gD)
		}
	}
	c.comment("The next panel.")
	for _, p := range [][2]string{{gZStr, gZ}, {gZStr, gZ2}, {gDStr, gD}, {gCoefStr, gPanel}} {
		c.go_("ADD %s, %s", p[0], p[1])
	}
	c.go_("SUBS $1, %s", gPanels)
	c.go_("BNE panel")
	c.comment("The next rows.")
	c.go_("ADD $%d, %s", rows*panelBytes, gTile)
	c.go_("MOVD $%d, %s", rows, gWork)
	c.go_("MADD %s, %s, %s, %s", gLDE, gRow, gWork, gRow)
	c.go_("SUBS $1, %s", gTiles)
	c.go_("BNE tile")
	c.go_("RET")
}

// adam writes a step of Adam on runs of whole vectors.
func (c *code) adam() {
	c.text("adamNEON"+c.suffix(), "// Adam on a.runs runs of a.vectors vectors.\n")
	load := func(reg, field string) { c.go_("MOVD adamRun_%s(%s), %s", field, rArgs, reg) }
	for _, f := range [][2]string{{gX, "x"}, {gM, "m"}, {gV, "v"}, {gG, "g"}, {gRuns, "runs"}, {gVectors, "vectors"},
		{gSkip, "skip"}, {gGSkip, "gSkip"}, {gConstants, "constants"}} {
		load(f[0], f[1])
	}
	const scale, decay, left1, left2, rate, root, epsilon = 0, 1, 2, 3, 4, 5, 6
	const x, m, v, g, q = 16, 17, 18, 19, 20
	for i := V(0); i <= epsilon; i++ {
		c.ld1(i, int(i)*c.elem, gConstants)
	}
	if c.elem == 8 {
		c.go_("VDUP V%d.D[0], V%d.D2", epsilon, epsilon)
	} else {
		c.go_("VDUP V%d.S[0], V%d.S4", epsilon, epsilon)
	}
	c.label("run")
	c.go_("MOVD %s, %s", gVectors, gCount)
	c.label("vector")
	c.comment("The gradient, scaled and decayed.")
	c.ld(x, 0, gX)
	c.ld(m, 0, gM)
	c.ld(v, 0, gV)
	c.go_("FMOVQ.P 16(%s), F%d", gG, g)
	c.elt("fmul", g, g, scale, 0)
	c.elt("fmla", g, x, decay, 0)
	c.comment("The moments.")
	c.v("fsub", q, g, m)
	c.elt("fmla", m, q, left1, 0)
	c.go_("FMOVQ.P F%d, 16(%s)", m, gM)
	c.mov(q, v)
	c.v("fmls", q, g, g)
	c.elt("fmls", v, q, left2, 0)
	c.go_("FMOVQ.P F%d, 16(%s)", v, gV)
	c.comment("The step.")
	c.un("fsqrt", v, v)
	c.mov(q, epsilon)
	c.elt("fmla", q, v, root, 0)
	c.elt("fmul", m, m, rate, 0)
	c.v("fdiv", m, m, q)
	c.v("fsub", x, x, m)
	c.go_("FMOVQ.P F%d, 16(%s)", x, gX)
	c.go_("SUBS $1, %s", gCount)
	c.go_("BNE vector")
	c.comment("The next run.")
	for _, reg := range []string{gX, gM, gV} {
		c.go_("ADD %s, %s", gSkip, reg)
	}
	c.go_("ADD %s, %s", gGSkip, gG)
	c.go_("SUBS $1, %s", gRuns)
	c.go_("BNE run")
	c.go_("RET")
}

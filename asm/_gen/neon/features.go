package main

import "fmt"

// vecs is the number of vectors of a panel row: Panel = vecs·lanes.
//
// A tile of 4 rows × 4 vectors is 16 accumulators: as many chains as four FMA
// pipes of latency 4 need (Neoverse V1, V2; N1 and N2 have two pipes), and it
// leaves 16 registers for W, for x and for the cosines. By-element multiply-adds
// take x from a lane, so nothing is broadcast.
const vecs = 4

// Registers of a feature kernel; R18, R27…R30 belong to Go.
const (
	rArgs    = "R0"
	rPanels  = "R1" // panels to go
	rW       = "R2" // panel of W
	rPhase   = "R3" // … and its columns' phases and weights
	rWeight  = "R4"
	rWeight2 = "R5"
	rZ       = "R6" // panel of the output
	rZ2      = "R7"
	rGroups  = "R8" // groups of rows to go
	rX       = "R9"
	rLDX     = "R10"
	rD       = "R11"
	rWk      = "R12" // running W
	rK       = "R17"
	rZr      = "R19" // running Z
	rZ2r     = "R20"
	rRowStr  = "R21"
	rTab     = "R22"
	rFunc    = "R23"
	rCoef    = "R24"
	rTmp     = "R25"
)

// Registers of a score kernel.
const (
	scoreTargets  = "R1" // to go
	scoreY        = "R2" // this target in row 0
	scoreLDY      = "R3"
	scoreAcc      = "R4" // sums of this target
	scoreLDA      = "R5"
	scorePanelStr = "R6"
	scoreZ        = "R7"  // running features
	scoreRows     = "R8"  // to go
	scoreYr       = "R9"  // running targets
	scoreZ1       = "R10" // features of the second panel
)

// rRow are the row pointers, first of X and then of the outputs.
var rRow = [...]string{"R13", "R14", "R15", "R16"}

// span returns registers from … to−1.
func span(from, to V) []V {
	var r []V
	for ; from < to; from++ {
		r = append(r, from)
	}
	return r
}

// features writes the kernel of groups of rows rows by any number of panels.
func (c *code) features(rows int) {
	c.text(fmt.Sprintf("featuresNEON%sx%d", c.suffix(), rows), fmt.Sprintf(
		"// Features of a.groups groups of %d rows and a.panels whole panels.\n", rows))
	load := func(reg, field string) { c.go_("MOVD neonFeatures_%s(%s), %s", field, rArgs, reg) }
	load(rPanels, "panels")
	load(rW, "w")
	load(rPhase, "phase")
	load(rWeight, "weight")
	load(rWeight2, "weight2")
	load(rZ, "z")
	load(rZ2, "z2")
	load(rLDX, "ldx")
	load(rD, "d")
	load(rRowStr, "rowStride")
	load(rFunc, "f")
	load(rCoef, "coef")
	c.go_("MOVD $·neonTab%s(SB), %s", c.suffix(), rTab)

	c.label("panel")
	load(rX, "x")
	load(rGroups, "groups")
	c.go_("MOVD %s, %s", rZ, rZr)
	c.go_("MOVD %s, %s", rZ2, rZ2r)

	c.label("group")
	c.comment("Tile of %d rows by a panel: accumulators start at the phases.", rows)
	acc := func(r, v int) V { return V(r*vecs + v) }
	for r := range rows {
		for v := 0; v < vecs; v += 2 {
			c.ld2(acc(r, v), acc(r, v+1), 16*v, rPhase)
		}
	}
	c.rowPointers(rows, rX, rLDX)
	c.go_("MOVD %s, %s", rW, rWk)
	c.distances(rows, acc)
	c.go_("LSR $%d, %s, %s", log2(c.lanes()), rD, rK)
	c.go_("CBZ %s, ktail", rK)

	// One vector of inputs per row serves lanes steps of k.
	c.label("kloop")
	c.comment("Add the products, %d inputs at a time.", c.lanes())
	x := span(16, 16+V(rows))
	for r := range rows {
		c.go_("FMOVQ.P 16(%s), F%d", rRow[r], x[r])
	}
	for l := range c.lanes() {
		w := span(20+V(l%2*4), 24+V(l%2*4))
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", rWk, w[0], w[1])
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", rWk, w[2], w[3])
		for r := range rows {
			for v := range vecs {
				c.elt("fmla", acc(r, v), w[v], x[r], l)
			}
		}
	}
	c.go_("SUBS $1, %s", rK)
	c.go_("BNE kloop")

	c.label("ktail")
	c.comment("The inputs that are left.")
	c.go_("ANDS $%d, %s, %s", c.lanes()-1, rD, rK)
	c.go_("BEQ function")
	c.label("kone")
	for r := range rows {
		if c.elem == 8 {
			c.go_("FMOVD.P 8(%s), F%d", rRow[r], x[r])
		} else {
			c.go_("FMOVS.P 4(%s), F%d", rRow[r], x[r])
		}
	}
	c.go_("FLDPQ.P 32(%s), (F20, F21)", rWk)
	c.go_("FLDPQ.P 32(%s), (F22, F23)", rWk)
	for r := range rows {
		for v := range vecs {
			c.elt("fmla", acc(r, v), V(20+v), x[r], 0)
		}
	}
	c.go_("SUBS $1, %s", rK)
	c.go_("BNE kone")

	c.label("function")
	c.comment("Epilogue: branch by function.")
	all := span(0, V(rows*vecs))
	c.function(all, func(i int, s, w V) {
		// The sine of accumulator i is done: weigh and store it.
		plain := fmt.Sprint("sine", i)
		c.unweighted(plain)
		c.ld(w, 16*(i%vecs), rWeight2)
		c.v("fmul", s, s, w)
		c.label(plain)
		c.st(s, 16*(i%vecs), rRow[i/vecs])
	}, func() { c.rowPointers(rows, rZ2r, rRowStr) })

	c.label("store")
	c.comment("Output: the weights of the columns, if they have any, and store.")
	c.rowPointers(rows, rZr, rRowStr)
	c.unweighted("out")
	c.ld2(16, 17, 0, rWeight)
	c.ld2(18, 19, 32, rWeight)
	for r := range rows {
		for v := range vecs {
			c.v("fmul", acc(r, v), acc(r, v), V(16+v))
		}
	}
	c.label("out")
	for r := range rows {
		for v := 0; v < vecs; v += 2 {
			c.st2(acc(r, v), acc(r, v+1), 16*v, rRow[r])
		}
	}
	// The next group of rows begins where the last row pointer would go on.
	c.go_("ADD %s, %s, %s", rRowStr, rRow[rows-1], rZr)
	c.go_("MOVD $%d, %s", rows, rTmp)
	c.go_("MADD %s, %s, %s, %s", rRowStr, rZ2r, rTmp, rZ2r)
	c.go_("MADD %s, %s, %s, %s", rLDX, rX, rTmp, rX)
	c.go_("SUBS $1, %s", rGroups)
	c.go_("BNE group")

	c.go_("LSL $%d, %s, %s", 4+log2(vecs), rD, rTmp) // bytes of a panel of W
	c.go_("ADD %s, %s", rTmp, rW)
	for _, reg := range []string{rPhase, rWeight, rWeight2} {
		c.go_("ADD $%d, %s", 16*vecs, reg)
	}
	load(rTmp, "panelStride")
	c.go_("ADD %s, %s", rTmp, rZ)
	c.go_("ADD %s, %s", rTmp, rZ2)
	c.go_("SUBS $1, %s", rPanels)
	c.go_("BNE panel")
	c.go_("RET")
}

// distances writes the loops that add absolute differences, or their powers of 3/2, to the
// accumulators and branch to label function.
func (c *code) distances(rows int, acc func(r, v int) V) {
	c.go_("MOVD neonFeatures_terms(%s), %s", rArgs, rTmp)
	c.go_("CBZ %s, products", rTmp)
	c.go_("CBZ %s, function", rD)
	c.go_("MOVD %s, %s", rD, rK)
	c.go_("SUBS $1, %s", rTmp)
	c.go_("BNE power")
	for _, label := range []string{"difference", "power"} {
		c.distance(label, rows, acc, label == "power")
	}
	c.label("products")
}

// distance writes one of these loops.
func (c *code) distance(label string, rows int, acc func(r, v int) V, powers bool) {
	c.comment("Add the %ss of differences, input by input.", map[bool]string{false: "absolute value", true: "power"}[powers])
	c.label(label)
	x, w := span(16, 16+V(rows)), span(20, 20+vecs)
	for r := range rows {
		c.go_("VLD1R.P %d(%s), [V%d.%s]", c.elem, rRow[r], x[r], map[int]string{8: "D2", 4: "S4"}[c.elem])
	}
	c.go_("FLDPQ.P 32(%s), (F%d, F%d)", rWk, w[0], w[1])
	c.go_("FLDPQ.P 32(%s), (F%d, F%d)", rWk, w[2], w[3])
	for r := range rows {
		for v := range vecs {
			at := V((r*vecs + v) % 4)
			d, root := 24+at, 28+at
			c.v("fabd", d, w[v], x[r])
			if powers {
				c.un("fsqrt", root, d)
				c.v("fmul", d, d, root)
			}
			c.v("fadd", acc(r, v), acc(r, v), d)
		}
	}
	c.go_("SUBS $1, %s", rK)
	c.go_("BNE %s", label)
	c.go_("B function")
}

// unweighted branches to label if the weight is in the coefficients.
func (c *code) unweighted(label string) {
	c.go_("MOVD neonFeatures_weight(%s), %s", rArgs, rTmp)
	c.go_("CBZ %s, %s", rTmp, label)
}

// rowPointers sets rRow to rows rows from base on.
func (c *code) rowPointers(rows int, base, stride string) {
	c.go_("MOVD %s, %s", base, rRow[0])
	for r := 1; r < rows; r++ {
		c.go_("ADD %s, %s, %s", stride, rRow[r-1], rRow[r])
	}
}

// apply writes the elementwise kernel: a.n vectors of four, t at hand.
func (c *code) apply() {
	c.text("applyNEON"+c.suffix(), fmt.Sprintf("// Apply to a.panels·%d elements.\n", vecs*c.lanes()))
	load := func(reg, field string) { c.go_("MOVD neonFeatures_%s(%s), %s", field, rArgs, reg) }
	load(rPanels, "panels")
	load(rX, "x")
	load(rPhase, "phase")
	load(rWeight, "weight")
	load(rWeight2, "weight2")
	load(rZ, "z")
	load(rZ2, "z2")
	load(rFunc, "f")
	load(rCoef, "coef")
	c.go_("MOVD $·neonTab%s(SB), %s", c.suffix(), rTab)
	c.label("panel")
	c.comment("%d projections.", vecs*c.lanes())
	for v := V(0); v < vecs; v += 2 {
		c.ld2(v, v+1, int(16*v), rX)
		c.ld2(v+16, v+17, int(16*v), rPhase)
	}
	for v := V(0); v < vecs; v++ {
		c.v("fadd", v, v, v+16)
	}
	c.function(span(0, vecs), func(i int, s, w V) {
		c.ld(w, 16*i, rWeight2)
		c.v("fmul", s, s, w)
		c.st(s, 16*i, rZ2)
	}, func() {})
	c.label("store")
	for v := V(0); v < vecs; v += 2 {
		c.ld2(v+16, v+17, int(16*v), rWeight)
	}
	for v := V(0); v < vecs; v++ {
		c.v("fmul", v, v, v+16)
	}
	for v := V(0); v < vecs; v += 2 {
		c.st2(v, v+1, int(16*v), rZ)
	}
	for _, reg := range []string{rX, rPhase, rWeight, rWeight2, rZ, rZ2} {
		c.go_("ADD $%d, %s", 16*vecs, reg)
	}
	c.go_("SUBS $1, %s", rPanels)
	c.go_("BNE panel")
	c.go_("RET")
}

// scores writes YᵀZ of rows of panels panels of features at hand, every target:
//
//	acc[i·lda+j] = fma(y[r·ldy+i], z[r,j], acc[i·lda+j]), r in order
//
// Two panels are eight chains: one row costs a quarter of a multiply-add per
// value in four pipes and hides most of their latency.
func (c *code) scores(panels int) {
	c.text(fmt.Sprintf("scoresNEON%sx%d", c.suffix(), panels), fmt.Sprintf(
		"// Scores of a.rows rows and %d whole panels of features.\n", panels))
	load := func(reg, field string) { c.go_("MOVD neonScores_%s(%s), %s", field, rArgs, reg) }
	load(scoreTargets, "targets")
	load(scoreY, "y")
	load(scoreLDY, "ldy")
	load(scoreAcc, "acc")
	load(scoreLDA, "lda")
	load(scorePanelStr, "panelStride")
	c.label("target")
	c.comment("The sums of one target.")
	load(scoreZ, "z")
	load(scoreRows, "rows")
	c.go_("MOVD %s, %s", scoreY, scoreYr)
	if panels == 2 {
		c.go_("ADD %s, %s, %s", scorePanelStr, scoreZ, scoreZ1)
	}
	n := V(vecs * panels)
	for v := V(0); v < n; v += 2 {
		c.ld2(v, v+1, int(16*v), scoreAcc)
	}
	c.label("row")
	c.comment("Add y times each row of features.")
	c.ld1(16, 0, scoreYr)
	c.go_("ADD %s, %s", scoreLDY, scoreYr)
	for v := V(0); v < n; v += 2 {
		base := scoreZ
		if v >= vecs {
			base = scoreZ1
		}
		c.go_("FLDPQ.P 32(%s), (F%d, F%d)", base, v+20, v+21)
	}
	for v := V(0); v < n; v++ {
		c.elt("fmla", v, v+20, 16, 0)
	}
	c.go_("SUBS $1, %s", scoreRows)
	c.go_("BNE row")
	for v := V(0); v < n; v += 2 {
		c.st2(v, v+1, int(16*v), scoreAcc)
	}
	c.go_("ADD %s, %s", scoreLDA, scoreAcc)
	c.go_("ADD $%d, %s", c.elem, scoreY)
	c.go_("SUBS $1, %s", scoreTargets)
	c.go_("BNE target")
	c.go_("RET")
}

func log2(n int) int {
	l := 0
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

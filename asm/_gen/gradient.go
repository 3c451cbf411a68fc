package main

import "fmt"

// The kernels of the gradient (asm/gradient.go): residuals, the backward product,
// and a step of Adam. Each takes whole vectors and tiles of rows; what is left over
// goes to kernels of one row, or to Go.

// A gradientSet is an instruction set as these kernels see it.
type gradientSet struct {
	isa       string
	reg       string // letter of the vector registers
	bytes     int    // of a vector
	vecs      int    // vectors of a panel
	residuals []residualTile
	rows      []int // heights of the tiles of Backward
}

// A residualTile is rows by targets whose partial sums are in registers.
type residualTile struct{ rows, targets int }

var gradientSets = []struct {
	gradientSet
	file string
}{
	{gradientSet{"AVX512", "Z", 64, 1, []residualTile{{8, 1}, {4, 2}, {4, 4}, {1, 1}}, []int{4, 1}}, "gradient_avx512_amd64.s"},
	{gradientSet{"AVX2", "Y", 32, 3, []residualTile{{4, 1}, {2, 2}, {1, 1}}, []int{2, 1}}, "gradient_avx2_amd64.s"},
}

func init() {
	for _, s := range gradientSets {
		add(s.file, func(f *file) {
			var entries []string
			for _, t := range types {
				g := &gradient{file: f, gradientSet: s.gradientSet, typ: t}
				for _, tile := range g.residuals {
					g.residual(tile)
				}
				for _, rows := range g.rows {
					g.backward(rows)
				}
				g.adam()
				if g.bytes == 64 {
					g.folds()
				}
				entries = append(entries, g.entries()...)
			}
			f.table("gradient"+s.isa, "unsafe.Pointer", entries)
		})
	}
}

// A gradient is a kernel of the gradient in the making.
type gradient struct {
	*file
	gradientSet
	typ
}

// entries names the kernels in the order of asm/gradient_entries.go.
func (g *gradient) entries() []string {
	names := []string{"residuals1x1", "", "", "", "backward1", fmt.Sprint("backward", g.rows[0]), "adam", "folds"}
	for _, t := range g.residuals {
		if t.rows > 1 {
			names[1+t.targets/2] = fmt.Sprintf("residuals%dx%d", t.rows, t.targets)
		}
	}
	for i := range names {
		names[i] += g.isa + g.short
	}
	return names
}

func (g *gradient) r(i int) string { return fmt.Sprint(g.reg, i) }

// panel is the size of a row of a panel.
func (g *gradient) panel() int { return g.vecs * g.bytes }

// fp prints a packed floating-point instruction of the element type.
func (g *gradient) fp(name string, operands ...any) { g.op(name+g.p, operands...) }

// Registers of these kernels.
const (
	rSweep = "DI" // the struct sweep, or adamRun

	// Residuals and Backward.
	rZNow   = "SI" // cosines of this panel, row 0 of the tile
	rZ2Now  = "DX" // and sines
	rPanel  = "BX" // panels left
	rANow   = "R8" // coefficients of this panel
	rBNow   = "R9"
	rTarget = "AX" // targets left

	// Residuals.
	rZStride = "R10" // from one panel of features to the next
	rAStride = "R11" // and of coefficients
	rRNow    = "R12" // residuals and targets
	rYNow    = "R13"
	rLDR     = "R14"
	rLDYRow  = "R15"

	// Backward.
	rDNow   = "CX"  // D of this panel
	rGA     = "R10" // derivatives by coefficients
	rGB     = "R11"
	rCoefAt = "R12" // where this target's coefficients and their derivatives are
	rE      = "R13" // residuals of this target
	rLDE    = "R14" // from one row of them to the next
	rLDE3   = "R15" // three times that

	// Adam.
	rXNow, rMNow, rVNow, rGNow = "SI", "DX", "R8", "R9"
	rRuns, rVectors, rSkip     = "BX", "CX", "R10"
	rConstants                 = "AX"
)

// sweepField addresses a field of the struct sweep, adamField one of adamRun.
func sweepField(name string) string { return "sweep_" + name + "(" + rSweep + ")" }
func adamField(name string) string  { return "adamRun_" + name + "(" + rSweep + ")" }

// lanes is the number of vectors that hold the partial sums of a residual.
func (g *gradient) lanes() int { return 64 / g.bytes }

// residual prints the kernel of tiles of so many rows and targets.
func (g *gradient) residual(t residualTile) {
	name := fmt.Sprintf("residuals%dx%d%s%s", t.rows, t.targets, g.isa, g.short)
	g.member(name, "sweep")
	g.op("MOVQ", "s+0(FP)", rSweep)
	g.op("MOVQ", sweepField("zStride"), rZStride)
	g.op("MOVQ", sweepField("aStride"), rAStride)
	g.op("MOVQ", sweepField("r"), rRNow)
	g.op("MOVQ", sweepField("y"), rYNow)
	g.op("MOVQ", sweepField("ldr"), rLDR)
	g.op("MOVQ", sweepField("ldy"), rLDYRow)
	acc := func(r, i, l int) string { return g.r((r*t.targets+i)*g.lanes() + l) }
	free := t.rows * t.targets * g.lanes()
	coef := func(i, half int) string { return g.r(free + 2*i + half) }
	feature := func(half int) string { return g.r(free + 2*t.targets + half) }

	tile := g.label("tile")
	g.place(tile)
	g.comment("Tile of %d rows by %d targets: clear the partial sums.", t.rows, t.targets)
	for i := range free {
		clearReg(g.file, g.r(i))
	}
	g.op("MOVQ", sweepField("z"), rZNow)
	g.op("MOVQ", sweepField("z2"), rZ2Now)
	g.op("MOVQ", sweepField("a"), rANow)
	g.op("MOVQ", sweepField("b"), rBNow)
	g.op("MOVQ", sweepField("panels"), rPanel)

	// A panel of three vectors and partial sums of two: two panels make a round.
	onward := func() {
		g.op("ADDQ", rZStride, rZNow)
		g.op("ADDQ", rZStride, rZ2Now)
		g.op("ADDQ", rAStride, rANow)
		g.op("ADDQ", rAStride, rBNow)
	}
	panel := func(p int) {
		for v := range g.vecs {
			l := (p*g.vecs + v) % g.lanes()
			for i := range t.targets {
				off := i*g.panel() + v*g.bytes
				g.fp("VMOVU", mem(off, rANow), coef(i, 0))
				g.fp("VMOVU", mem(off, rBNow), coef(i, 1))
			}
			for r := range t.rows {
				off := r*g.panel() + v*g.bytes
				for half, z := range []string{mem(off, rZNow), mem(off, rZ2Now)} {
					if t.targets > 1 {
						g.fp("VMOVU", z, feature(half))
						z = feature(half)
					}
					for i := range t.targets {
						g.fp("VFMADD231", z, coef(i, half), acc(r, i, l))
					}
				}
			}
		}
		onward()
	}
	fold := g.label("fold")
	round := g.lanes()
	loop := g.label("panels")
	g.comment("Add the products, panel by panel.")
	if round > 1 {
		last := g.label("last")
		g.op("SUBQ", round, rPanel)
		g.op("JLT", last)
		g.op("PCALIGN", 32)
		g.place(loop)
		for p := range round {
			panel(p)
		}
		g.op("SUBQ", round, rPanel)
		g.op("JGE", loop)
		g.place(last)
		g.comment("The last panel of an odd number.")
		g.op("ADDQ", round, rPanel)
		g.op("JZ", fold)
		panel(0)
	} else {
		g.op("TESTQ", rPanel, rPanel)
		g.op("JZ", fold)
		g.op("PCALIGN", 32)
		g.place(loop)
		panel(0)
		g.op("DECQ", rPanel)
		g.op("JNZ", loop)
	}
	g.place(fold)
	g.comment("Add the partial sums by halves, subtract the targets.")
	for r := range t.rows {
		for i := range t.targets {
			g.fold(acc(r, i, 0), acc(r, i, g.lanes()-1), g.r(free))
			x := "X" + acc(r, i, 0)[1:]
			g.op("VSUB"+g.s, mem(i*g.size, rYNow), x, x)
			g.op("VMOV"+g.s, x, mem(i*g.size, rRNow))
		}
		g.op("ADDQ", rLDR, rRNow)
		g.op("ADDQ", rLDYRow, rYNow)
	}
	g.op("ADDQ", t.rows*g.panel(), sweepField("z"))
	g.op("ADDQ", t.rows*g.panel(), sweepField("z2"))
	g.op("DECQ", sweepField("tiles"))
	g.op("JNZ", tile)
	g.op("VZEROUPPER")
	g.op("RET")
}

// fold adds the lanes of s, with those of the second vector if it is another one,
// into lane 0; tmp is overwritten.
func (g *gradient) fold(s, second, tmp string) {
	if second != s {
		g.fp("VADD", second, s, s)
	}
	x, y, tx, ty := "X"+s[1:], "Y"+s[1:], "X"+tmp[1:], "Y"+tmp[1:]
	if g.bytes == 64 {
		g.op("VEXTRACTF64X4", 1, s, ty)
		g.fp("VADD", ty, y, y)
	}
	g.op(g.extract(), 1, y, tx)
	g.fp("VADD", tx, x, x)
	g.op("VPERMILPD", 1, x, tx)
	if g.size == 8 {
		g.op("VADDSD", tx, x, x)
		return
	}
	g.fp("VADD", tx, x, x)
	g.op("VMOVSHDUP", x, tx)
	g.op("VADDSS", tx, x, x)
}

// extract is the instruction for a half of 32 bytes, of any register of the set.
func (g *gradient) extract() string {
	if g.bytes == 64 {
		return "VEXTRACTF32X4"
	}
	return "VEXTRACTF128"
}

// backward prints the kernel of tiles of so many rows by one vector: features,
// and the chains u and v of every row, stay in registers through all targets.
func (g *gradient) backward(rows int) {
	name := fmt.Sprintf("backward%d%s%s", rows, g.isa, g.short)
	g.member(name, "sweep")
	cos := func(r int) string { return g.r(4 * r) }
	sin := func(r int) string { return g.r(4*r + 1) }
	u := func(r int) string { return g.r(4*r + 2) }
	v := func(r int) string { return g.r(4*r + 3) }
	a, b, ga, gb, e := g.r(4*rows), g.r(4*rows+1), g.r(4*rows+2), g.r(4*rows+3), g.r(4*rows+4)
	g.op("MOVQ", "s+0(FP)", rSweep)
	g.op("MOVQ", sweepField("a"), rANow)
	g.op("MOVQ", sweepField("b"), rBNow)
	g.op("MOVQ", sweepField("ga"), rGA)
	g.op("MOVQ", sweepField("gb"), rGB)
	g.op("MOVQ", sweepField("ldr"), rLDE)
	g.op("LEAQ", memIndex(0, rLDE, rLDE, 2), rLDE3)
	tile, panel := g.label("tile"), g.label("panel")
	g.place(tile)
	g.op("MOVQ", sweepField("z"), rZNow)
	g.op("MOVQ", sweepField("z2"), rZ2Now)
	g.op("MOVQ", sweepField("d"), rDNow)
	g.op("MOVQ", sweepField("panels"), rPanel)
	g.op("XORQ", rCoefAt, rCoefAt)
	g.op("PCALIGN", 32)
	g.place(panel)
	residual := func(r int) string {
		switch r {
		case 0:
			return mem(0, rE)
		case 3:
			return memIndex(0, rE, rLDE3, 1)
		}
		return memIndex(0, rE, rLDE, r)
	}
	for vec := range g.vecs {
		g.comment("Tile of %d rows by vector %d of a panel: the features.", rows, vec)
		for r := range rows {
			off := r*g.panel() + vec*g.bytes
			g.fp("VMOVU", mem(off, rZNow), cos(r))
			g.fp("VMOVU", mem(off, rZ2Now), sin(r))
			clearReg(g.file, u(r))
			clearReg(g.file, v(r))
		}
		g.op("MOVQ", sweepField("r"), rE)
		g.op("MOVQ", sweepField("targets"), rTarget)
		g.comment("A target: add its products to its derivatives, and to u and v.")
		loop := g.label("targets")
		g.place(loop)
		for _, load := range [][2]string{{rANow, a}, {rBNow, b}, {rGA, ga}, {rGB, gb}} {
			g.fp("VMOVU", memIndex(0, load[0], rCoefAt, 1), load[1])
		}
		for r := range rows {
			g.op("VBROADCAST"+g.s, residual(r), e)
			g.fp("VFMADD231", e, cos(r), ga)
			g.fp("VFMADD231", e, sin(r), gb)
			g.fp("VFMADD231", e, b, u(r))
			g.fp("VFMADD231", e, a, v(r))
		}
		g.fp("VMOVU", ga, memIndex(0, rGA, rCoefAt, 1))
		g.fp("VMOVU", gb, memIndex(0, rGB, rCoefAt, 1))
		g.op("ADDQ", g.size, rE)
		g.op("ADDQ", g.panel(), rCoefAt)
		g.op("DECQ", rTarget)
		g.op("JNZ", loop)
		g.comment("D = cos*u - sin*v")
		for r := range rows {
			g.fp("VMUL", u(r), cos(r), u(r))
		}
		for r := range rows {
			g.fp("VFNMADD231", v(r), sin(r), u(r))
			g.fp("VMOVU", u(r), mem(r*g.panel()+vec*g.bytes, rDNow))
		}
		switch {
		case vec < g.vecs-1:
			g.op("SUBQ", sweepField("aStride"), rCoefAt)
			g.op("ADDQ", g.bytes, rCoefAt)
		case vec > 0:
			g.op("SUBQ", vec*g.bytes, rCoefAt)
		}
	}
	g.comment("The next panel.")
	g.op("ADDQ", sweepField("zStride"), rZNow)
	g.op("ADDQ", sweepField("zStride"), rZ2Now)
	g.op("ADDQ", sweepField("dStride"), rDNow)
	g.op("DECQ", rPanel)
	g.op("JNZ", panel)
	g.comment("The next rows.")
	for _, f := range []string{"z", "z2", "d"} {
		g.op("ADDQ", rows*g.panel(), sweepField(f))
	}
	g.op("IMUL3Q", rows, rLDE, rE)
	g.op("ADDQ", rE, sweepField("r"))
	g.op("DECQ", sweepField("tiles"))
	g.op("JNZ", tile)
	g.op("VZEROUPPER")
	g.op("RET")
}

// adam prints a step on runs of whole vectors.
func (g *gradient) adam() {
	name := fmt.Sprintf("adam%s%s", g.isa, g.short)
	g.member(name, "adamRun")
	const scale, decay, left1, left2, rate, root, epsilon = 0, 1, 2, 3, 4, 5, 6
	x, m, v, grad, q := g.r(7), g.r(8), g.r(9), g.r(10), g.r(11)
	g.op("MOVQ", "s+0(FP)", rSweep)
	for _, f := range [][2]string{{"x", rXNow}, {"m", rMNow}, {"v", rVNow}, {"g", rGNow}, {"runs", rRuns}, {"constants", rConstants}} {
		g.op("MOVQ", adamField(f[0]), f[1])
	}
	for i := range epsilon + 1 {
		g.op("VBROADCAST"+g.s, mem(i*g.size, rConstants), g.r(i))
	}
	run, vector := g.label("run"), g.label("vector")
	g.place(run)
	g.op("MOVQ", adamField("vectors"), rVectors)
	g.op("PCALIGN", 32)
	g.place(vector)
	g.comment("The gradient, scaled and decayed.")
	g.fp("VMOVU", mem(0, rXNow), x)
	g.fp("VMOVU", mem(0, rMNow), m)
	g.fp("VMOVU", mem(0, rVNow), v)
	g.fp("VMUL", mem(0, rGNow), g.r(scale), grad)
	g.fp("VFMADD231", x, g.r(decay), grad)
	g.comment("The moments.")
	g.fp("VSUB", m, grad, q)
	g.fp("VFMADD231", q, g.r(left1), m)
	g.fp("VMOVU", m, mem(0, rMNow))
	g.fp("VMOVA", v, q)
	g.fp("VFNMADD231", grad, grad, q)
	g.fp("VFNMADD231", q, g.r(left2), v)
	g.fp("VMOVU", v, mem(0, rVNow))
	g.comment("The step.")
	g.op("VSQRT"+g.p, v, v)
	g.fp("VFMADD213", g.r(epsilon), g.r(root), v)
	g.fp("VMUL", m, g.r(rate), m)
	g.fp("VDIV", v, m, m)
	g.fp("VSUB", m, x, x)
	g.fp("VMOVU", x, mem(0, rXNow))
	for _, r := range []string{rXNow, rMNow, rVNow, rGNow} {
		g.op("ADDQ", g.bytes, r)
	}
	g.op("DECQ", rVectors)
	g.op("JNZ", vector)
	g.comment("The next run.")
	g.op("MOVQ", adamField("skip"), rSkip)
	for _, r := range []string{rXNow, rMNow, rVNow} {
		g.op("ADDQ", rSkip, r)
	}
	g.op("ADDQ", adamField("gSkip"), rGNow)
	g.op("DECQ", rRuns)
	g.op("JNZ", run)
	g.op("VZEROUPPER")
	g.op("RET")
}

// folds prints the kernel that makes residuals from partial sums, a vector for each
// row and target.
func (g *gradient) folds() {
	name := fmt.Sprintf("folds%s%s", g.isa, g.short)
	g.member(name, "sweep")
	g.op("MOVQ", "s+0(FP)", rSweep)
	for _, f := range [][2]string{{"z", rZNow}, {"r", rRNow}, {"y", rYNow}, {"ldr", rLDR}, {"ldy", rLDYRow}, {"tiles", rPanel}} {
		g.op("MOVQ", sweepField(f[0]), f[1])
	}
	row, target := g.label("row"), g.label("target")
	g.place(row)
	g.op("XORQ", rAStride, rAStride)
	g.op("MOVQ", sweepField("targets"), rTarget)
	g.place(target)
	g.comment("Add the partial sums by halves, subtract the target.")
	g.fp("VMOVU", mem(0, rZNow), g.r(0))
	g.fold(g.r(0), g.r(0), g.r(1))
	g.op("VSUB"+g.s, memIndex(0, rYNow, rAStride, 1), "X0", "X0")
	g.op("VMOV"+g.s, "X0", memIndex(0, rRNow, rAStride, 1))
	g.op("ADDQ", g.bytes, rZNow)
	g.op("ADDQ", g.size, rAStride)
	g.op("DECQ", rTarget)
	g.op("JNZ", target)
	g.op("ADDQ", rLDR, rRNow)
	g.op("ADDQ", rLDYRow, rYNow)
	g.op("DECQ", rPanel)
	g.op("JNZ", row)
	g.op("VZEROUPPER")
	g.op("RET")
}

package main

import "fmt"

// The pipelined kernels of AVX-512: strips of 8 rows through all panels for Cos
// and CosSin. Alone, an epilogue leaves multiply-add pipes idle while its first
// chains start and its last ones end. Here a strip is two tiles of 4 rows ×
// 2 vectors, A and B, and the epilogue of one is merged with the first inputs of
// the other: A's with those of B, B's with those of A in the next panel or strip.
const (
	pipeRows = 4
	pipeXs   = 1
)

// pipeInputs are the numbers of inputs merged with an epilogue, a kernel each: D
// must be at least that. The more, the fewer are left to a loop of their own.
var pipeInputs = []int{8, 4}

// A side is one of the two tiles.
type side struct {
	acc   []string
	other *side
	first int // row of the strip
}

// pipelined prints the kernel.
func (k *kernel) pipelined(inputs int) {
	name := fmt.Sprintf("pipelined%d%s%s", inputs, k.isa, k.short)
	k.member(name, "strip")
	k.tile = tile{pipeRows, 1}
	k.use(2 * pipeRows * k.vecs)
	n := pipeRows * k.vecs
	a, b := &side{acc: k.acc[:n], first: 0}, &side{acc: k.acc[n:], first: pipeRows}
	a.other, b.other = b, a
	k.op("MOVQ", "s+0(FP)", rStrip)
	k.op("MOVQ", field("w"), rW)
	k.startZ()
	k.op("MOVQ", field("hold"), rHold)
	k.op("MOVQ", field("coef"), rCoef)
	k.op("MOVQ", field("columns"), rMask)
	for v := range k.vecs {
		k.op("KMOVW", rMask, pipeMask(v))
		k.op("SHRQ", k.bytes/k.size, rMask)
	}
	k.op("MOVQ", field("panels"), rMove)
	k.op("MOVQ", rMove, field("left"))
	k.op("MOVQ", 0, field("colNow"))

	panel, enter, exit, last := k.label("panel"), k.label("enter"), k.label("exit"), k.label("last")
	k.comment("The first tile, A, has no epilogue beside it.")
	k.pipeStart(a)
	k.op("MOVQ", rW, rWRest)
	k.op("MOVQ", field("d"), rInputs)
	k.op("JMP", enter)

	k.place(panel)
	k.comment("Tile A, beside the epilogue of B of the panel before.")
	k.pipeStart(a)
	k.pipeMerged(a, inputs)
	k.op("CMPQ", field("strips"), "$0")
	k.op("JEQ", exit)
	k.pipeRest(a, inputs, enter)
	k.comment("B will be finished when these have changed.")
	for _, f := range [][2]string{{"zNow", "pendZ"}, {"colNow", "pendCol"}, {"y", "pendY"}} {
		k.op("MOVQ", field(f[0]), rMove)
		k.op("MOVQ", rMove, field(f[1]))
	}
	k.comment("Tile B, beside the epilogue of A.")
	k.pipeStart(b)
	k.pipeMerged(b, inputs)
	k.pipeRest(b, inputs, "")

	k.comment("The next panel.")
	k.op("DECQ", field("left"))
	k.op("JZ", last)
	k.op("MOVQ", field("d"), rInputs)
	k.op("IMUL3Q", k.width(), rInputs, rInputs)
	k.op("ADDQ", rInputs, rW)
	k.op("ADDQ", k.width(), field("colNow"))
	k.op("MOVQ", field("panelStride"), rStride)
	k.op("SHLQ", 1, rStride)
	k.op("ADDQ", rStride, field("zNow"))
	k.op("JMP", panel)
	k.place(last)
	k.comment("The next strip.")
	k.op("DECQ", field("strips"))
	k.comment("After the last strip its last tile A is begun again, in vain, beside B's epilogue.")
	k.op("JZ", panel)
	for _, f := range [][2]string{{"x", "ldx"}, {"y", "ldy"}} {
		k.op("MOVQ", field(f[1]), rStep)
		k.op("SHLQ", 3, rStep)
		k.op("ADDQ", rStep, field(f[0]))
	}
	k.op("MOVQ", field("stripStride"), rStride)
	k.op("ADDQ", field("z"), rStride)
	k.op("MOVQ", rStride, field("z"))
	k.op("MOVQ", rStride, field("zNow"))
	k.op("MOVQ", field("w"), rW)
	k.op("MOVQ", 0, field("colNow"))
	k.op("MOVQ", field("panels"), rMove)
	k.op("MOVQ", rMove, field("left"))
	k.op("JMP", panel)
	k.place(exit)
	k.op("VZEROUPPER")
	k.op("RET")
}

// pipeStart sets the accumulators of s to the phases and points rXRow0 and rXRow3 at its rows.
func (k *kernel) pipeStart(s *side) {
	k.op("MOVQ", field("phase"), rPhase)
	k.op("ADDQ", field("colNow"), rPhase)
	for i, acc := range s.acc {
		if i < k.vecs {
			k.fp("VMOVU", mem(i*k.bytes, rPhase), acc)
		} else {
			k.fp("VMOVA", s.acc[i%k.vecs], acc)
		}
	}
	k.op("MOVQ", field("x"), rXRow0)
	k.op("MOVQ", field("ldx"), rLDX)
	if s.first > 0 {
		k.op("LEAQ", memIndex(0, rXRow0, rLDX, s.first), rXRow0)
	}
	k.op("LEAQ", memIndex(0, rXRow0, rLDX, 2), rXRow3)
	k.op("ADDQ", rLDX, rXRow3)
}

// pipeMerged adds the first inputs to s and finishes the other side. What waits in
// an epilogue waits at rHold: in the sines' place, at the distance of rows, loads
// would take it for older stores of the same address modulo 4 KiB.
func (k *kernel) pipeMerged(s *side, inputs int) {
	o := s.other
	pend := o.first > 0
	hold := func(i int) string { return mem(i*k.bytes, rHold) }
	var items []item
	for i, acc := range o.acc {
		v := i % k.vecs * k.bytes
		items = append(items, item{acc, mem(v, rWeightA), mem(v, rWeightB), k.pipeZ(i)})
	}
	apart := func() {
		for _, r := range []string{rZRow0, rZRow3, rZ2Row0, rZ2Row3} {
			k.op("ADDQ", field("apart"), r)
		}
	}
	k.comment("The first %d inputs of this tile and the epilogue of the other, for Cos.", inputs)
	pair, done := k.label("pair"), k.label("done")
	k.op("CMPQ", field("function"), constant("CosSin"))
	k.op("JEQ", pair)
	for _, f := range []string{"Cos", "CosSin"} {
		if f == "CosSin" {
			k.place(pair)
			k.comment("CosSin: sines are stored at once, or wait in strip.hold.")
			held, ready := k.label("held"), k.label("ready")
			k.op("CMPQ", field("mode"), constant("modeResiduals"))
			k.op("JGT", held)
			k.pipePoint(o, pend)
			apart()
			k.op("JMP", ready)
			k.place(held)
			k.op("MOVQ", rHold, rZRow0)
			k.op("MOVQ", k.width(), rHoldSize)
			k.op("LEAQ", memIndex(0, rZRow0, rHoldSize, 2), rZRow3)
			k.op("ADDQ", rHoldSize, rZRow3)
			k.op("LEAQ", mem(k.bytes, rZRow0), rZ2Row0)
			k.op("LEAQ", mem(k.bytes, rZRow3), rZ2Row3)
			k.place(ready)
		}
		columns := k.label("columns")
		k.op("CMPQ", field("weight"), "$0")
		k.op("JNE", columns)
		for _, weighted := range []bool{false, true} {
			if weighted {
				k.place(columns)
				k.pipeColumn(rWeightA, pend)
				k.op("MOVQ", field("weight2"), rWeightB)
				k.op("ADDQ", rWeightA, rWeightB)
				k.op("ADDQ", field("weight"), rWeightA)
			}
			k.scheduled(func(string) int { return 0 }, func() {
				k.pipeInputs(s, inputs)
				all := k.temp
				k.temp = k.temp[k.vecs+pipeXs:]
				if f == "Cos" {
					for _, g := range divide(items, 4) {
						k.cos(g, weighted)
					}
				} else {
					for n, g := range divide(items, 2) {
						k.pairAVX512(g, k.temp[n%2*3*len(g):], k.temp[6*len(g):6*len(g)+1], weighted, n*len(g), hold)
					}
				}
				k.temp = all
			})
			if !weighted || f == "Cos" {
				k.op("JMP", done)
			}
		}
	}
	k.place(done)
	k.comment("Output of the other tile: branch by mode, then store.")
	scores, stream, next := k.label("scores"), k.label("stream"), k.label("next")
	half, second, partial, residuals := k.label("half"), k.label("second"), k.label("partial"), k.label("residuals")
	k.op("MOVQ", field("mode"), rMode)
	k.op("CMPQ", rMode, constant("modeScores"))
	k.op("JEQ", scores)
	k.pipePoint(o, pend)
	store := func(verb string) {
		for i, acc := range o.acc {
			k.fp(verb, acc, k.pipeZ(i))
		}
	}
	some := func() {
		for i, acc := range o.acc {
			k.fp("VMOVU", acc, pipeMask(i%k.vecs), k.pipeZ(i))
		}
	}
	sines := func() {
		k.op("CMPQ", field("function"), constant("CosSin"))
		k.op("JNE", next)
		for i, acc := range o.acc {
			k.fp("VMOVU", hold(i), acc)
		}
	}
	k.op("CMPQ", rMode, constant("modeResiduals"))
	k.op("JEQ", residuals)
	k.op("CMPQ", rMode, constant("modeStream"))
	k.op("JEQ", stream)
	k.op("CMPQ", rMode, constant("modeStreamSines"))
	k.op("JEQ", half)
	k.op("CMPQ", rMode, constant("modePartial"))
	k.op("JEQ", partial)
	store("VMOVU")
	k.op("JMP", next)
	k.place(residuals)
	k.comment("Store the cosines, and add both to the partial sums of the residuals.")
	store("VMOVU")
	apart()
	k.pipeResiduals(o, pend)
	k.op("JMP", next)
	k.place(half)
	k.comment("Store the cosines, the sines past the caches.")
	store("VMOVU")
	k.op("JMP", second)
	k.place(stream)
	k.comment("Store past the caches.")
	store("VMOVNT")
	k.place(second)
	sines()
	apart()
	store("VMOVNT")
	k.op("JMP", next)
	k.place(partial)
	k.comment("Store some columns.")
	some()
	sines()
	apart()
	some()
	k.op("JMP", next)
	k.place(scores)
	k.comment("Scores: add y times the tile to the sums of every target.")
	k.pipeSum(o, "acc", pend)
	sines()
	k.pipeSum(o, "acc2", pend)
	k.place(next)
}

// pipePoint points rZRow0 and rZRow3 at rows 0 and 3 of the first vectors of z of
// the tile o, rZ2Row0 and rZ2Row3 at those of the second ones, in the next panel of
// the output. rZRow is their stride.
func (k *kernel) pipePoint(o *side, pend bool) {
	if pend {
		k.op("MOVQ", field("pendZ"), rZRow0)
	} else {
		k.op("MOVQ", field("zNow"), rZRow0)
	}
	k.op("MOVQ", field("rowStride"), rZRow)
	if o.first > 0 {
		k.op("LEAQ", memIndex(0, rZRow0, rZRow, o.first), rZRow0)
	}
	k.op("LEAQ", memIndex(0, rZRow0, rZRow, 2), rZRow3)
	k.op("ADDQ", rZRow, rZRow3)
	k.op("MOVQ", field("panelStride"), rZ2Row0)
	k.op("LEAQ", memIndex(0, rZRow3, rZ2Row0, 1), rZ2Row3)
	k.op("ADDQ", rZRow0, rZ2Row0)
}

// pipeZ is the place of accumulator i where pipePoint points.
func (k *kernel) pipeZ(i int) string {
	v, r := i%k.vecs, i/k.vecs
	if r == 3 {
		return mem(0, []string{rZRow3, rZ2Row3}[v])
	}
	base := []string{rZRow0, rZ2Row0}[v]
	if r == 0 {
		return mem(0, base)
	}
	return memIndex(0, base, rZRow, r)
}

// pipeMask is the register of the columns of vector v of a panel that may be written.
func pipeMask(v int) string { return fmt.Sprint("K", v+1) }

// pipeColumn sets r to the offset in Phase of the panel of the tile that is finished.
func (k *kernel) pipeColumn(r string, pend bool) {
	if pend {
		k.op("MOVQ", field("pendCol"), r)
	} else {
		k.op("MOVQ", field("colNow"), r)
	}
}

// pipeInputs adds the products of the first inputs. Loads are scarce here: two a
// cycle serve the multiply-adds of both tiles, which is why epilogues load a
// coefficient once for several items.
func (k *kernel) pipeInputs(s *side, inputs int) {
	w, x := k.temp[:k.vecs], k.temp[k.vecs:k.vecs+pipeXs]
	for i := range inputs {
		for v := range w {
			k.fp("VMOVU", mem(i*k.width()+v*k.bytes, rW), w[v])
		}
		for r := range pipeRows {
			k.op("VBROADCAST"+k.s, pipeX(r, i*k.size), x[r%pipeXs])
			for v := range w {
				k.fp("VFMADD231", w[v], x[r%pipeXs], s.acc[r*k.vecs+v])
			}
		}
	}
}

func pipeX(r, off int) string {
	switch r {
	case 0:
		return mem(off, rXRow0)
	case 3:
		return mem(off, rXRow3)
	}
	return memIndex(off, rXRow0, rLDX, r)
}

// pipeRest adds the products of the other inputs, from rWRest on; a jump to
// enter, with their number in rInputs, adds any.
func (k *kernel) pipeRest(s *side, inputs int, enter string) {
	k.comment("The other inputs.")
	loop, done := k.label("inputs"), k.label("projected")
	k.op("MOVQ", field("d"), rInputs)
	k.op("SUBQ", inputs, rInputs)
	k.op("JZ", done)
	k.op("LEAQ", mem(inputs*k.width(), rW), rWRest)
	k.op("ADDQ", inputs*k.size, rXRow0)
	k.op("ADDQ", inputs*k.size, rXRow3)
	if enter != "" {
		k.place(enter)
	}
	w, x := k.temp[:k.vecs], k.temp[k.vecs:]
	k.place(loop)
	for v := range w {
		k.fp("VMOVU", mem(v*k.bytes, rWRest), w[v])
	}
	for r := range pipeRows {
		k.op("VBROADCAST"+k.s, pipeX(r, 0), x[r])
		for v := range w {
			k.fp("VFMADD231", w[v], x[r], s.acc[r*k.vecs+v])
		}
	}
	k.op("ADDQ", k.width(), rWRest)
	k.op("ADDQ", k.size, rXRow0)
	k.op("ADDQ", k.size, rXRow3)
	k.op("DECQ", rInputs)
	k.op("JNZ", loop)
	k.place(done)
}

// pipeSum adds a finished tile, times y, to the sums of every target.
func (k *kernel) pipeSum(s *side, sums string, pend bool) {
	k.pipeColumn(rSums, pend)
	k.op("ADDQ", field(sums), rSums)
	y := "y"
	if pend {
		y = "pendY"
	}
	k.op("MOVQ", field(y), rYPipe)
	k.op("MOVQ", field("ldy"), rLDYPipe)
	if s.first > 0 {
		k.op("LEAQ", memIndex(0, rYPipe, rLDYPipe, s.first), rYPipe)
	}
	k.op("MOVQ", field("targets"), rTLeft)
	loop := k.label("targets")
	k.place(loop)
	sum, ys := k.temp[:k.vecs], k.temp[k.vecs:]
	k.op("LEAQ", memIndex(0, rYPipe, rLDYPipe, 2), rYRow2)
	for v := range sum {
		k.fp("VMOVU", mem(v*k.bytes, rSums), sum[v])
	}
	for r := range pipeRows {
		at := memIndex(0, rYPipe, rLDYPipe, r)
		switch r {
		case 0:
			at = mem(0, rYPipe)
		case 3:
			at = memIndex(0, rYRow2, rLDYPipe, 1)
		}
		k.op("VBROADCAST"+k.s, at, ys[r])
		for v := range sum {
			k.fp("VFMADD231", s.acc[r*k.vecs+v], ys[r], sum[v])
		}
	}
	for v := range sum {
		k.fp("VMOVU", sum[v], mem(v*k.bytes, rSums))
	}
	k.op("ADDQ", k.size, rYPipe)
	k.op("ADDQ", field("ldAcc"), rSums)
	k.op("DECQ", rTLeft)
	k.op("JNZ", loop)
	k.op("MOVQ", field("coef"), rCoef)
	k.op("MOVQ", field("ldx"), rLDX)
}

// pipeResiduals adds a finished tile, whose sines lie where pipePoint and apart
// point, times the coefficients of each target to the partial sums of its rows:
// by panel first the cosines, then the sines.
func (k *kernel) pipeResiduals(s *side, pend bool) {
	sines, coef, sums := k.temp[:len(s.acc)], k.temp[len(s.acc):len(s.acc)+2*k.vecs], k.temp[len(s.acc)+2*k.vecs:]
	for i, r := range sines {
		k.fp("VMOVU", k.pipeZ(i), r)
	}
	k.pipeColumn(rCosCoef, pend)
	k.op("IMULQ", field("targets"), rCosCoef)
	k.op("MOVQ", rCosCoef, rSinCoef)
	k.op("ADDQ", field("acc"), rCosCoef)
	k.op("ADDQ", field("acc2"), rSinCoef)
	k.op("MOVQ", field("ldAcc"), rCoefPanel)
	y := "y"
	if pend {
		y = "pendY"
	}
	k.op("MOVQ", field(y), rPart)
	k.op("MOVQ", field("ldy"), rLDPart)
	if s.first > 0 {
		k.op("LEAQ", memIndex(0, rPart, rLDPart, s.first), rPart)
	}
	k.op("LEAQ", memIndex(0, rPart, rLDPart, 2), rPart2)
	k.op("MOVQ", field("targets"), rPartLeft)
	loop := k.label("targets")
	k.place(loop)
	for v := range k.vecs {
		for half, base := range []string{rCosCoef, rSinCoef} {
			at := mem(0, base)
			if v > 0 {
				at = memIndex(0, base, rCoefPanel, v)
			}
			k.fp("VMOVU", at, coef[2*v+half])
		}
	}
	part := func(r int) string {
		switch r {
		case 0:
			return mem(0, rPart)
		case 1:
			return memIndex(0, rPart, rLDPart, 1)
		case 2:
			return mem(0, rPart2)
		}
		return memIndex(0, rPart2, rLDPart, 1)
	}
	for r := range pipeRows {
		k.fp("VMOVU", part(r), sums[r])
	}
	for v := range k.vecs {
		for half, z := range [][]string{s.acc, sines} {
			for r := range pipeRows {
				k.fp("VFMADD231", z[r*k.vecs+v], coef[2*v+half], sums[r])
			}
		}
	}
	for r := range pipeRows {
		k.fp("VMOVU", sums[r], part(r))
	}
	for _, r := range []string{rCosCoef, rSinCoef, rPart, rPart2} {
		k.op("ADDQ", k.bytes, r)
	}
	k.op("DECQ", rPartLeft)
	k.op("JNZ", loop)
	k.op("MOVQ", field("coef"), rCoef)
	k.op("MOVQ", field("ldx"), rLDX)
}

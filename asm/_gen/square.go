package main

import (
	"fmt"
	"math"
)

var _ = add("square_avx512_amd64.s", func(f *file) {
	factor(f)
	invert(f)
})

// A square is asm.Square: rows of squareRow bytes, in blocks of lanesOf rows and columns,
// a vector each. squareStep is from one block on its diagonal to the next.
const (
	squareBlocks = 4
	lanesOf      = 8
	vector       = 8 * lanesOf
	squareRow    = squareBlocks * vector
	squareStep   = lanesOf*squareRow + vector
)

// Registers of Factor and Invert.
const (
	rSquare   = "DI"
	rBlocks   = "CX" // blocks left
	rDiagonal = "SI" // the block on the diagonal
)

// factor prints Factor of whole blocks: four rows at a time, all of their vectors in
// registers. They go through the chains over the rows before, then each is divided and
// goes into the chains of those after it.
func factor(f *file) {
	const (
		column = "R8" // row 0 of the block's columns
		before = "R9" // rows before the group
		from   = "R10"
		left   = "R11"
		inRow  = "DX" // in the group, of the pivot
		most   = "R12"
		bits   = "AX"
		mask   = "BX"
		group  = 4
	)
	acc := func(r, w int) string { return fmt.Sprint("Z", squareBlocks*r+w) }
	row := func(w int) string { return fmt.Sprint("Z", 16+w) }
	cast := func(r int) string { return fmt.Sprint("Z", 20+r) }
	lane := func(l int) string { return fmt.Sprint("Z", 24+l) }
	const pivot, root = 20, 21
	z := func(i int) string { return fmt.Sprint("Z", i) }
	x := func(i int) string { return fmt.Sprint("X", i) }
	var lanes []string
	for l := range lanesOf {
		for range lanesOf {
			lanes = append(lanes, fmt.Sprintf("$%d", l))
		}
	}
	f.words("laneAVX512", 8, 1, lanes...)
	f.fn("factorAVX512", "func factorAVX512(u *Square, blocks int) (row int)", 0, 24)
	f.op("MOVQ", "u+0(FP)", rSquare)
	f.op("MOVQ", "blocks+8(FP)", rBlocks)
	f.op("MOVQ", rSquare, column)
	f.op("MOVQ", rSquare, rDiagonal)
	f.op("XORQ", before, before)
	f.op("MOVQ", fmt.Sprintf("$0x%x", math.Float64bits(math.Inf(1))-1), most)
	f.op("LEAQ", "·laneAVX512(SB)", from)
	for l := range lanesOf {
		f.op("VMOVUPD", mem(l*vector, from), lane(l))
	}
	failed, done := f.label("failed"), f.label("done")
	blocks := make([]string, squareBlocks+1)
	for q := squareBlocks; q >= 1; q-- {
		blocks[q] = f.label("block")
		f.op("CMPQ", rBlocks, q)
		f.op("JEQ", blocks[q])
	}
	for q := squareBlocks; q >= 1; q-- {
		f.comment("The rows of a block of which %d vectors are left.", q)
		f.place(blocks[q])
		for h := 0; h < lanesOf; h += group {
			at := func(r, w int) string { return mem((h+r)*squareRow+w*vector, rDiagonal) }
			for r := range group {
				for w := range q {
					f.op("VMOVUPD", at(r, w), acc(r, w))
				}
			}
			loop, through := f.label("loop"), f.label("through")
			f.op("MOVQ", before, left)
			f.op("MOVQ", column, from)
			if h == 0 {
				f.op("TESTQ", left, left)
				f.op("JEQ", through)
			}
			f.op("PCALIGN", 32)
			f.place(loop)
			for w := range q {
				f.op("VMOVUPD", mem(w*vector, from), row(w))
			}
			for r := range group {
				f.op("VBROADCASTSD", mem((h+r)*8, from), cast(r))
				for w := range q {
					f.op("VFNMADD231PD", row(w), cast(r), acc(r, w))
				}
			}
			f.op("ADDQ", squareRow, from)
			f.op("DECQ", left)
			f.op("JNZ", loop)
			f.place(through)
			for r := range group {
				l := h + r
				f.op("VPERMPD", acc(r, 0), lane(l), z(pivot))
				f.op("MOVQ", r, inRow)
				f.op("VMOVQ", x(pivot), bits)
				f.op("DECQ", bits)
				f.op("CMPQ", bits, most)
				f.op("JCC", failed) // unless 0 < pivot < ∞
				f.op("VSQRTSD", x(pivot), x(pivot), x(root))
				f.op("VBROADCASTSD", x(root), z(root))
				for w := range q {
					f.op("VDIVPD", z(root), acc(r, w), acc(r, w))
				}
				for s := r + 1; s < group; s++ {
					f.op("VPERMPD", acc(r, 0), lane(h+s), row(s))
					for w := range q {
						f.op("VFNMADD231PD", acc(r, w), row(s), acc(s, w))
					}
				}
				f.op("MOVQ", 1<<l, mask)
				f.op("KMOVW", mask, "K1")
				f.op("VMOVAPD", z(root), "K1", acc(r, 0))
				for w := range q {
					f.op("VMOVUPD", acc(r, w), at(r, w))
				}
			}
			f.op("ADDQ", group, before)
		}
		if q > 1 {
			f.op("ADDQ", vector, column)
			f.op("ADDQ", squareStep, rDiagonal)
		}
	}
	f.op("MOVQ", -1, inRow)
	f.op("JMP", done)
	f.place(failed)
	f.op("ADDQ", before, inRow)
	f.op("IMUL3Q", squareRow+8, inRow, from)
	f.op("VMOVSD", x(pivot), memIndex(0, rSquare, from, 1))
	f.place(done)
	f.op("MOVQ", inRow, "row+16(FP)")
	f.op("VZEROUPPER")
	f.op("RET")
}

// invert prints Invert of whole blocks, a row at a time from the last one on: a chain
// begins with the row that was finished last, so that no two rows can be on their way.
func invert(f *file) {
	const (
		inverse = "R8"  // the block of v on the diagonal
		in      = "R9"  // row of the block, from the last one on
		from    = "R10" // row of u
		to      = "R11" // row of v
		table   = "R12"
		bits    = "AX"
		cast    = "Z8"
		divisor = "Z9"
	)
	acc := func(w int) string { return fmt.Sprint("Z", w) }
	// For the row of each lane: what its chains begin with, where the one on the diagonal
	// is to become 1/p by the division by −p; which lanes are not below it.
	var starts, keep []string
	for l := range lanesOf {
		for j := range lanesOf {
			start, kept := f64.bits(0), "$0xffffffffffffffff"
			switch {
			case j < l:
				kept = "$0"
			case j == l:
				start = f64.bits(-1)
			}
			starts, keep = append(starts, start), append(keep, kept)
		}
	}
	f.words("inverseRows", 8, 1, append(append(starts, keep...), f64.bits(math.Copysign(0, -1)))...)
	f.fn("invertAVX512", "func invertAVX512(v, u *Square, blocks int)", 0, 24)
	f.op("MOVQ", "v+0(FP)", inverse)
	f.op("MOVQ", "u+8(FP)", rDiagonal)
	f.op("MOVQ", "blocks+16(FP)", rBlocks)
	f.op("IMUL3Q", squareStep, rBlocks, bits)
	f.op("LEAQ", memIndex(-squareStep, inverse, bits, 1), inverse)
	f.op("LEAQ", memIndex(-squareStep, rDiagonal, bits, 1), rDiagonal)
	for l := 1; l < lanesOf; l++ {
		f.op("MOVQ", 0xff&(0xff<<l), bits)
		f.op("KMOVW", bits, fmt.Sprint("K", l)) // lanes from l on
	}
	done := f.label("done")
	for q := 1; q <= squareBlocks; q++ {
		f.comment("The rows of a block of %d vectors.", q)
		f.op("MOVQ", lanesOf-1, in)
		f.op("LEAQ", mem((lanesOf-1)*squareRow, rDiagonal), from)
		f.op("LEAQ", mem((lanesOf-1)*squareRow, inverse), to)
		f.op("LEAQ", "·inverseRows(SB)", table)
		f.op("ADDQ", (lanesOf-1)*vector, table)
		next := f.label("row")
		f.place(next)
		f.op("VMOVUPD", mem(0, table), acc(0))
		for w := 1; w < q; w++ {
			clearReg(f, acc(w))
		}
		f.op("VBROADCASTSD", memIndex(0, from, in, 8), divisor)
		f.op("VXORPD.BCST", "·inverseRows+"+fmt.Sprint(2*lanesOf*vector)+"(SB)", divisor, divisor)
		steps := make([]string, lanesOf+1) // from row l of the block on
		for l := lanesOf; l >= 1; l-- {
			steps[l] = f.label("from")
			f.op("CMPQ", in, l-1)
			f.op("JEQ", steps[l])
		}
		for c := range q {
			for l := range lanesOf {
				if c == 0 {
					if l == 0 {
						continue
					}
					f.place(steps[l])
				}
				f.op("VBROADCASTSD", mem((c*lanesOf+l)*8, from), cast)
				for w := c; w < q; w++ {
					v := mem((c*lanesOf+l)*squareRow+w*vector, inverse)
					if w == c && l > 0 {
						f.op("VFMADD231PD", v, cast, fmt.Sprint("K", l), acc(w))
					} else {
						f.op("VFMADD231PD", v, cast, acc(w))
					}
				}
			}
			if c == 0 {
				f.place(steps[lanesOf])
			}
		}
		for w := range q {
			f.op("VDIVPD", divisor, acc(w), acc(w))
		}
		f.op("VANDPD", mem(lanesOf*vector, table), acc(0), acc(0))
		for w := range q {
			f.op("VMOVUPD", acc(w), mem(w*vector, to))
		}
		f.op("SUBQ", vector, table)
		f.op("SUBQ", squareRow, from)
		f.op("SUBQ", squareRow, to)
		f.op("DECQ", in)
		f.op("JGE", next)
		if q < squareBlocks {
			f.op("DECQ", rBlocks)
			f.op("JEQ", done)
			f.op("SUBQ", squareStep, rDiagonal)
			f.op("SUBQ", squareStep, inverse)
		}
	}
	f.place(done)
	f.op("VZEROUPPER")
	f.op("RET")
}

package main

import "fmt"

// Registers of the butterflies.
const (
	hadX      = "R1"  // block
	hadBlocks = "R2"  // to go
	hadH      = "R3"  // from one stream to the next
	hadLeft   = "R12" // vectors of a stream to go
)

// hadStream are the streams of a pass.
var hadStream = [...]string{"R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11"}

// butterflies writes all levels among the vectors v, one stride apart each:
// (a, b) → (a+b, a−b). It uses spare registers from 24 on and returns where
// the results are.
func (c *code) butterflies(v []V) []V {
	v = append([]V(nil), v...)
	spare := span(24, 32)
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h != 0 {
				continue
			}
			s := spare[0]
			c.v("fsub", s, v[i], v[i+h])
			c.v("fadd", v[i], v[i], v[i+h])
			spare = append(spare[1:], v[i+h])
			v[i+h] = s
		}
	}
	return v
}

// hadamardHead writes the first levels on whole blocks of eight vectors: those
// inside a vector by taking even and odd lanes (or halves) apart and putting
// sums and differences together again, then the three among the vectors.
func (c *code) hadamardHead() {
	c.text("hadamardHeadNEON"+c.suffix(), fmt.Sprintf(
		"// Levels h < %d of a.n blocks of %d elements.\n", 8*c.lanes(), 8*c.lanes()))
	c.go_("MOVD neonHadamard_x(%s), %s", rArgs, hadX)
	c.go_("MOVD neonHadamard_n(%s), %s", rArgs, hadBlocks)
	c.label("block")
	c.comment("The levels within a vector.")
	v := span(0, 8)
	for i := 0; i < 8; i += 2 {
		c.ld2(v[i], v[i+1], 16*i, hadX)
	}
	inner := func(perm func(name string, d, n, m V)) {
		for i := 0; i < 8; i += 2 {
			even, odd, s, d := V(16), V(17), V(18), V(19)
			perm("uzp1", even, v[i], v[i+1])
			perm("uzp2", odd, v[i], v[i+1])
			c.v("fadd", s, even, odd)
			c.v("fsub", d, even, odd)
			perm("zip1", v[i], s, d)
			perm("zip2", v[i+1], s, d)
		}
	}
	inner(c.v)
	if c.elem == 4 {
		inner(c.perm2d)
	}
	c.comment("The levels among eight vectors.")
	v = c.butterflies(v)
	for i := 0; i < 8; i += 2 {
		c.st2(v[i], v[i+1], 16*i, hadX)
	}
	c.go_("ADD $128, %s", hadX)
	c.go_("SUBS $1, %s", hadBlocks)
	c.go_("BNE block")
	c.go_("RET")
}

// hadamardPass writes the levels h, 2h, … radix·h/2 of a.n blocks of radix·h
// elements, h a multiple of the vector: radix streams h apart.
func (c *code) hadamardPass(radix int) {
	c.text(fmt.Sprintf("hadamardPassNEON%sx%d", c.suffix(), radix), fmt.Sprintf(
		"// Levels a.h … %d·a.h of a.n blocks of %d·a.h elements.\n", radix/2, radix))
	c.go_("MOVD neonHadamard_x(%s), %s", rArgs, hadX)
	c.go_("MOVD neonHadamard_n(%s), %s", rArgs, hadBlocks)
	c.go_("MOVD neonHadamard_h(%s), %s", rArgs, hadH) // bytes
	c.label("block")
	c.go_("MOVD %s, %s", hadX, hadStream[0])
	for i := 1; i < radix; i++ {
		c.go_("ADD %s, %s, %s", hadH, hadStream[i-1], hadStream[i])
	}
	c.go_("ADD %s, %s, %s", hadH, hadStream[radix-1], hadX)
	c.go_("LSR $4, %s, %s", hadH, hadLeft)
	c.label("vector")
	c.comment("A vector of each of %d streams.", radix)
	v := span(0, V(radix))
	for i := range v {
		c.ld(v[i], 0, hadStream[i])
	}
	v = c.butterflies(v)
	for i := range v {
		c.go_("FMOVQ.P F%d, 16(%s)", v[i], hadStream[i])
	}
	c.go_("SUBS $1, %s", hadLeft)
	c.go_("BNE vector")
	c.go_("SUBS $1, %s", hadBlocks)
	c.go_("BNE block")
	c.go_("RET")
}

package main

import (
	"bytes"
	"fmt"
	"slices"
)

// V is a vector register V0…V31.
type V uint32

// The vector instructions that Go's assembler lacks are written as machine
// words. Each is base | Vm<<16 | Vn<<5 | Vd; base is the encoding for four
// float32 lanes (.4s), and bit 22 turns it into two float64 lanes (.2d). See
// the Arm Architecture Reference Manual, C7.2; the word's comment is the
// instruction as the GNU assembler takes it, which TestEncodings compares.
var (
	threeSame = map[string]uint32{
		"fmla": 0x4e20cc00, "fmls": 0x4ea0cc00, "fdiv": 0x6e20fc00, "fmul": 0x6e20dc00, "fadd": 0x4e20d400, "fsub": 0x4ea0d400,
		"fabd": 0x6ea0d400, "fcmeq": 0x4e20e400, "fcmgt": 0x6ea0e400, "add": 0x4ea08400, "cmtst": 0x4ea08c00,
		"uzp1": 0x4e801800, "uzp2": 0x4e805800, "zip1": 0x4e803800, "zip2": 0x4e807800,
	}
	byElement = map[string]uint32{"fmla": 0x4f801000, "fmls": 0x4f805000, "fmul": 0x4f809000}
	twoMisc   = map[string]uint32{"frintn": 0x4e218800, "fcvtns": 0x4e21a800, "fsqrt": 0x6ea1f800}
	zeroMisc  = map[string]uint32{"fcmgt": 0x4ea0c800, "fcmeq": 0x4ea0d800, "fcmlt": 0x4ea0e800}
	bitwise   = map[string]uint32{
		"and": 0x4e201c00, "bic": 0x4e601c00, "orr": 0x4ea01c00, "eor": 0x6e201c00,
		"bsl": 0x6e601c00, "bit": 0x6ea01c00, "bif": 0x6ee01c00,
	}
)

// code is assembly in the making for elements of elem bytes.
type code struct {
	bytes.Buffer
	elem int
	fn   string // the function being written: prefix of its labels

	kernels []string // all functions that were written
}

// lanes is the number of elements of a vector.
func (c *code) lanes() int { return 16 / c.elem }

// suffix names the element type in symbols.
func (c *code) suffix() string { return fmt.Sprint(8 * c.elem) }

func (c *code) shape() string {
	if c.elem == 8 {
		return "2d"
	}
	return "4s"
}

func (c *code) wide(base uint32) uint32 {
	if c.elem == 8 {
		base |= 1 << 22
	}
	return base
}

func (c *code) word(w uint32, format string, args ...any) {
	fmt.Fprintf(c, "\tWORD $0x%08x // %s\n", w, fmt.Sprintf(format, args...))
}

func lookup(table map[string]uint32, name string) uint32 {
	base, ok := table[name]
	if !ok {
		panic("no encoding for " + name)
	}
	return base
}

// v is d = n op m, lane by lane; fmla adds to d.
func (c *code) v(name string, d, n, m V) {
	t := c.shape()
	c.word(c.wide(lookup(threeSame, name))|uint32(m<<16|n<<5|d), "%s v%d.%s, v%d.%s, v%d.%s", name, d, t, n, t, m, t)
}

// elt is d = n op m[index], one element of m for all lanes.
func (c *code) elt(name string, d, n, m V, index int) {
	w, t := lookup(byElement, name), c.shape()
	if c.elem == 8 {
		w |= 1<<22 | uint32(index)<<11
	} else {
		w |= uint32(index&1)<<21 | uint32(index>>1)<<11
	}
	c.word(w|uint32(m<<16|n<<5|d), "%s v%d.%s, v%d.%s, v%d.%s[%d]", name, d, t, n, t, m, t[1:], index)
}

// un is d = op n.
func (c *code) un(name string, d, n V) {
	t := c.shape()
	c.word(c.wide(lookup(twoMisc, name))|uint32(n<<5|d), "%s v%d.%s, v%d.%s", name, d, t, n, t)
}

// cmp0 is d = all ones where n op 0 holds.
func (c *code) cmp0(name string, d, n V) {
	t := c.shape()
	c.word(c.wide(lookup(zeroMisc, name))|uint32(n<<5|d), "%s v%d.%s, v%d.%s, #0.0", name, d, t, n, t)
}

// bits is d = n op m, bit by bit; bsl, bit and bif select with d or m.
func (c *code) bits(name string, d, n, m V) {
	c.word(lookup(bitwise, name)|uint32(m<<16|n<<5|d), "%s v%d.16b, v%d.16b, v%d.16b", name, d, n, m)
}

// mov is d = n.
func (c *code) mov(d, n V) { c.bits("orr", d, n, n) }

// shl is d = n << shift in integer lanes.
func (c *code) shl(d, n V, shift int) {
	t := c.shape()
	c.word(0x4f005400|uint32(8*c.elem+shift)<<16|uint32(n<<5|d), "shl v%d.%s, v%d.%s, #%d", d, t, n, t, shift)
}

// perm2d is a permutation of 64-bit halves, whatever the element type.
func (c *code) perm2d(name string, d, n, m V) {
	c.word(lookup(threeSame, name)|1<<22|uint32(m<<16|n<<5|d), "%s v%d.2d, v%d.2d, v%d.2d", name, d, n, m)
}

// ext is d = the 16 bytes of n:m from byte on.
func (c *code) ext(d, n, m V, byte int) {
	c.word(0x6e000000|uint32(byte)<<11|uint32(m<<16|n<<5|d), "ext v%d.16b, v%d.16b, v%d.16b, #%d", d, n, m, byte)
}

// addPair is d = n[0] + n[1].
func (c *code) addPair(d, n V) {
	w, s := uint32(0x7e30d800), "s"
	if c.elem == 8 {
		w, s = 0x7e70d800, "d"
	}
	c.word(w|uint32(n<<5|d), "faddp %s%d, v%d.2%s", s, d, n, s)
}

// widen is lo, hi = float64 of the float32 lanes 0, 1 and 2, 3 of n.
func (c *code) widen(lo, hi, n V) {
	c.word(0x0e617800|uint32(n<<5|lo), "fcvtl v%d.2d, v%d.2s", lo, n)
	c.word(0x4e617800|uint32(n<<5|hi), "fcvtl2 v%d.2d, v%d.4s", hi, n)
}

// add64 is d = n + m in float64 lanes.
func (c *code) add64(d, n, m V) {
	c.word(threeSame["fadd"]|1<<22|uint32(m<<16|n<<5|d), "fadd v%d.2d, v%d.2d, v%d.2d", d, n, m)
}

// zero is d = 0.
func (c *code) zero(d V) { c.bits("eor", d, d, d) }

// go_ writes an instruction that Go's assembler has.
func (c *code) go_(format string, args ...any) { fmt.Fprintf(c, "\t"+format+"\n", args...) }

// comment says what the next stage does.
func (c *code) comment(format string, args ...any) { fmt.Fprintf(c, "\t// "+format+"\n", args...) }

func (c *code) label(name string) { fmt.Fprintf(c, "\n%s:\n", name) }

// ld and st move one vector, ld2 and st2 two neighbours.
func (c *code) ld(d V, off int, base string)     { c.go_("FMOVQ %d(%s), F%d", off, base, d) }
func (c *code) st(d V, off int, base string)     { c.go_("FMOVQ F%d, %d(%s)", d, off, base) }
func (c *code) ld2(d, e V, off int, base string) { c.go_("FLDPQ %d(%s), (F%d, F%d)", off, base, d, e) }
func (c *code) st2(d, e V, off int, base string) { c.go_("FSTPQ (F%d, F%d), %d(%s)", d, e, off, base) }

// ld1 loads one element into lane 0.
func (c *code) ld1(d V, off int, base string) {
	if c.elem == 8 {
		c.go_("FMOVD %d(%s), F%d", off, base, d)
	} else {
		c.go_("FMOVS %d(%s), F%d", off, base, d)
	}
}

// text opens a kernel, which takes one pointer to its arguments, in R0.
func (c *code) text(name, comment string) {
	c.fn = name
	c.kernels = append(c.kernels, name)
	fmt.Fprintf(c, "\n// %s takes a *%s.\n%sTEXT ·%s<>(SB), NOSPLIT, $0-8\n\tMOVD a+0(FP), R0\n",
		name, argsOf(name), comment, name)
}

// table writes the function that calls a kernel by its entry in a table. What there is not has an
// entry too.
func (c *code) table(names []string) {
	c.WriteByte('\n')
	for i, name := range names {
		if slices.Contains(c.kernels, name) {
			fmt.Fprintf(c, "DATA kernelTable<>+%d(SB)/8, $·%s<>(SB)\n", 8*i, name)
		}
	}
	fmt.Fprintf(c, "GLOBL kernelTable<>(SB), RODATA, $%d\n", 8*len(names))
	fmt.Fprint(c, "\n// func kernelNEON(operands unsafe.Pointer, entry int)\nTEXT ·kernelNEON(SB), NOSPLIT, $0-16\n")
	c.go_("MOVD entry+8(FP), R0")
	c.go_("MOVD $kernelTable<>(SB), R1")
	c.go_("MOVD (R1)(R0<<3), R1")
	c.go_("JMP (R1)")
}

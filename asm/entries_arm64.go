//go:build gc && !purego && !noasm

package asm

import "unsafe"

// family tells kernels by element type.
type family uint8

const (
	neonF64 family = iota
	neonF32
)

// The kernels besides those of the gradient, in the order of the table (asm/_gen/neon), which has
// all of float64 and then all of float32.
const (
	entryFeatures = gradientEntries + iota // of tiles of 1 row, then of 2 and 4
	_
	_
	entryApply
	entryScores // of 1 panel, then of 2
	_
	entryGemm // of 1 row, then of 2 and 4
	_
	_
	entryWords // products of words of two integers, of as many rows; float32 alone
	_
	_
	entryQuads // and of four
	_
	_
	entryDot
	entryHadamardHead
	entryHadamardPass // of radix 2, then 4 and 8
	_
	_
	entryRound // to words of two integers, then of four; float32 alone
	_
	neonEntries
)

// run calls an entry of the table for elements of T. It takes no function value, so that the
// operands stay on the caller's stack.
func run[T Float](entry int, operands unsafe.Pointer) {
	if unsafe.Sizeof(*new(T)) == 4 {
		entry += neonEntries
	}
	kernelNEON(operands, entry)
}

//go:noescape
func kernelNEON(operands unsafe.Pointer, entry int)

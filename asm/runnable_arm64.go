//go:build gc && !purego && !noasm

package asm

// runnable returns the instruction sets of this CPU: NEON is part of every arm64.
func runnable() []implementation { return []implementation{neon()} }

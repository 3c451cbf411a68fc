//go:build gc && !purego && !noasm

package asm

func runnable() []implementation { return nil }

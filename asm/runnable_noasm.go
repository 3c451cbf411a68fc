//go:build !gc || purego || noasm || (!amd64 && !arm64)

package asm

func runnable() []implementation { return nil }

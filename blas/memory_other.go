//go:build !linux

package blas

import "github.com/rffgo/rff/asm"

func preferHugePages[T asm.Float](s []T) {}

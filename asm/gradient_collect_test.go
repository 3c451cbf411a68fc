package asm

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// A collection right after a kernel finds no pointer past the end of its rows, where memory may
// be free: it would end the program.
func TestGradientCollect(t *testing.T) {
	eachKernel(t, testGradientCollect[float64], testGradientCollect[float32])
}

func testGradientCollect[T Float](t *testing.T, k *Kernels[T]) {
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			runtime.GC()
		}
	}()
	const rows, targets = 32, 16
	size := func(n int) []T { // of a size class, whose next place is free
		kept := make([]T, n)
		_ = append([]T(nil), kept...)
		return kept
	}
	c := targets * k.Panel
	for begin := time.Now(); time.Since(begin) < 200*time.Millisecond; {
		g := &Gradient[T]{Rows: rows, Panels: 1, Targets: targets, Z: size(rows * k.Panel), Z2: size(rows * k.Panel), ZStride: rows * k.Panel, A: make([]T, c), B: make([]T, c),
			R: size(rows * targets), LDR: targets, Y: size(rows * targets), LDY: targets, D: size(rows * k.Panel), DStride: rows * k.Panel, GA: make([]T, c), GB: make([]T, c)}
		for range 20 {
			k.Residuals(g)
			k.Backward(g)
		}
	}
	done.Store(true)
	<-ended
}

package asm

import (
	"fmt"
	"testing"
)

// BenchmarkHadamard transforms one vector in place.
func BenchmarkHadamard(b *testing.B) {
	for _, log := range []int{6, 8, 10, 12, 14, 17, 20} {
		benchHadamard[float32](b, "float32", 1<<log)
		benchHadamard[float64](b, "float64", 1<<log)
	}
}

func benchHadamard[T Float](b *testing.B, name string, n int) {
	for _, k := range All[T]() {
		b.Run(fmt.Sprintf("isa=%s/type=%s/n=%d", k.ISA, name, n), func(b *testing.B) {
			x := make([]T, n)
			for b.Loop() {
				k.Hadamard(x, nil, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/value")
		})
	}
}

// BenchmarkDot multiplies two vectors of n elements.
func BenchmarkDot(b *testing.B) {
	for _, n := range []int{14, 1792} {
		benchDot[float32](b, "float32", n)
		benchDot[float64](b, "float64", n)
	}
}

func benchDot[T Float](b *testing.B, name string, n int) {
	for _, k := range All[T]() {
		b.Run(fmt.Sprintf("isa=%s/type=%s/n=%d", k.ISA, name, n), func(b *testing.B) {
			x, y := make([]T, n), make([]T, n)
			for b.Loop() {
				k.Dot(x, y)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/value")
		})
	}
}

package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchProjection is n rows of d inputs through cols frequencies.
func benchProjection[T Float](panel, n, d, cols int) *Projection[T] {
	rng := rand.New(rand.NewPCG(7, 8))
	fill := func(n int) []T {
		s := make([]T, n)
		for i := range s {
			s[i] = T(rng.NormFloat64())
		}
		return s
	}
	panels := (cols + panel - 1) / panel
	return &Projection[T]{X: fill(n * d), LDX: d, Rows: n, D: d, W: fill(panels * panel * d), Cols: cols,
		Phase: fill(panels * panel), Weight: fill(panels * panel), Weight2: fill(panels * panel)}
}

func BenchmarkFeatures(b *testing.B) {
	benchFeatures[float64](b, "f64")
	benchFeatures[float32](b, "f32")
}

func benchFeatures[T Float](b *testing.B, dtype string) {
	const n = 504
	for _, k := range All[T]() {
		if k.ISA == "go" {
			continue
		}
		for _, f := range []Func{Cos, CosSin} {
			for _, d := range []int{8, 10, 14, 54, 123, 784} {
				for _, s := range []int{256, 1024, 1792} {
					b.Run(fmt.Sprintf("isa=%s/dtype=%s/func=%d/n=%d/d=%d/s=%d", k.ISA, dtype, f, n, d, s), func(b *testing.B) {
						cols := s / f.Outputs()
						p := benchProjection[T](k.Panel, n, d, cols)
						z := make([]T, 2*n*(cols+k.Panel))
						out := Output[T]{Z: z, Z2: z[len(z)/2:], RowStride: k.Panel, PanelStride: n * k.Panel}
						for b.Loop() {
							k.Features(f, p, &out)
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*s), "ns/value")
					})
				}
			}
		}
	}
}

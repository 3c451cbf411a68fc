package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// BenchmarkTransform32 evaluates maps in float32 on one worker: where structured
// projections overtake the dense one. Every iteration evaluates one map of each
// sampler in turn, so that all see the same machine; the minima are reported, in
// nanoseconds per value, and the ratio of each to the dense map.
func BenchmarkTransform32(b *testing.B) {
	for _, shape := range []struct{ n, d, s int }{{2000, 16, 4096}, {2000, 32, 4096}, {2000, 64, 4096}, {2000, 128, 4096}, {2000, 256, 4096}, {2000, 512, 4096}, {2000, 784, 4096}, {10000, 784, 4096}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/s=%d", shape.n, shape.d, shape.s), func(b *testing.B) {
			x := blas32.General{Rows: shape.n, Cols: shape.d, Stride: shape.d, Data: make([]float32, shape.n*shape.d)}
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range x.Data {
				x.Data[i] = rng.Float32()
			}
			names := []string{"rff", "sorf", "fastfood"}
			var z blas32.General
			maps, best := make([]*rff.Map, len(names)), make([]float64, len(names))
			for i, name := range names {
				m, err := sample(byName(b, name), rff.NewGaussian(math.Sqrt(float64(shape.d))), shape.d, shape.s, 1)
				if err != nil {
					b.Fatal(err)
				}
				maps[i], best[i] = inside.On(m, blas.Engine{Workers: 1}), math.Inf(1)
				if err := maps[i].Transform32(&z, x); err != nil { // packs and sizes
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			for range b.N {
				for i, m := range maps {
					start := time.Now()
					if err := m.Transform32(&z, x); err != nil {
						b.Fatal(err)
					}
					best[i] = min(best[i], time.Since(start).Seconds())
				}
			}
			for i, name := range names {
				b.ReportMetric(1e9*best[i]/float64(shape.n*shape.s), name+"-ns/value")
				b.ReportMetric(best[i]/best[0], name+"/rff")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSample draws maps.
func BenchmarkSample(b *testing.B) {
	for _, shape := range []struct{ d, s int }{{14, 3584}, {784, 4096}} {
		for _, name := range []string{"rff", "orf", "sorf", "fastfood", "halton", "sobol"} {
			b.Run(fmt.Sprintf("d=%d/s=%d/sampler=%s", shape.d, shape.s, name), func(b *testing.B) {
				s := byName(b, name)
				for b.Loop() {
					if _, err := sample(s, rff.NewGaussian(1), shape.d, shape.s, 1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

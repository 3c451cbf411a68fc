package sampling_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

// BenchmarkTransform32 evaluates maps in float32 on one worker: where structured
// projections overtake the dense one.
func BenchmarkTransform32(b *testing.B) {
	for _, shape := range []struct{ n, d, s int }{{2000, 16, 4096}, {2000, 32, 4096}, {2000, 64, 4096}, {2000, 128, 4096}, {2000, 256, 4096}, {2000, 784, 4096}, {10000, 784, 4096}} {
		x := blas32.General{Rows: shape.n, Cols: shape.d, Stride: shape.d, Data: make([]float32, shape.n*shape.d)}
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range x.Data {
			x.Data[i] = rng.Float32()
		}
		for _, name := range []string{"rff", "sorf", "fastfood"} {
			b.Run(fmt.Sprintf("n=%d/d=%d/s=%d/strategy=%s", shape.n, shape.d, shape.s, name), func(b *testing.B) {
				m, err := sample(byName(b, name), rff.NewGaussian(math.Sqrt(float64(shape.d))), shape.d, shape.s, 1)
				if err != nil {
					b.Fatal(err)
				}
				m = m.On(blas.Engine{Workers: 1})
				var z blas32.General
				if err := m.Transform32(&z, x); err != nil { // packs and sizes
					b.Fatal(err)
				}
				for b.Loop() {
					if err := m.Transform32(&z, x); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(shape.n*shape.s), "ns/value")
			})
		}
	}
}

// BenchmarkSample draws maps.
func BenchmarkSample(b *testing.B) {
	for _, shape := range []struct{ d, s int }{{14, 3584}, {784, 4096}} {
		for _, name := range []string{"rff", "orf", "sorf", "fastfood", "halton", "sobol"} {
			b.Run(fmt.Sprintf("d=%d/s=%d/strategy=%s", shape.d, shape.s, name), func(b *testing.B) {
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

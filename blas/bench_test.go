package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
)

func report(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func benchSpec(d, s int) *Spec {
	r := rand.New(rand.NewPCG(1, 1))
	spec := &Spec{Dim: d, W: randomGeneral[float64](r, s/2, d, 0), Func: asm.CosSin, Weight: make([]float64, s)}
	for i := range spec.Weight {
		spec.Weight[i] = 1
	}
	return spec
}

func BenchmarkGemm(b *testing.B) {
	b.Run("dtype=f64", benchGemm[float64])
	b.Run("dtype=f32", benchGemm[float32])
}

func benchGemm[T Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][3]int{{2000, 2000, 2000}, {10000, 1792, 123}, {10000, 1792, 784}} {
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("m=%d/n=%d/k=%d/workers=%d", s[0], s[1], s[2], w), func(b *testing.B) {
				x, y, z := randomGeneral[T](r, s[0], s[2], 0), randomGeneral[T](r, s[2], s[1], 0), NewGeneral[T](s[0], s[1])
				b.ResetTimer()
				for range b.N {
					Gemm(Engine{Workers: w}, false, false, 1, x, y, 0, z)
				}
				report(b, 2*float64(s[0])*float64(s[1])*float64(s[2]))
			})
		}
	}
}

func BenchmarkSyrk(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []int{1024, 1792, 4096} {
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=2016/s=%d/dtype=f64/workers=%d", s, w), func(b *testing.B) {
				x, z := randomGeneral[float64](r, 2016, s, 0), NewGeneral[float64](s, s)
				b.ResetTimer()
				for range b.N {
					Syrk(Engine{Workers: w}, true, true, 1, x, 0, z)
				}
				report(b, float64(s)*float64(s+1)*2016)
			})
		}
	}
}

func BenchmarkCholesky(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []int{1024, 4096} {
		a := NewGeneral[float64](s, s)
		for i := range s {
			for j := range s {
				a.Data[i*s+j] = r.Float64()
			}
			a.Data[i*s+i] += float64(s)
		}
		c := clone(a)
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("s=%d/dtype=f64/workers=%d", s, w), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					copy(c.Data, a.Data)
					b.StartTimer()
					if err := Cholesky(Engine{Workers: w}, c); err != nil {
						b.Fatal(err)
					}
				}
				report(b, float64(s)*float64(s)*float64(s)/3)
			})
		}
	}
}

func BenchmarkGram(b *testing.B) {
	b.Run("dtype=f64", benchGram[float64])
	b.Run("dtype=f32", benchGram[float32])
}

func benchGram[T Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const d, n = 14, 10 * RowBlock
	for _, s := range []int{1024, 1792, 4096} {
		m := Pack[T](benchSpec(d, s))
		x, y := randomGeneral[T](r, n, d, 0), randomGeneral[T](r, n, 1, 0)
		z := NewGeneral[T](n, s)
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("op=features/n=%d/d=%d/s=%d/workers=%d", n, d, s, w), func(b *testing.B) {
				for range b.N {
					m.Transform(Engine{Workers: w}, z, x)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n/float64(s), "ns/value")
			})
			b.Run(fmt.Sprintf("op=gram/n=%d/d=%d/s=%d/workers=%d", n, d, s, w), func(b *testing.B) {
				a := NewAccumulator(m, 1, true)
				for range b.N {
					a.Add(Engine{Workers: w}, x, y, nil)
				}
				report(b, n*float64(s)*float64(s+1))
			})
			b.Run(fmt.Sprintf("op=scores/n=%d/d=%d/s=%d/workers=%d", n, d, s, w), func(b *testing.B) {
				a := NewAccumulator(m, 1, false)
				for range b.N {
					a.Add(Engine{Workers: w}, x, y, nil)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n/float64(s), "ns/value")
			})
		}
	}
}

// BenchmarkGramProduct is the Gram matrix of projected features: 1024 to 512 columns.
func BenchmarkGramProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const d, s, l, n = 14, 1024, 512, 10 * RowBlock
	spec := benchSpec(d, s)
	spec.Product = randomGeneral[float64](r, s, l, 0)
	m := Pack[float64](spec)
	x, y := randomGeneral[float64](r, n, d, 0), randomGeneral[float64](r, n, 1, 0)
	a := NewAccumulator(m, 1, true)
	for range b.N {
		a.Add(Engine{Workers: 1}, x, y, nil)
	}
	report(b, n*(2*s*l+float64(l)*(l+1)))
}

func BenchmarkPredictRow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	m := Pack[float64](benchSpec(14, 1792))
	coef := randomGeneral[float64](r, 1792, 1, 0)
	x, y := NewGeneral[float64](1, 14), NewGeneral[float64](1, 1)
	b.ReportAllocs()
	for range b.N {
		m.Predict(Engine{Workers: 1}, y, x, coef, nil)
	}
}

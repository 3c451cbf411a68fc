package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// benchProjection is n rows of d inputs through cols frequencies of one weight.
func benchProjection[T Float](width, n, d, cols int) *Projection[T] {
	rng := rand.New(rand.NewPCG(7, 8))
	fill := func(n int) []T {
		s := make([]T, n)
		for i := range s {
			s[i] = T(rng.NormFloat64())
		}
		return s
	}
	padded := (cols + width - 1) / width * width
	return &Projection[T]{X: fill(n * d), LDX: d, Rows: n, D: d, W: fill(padded * d), Cols: cols,
		Phase: fill(padded), Scale: 0.03}
}

// against runs work b.N times between measurements of the multiply-add roof and
// reports the least time per value, and the share of the roof that slots
// multiply-adds per value make of it.
func against[T Float](b *testing.B, k *Kernels[T], slots float64, values int, work func()) {
	least := math.Inf(1)
	roof := math.Inf(1) // ns per multiply-add
	work()
	for b.Loop() {
		for range 3 {
			t0 := time.Now()
			n := k.Peak(2000)
			t1 := time.Now()
			work()
			t2 := time.Now()
			roof = min(roof, float64(t1.Sub(t0).Nanoseconds())/float64(n))
			least = min(least, float64(t2.Sub(t1).Nanoseconds())/float64(values))
		}
	}
	b.ReportMetric(0, "ns/op") // of three rounds of both: of no use
	b.ReportMetric(least, "ns/value")
	b.ReportMetric(2/roof, "roof-GFLOP/s")
	b.ReportMetric(100*slots*roof/least, "roof-%")
}

// slots is the number of multiply-add slots of a value beside its d: for a
// cosine the polynomial and two products, for a pair half of what both need.
func slots(f Func, d int, size int) float64 {
	cos, pair := 9.0, 15.0
	if size == 4 {
		cos, pair = 6, 11
	}
	if f == CosSin {
		return (float64(d) + pair) / 2
	}
	return float64(d) + cos
}

func BenchmarkFeatures(b *testing.B) {
	benchFeatures[float64](b, 8)
	benchFeatures[float32](b, 4)
}

func benchFeatures[T Float](b *testing.B, size int) {
	n := benchRows
	for _, k := range All[T]() {
		for _, f := range []Func{Cos, CosSin} {
			for _, d := range []int{8, 10, 14, 54, 123, 784} {
				for _, s := range []int{256, 1024, 1792, 4096} {
					for _, layout := range []string{"panels", "rows"} {
						name := fmt.Sprintf("isa=%s/dtype=f%d/func=%d/d=%d/s=%d/layout=%s", k.ISA, size*8, f, d, s, layout)
						b.Run(name, func(b *testing.B) {
							cols := s / f.Outputs()
							p := benchProjection[T](k.Width, n, d, cols)
							z := make([]T, 2*n*(cols+k.Width))
							out := Output[T]{Z: z, Z2: z[len(z)/2:], RowStride: k.Panel, PanelStride: n * k.Panel}
							if layout == "rows" {
								out = Output[T]{Z: z, Z2: z[cols:], RowStride: s, PanelStride: k.Panel}
							}
							against(b, k, slots(f, d, size), n*s, func() { k.Features(f, p, &out) })
						})
					}
				}
			}
		}
	}
}

// BenchmarkRagged reports the time per value of a shape that fits no tile as a
// multiple of that of the next round one, from alternating runs.
func BenchmarkRagged(b *testing.B) {
	benchRagged[float64](b, 8)
	benchRagged[float32](b, 4)
}

func benchRagged[T Float](b *testing.B, size int) {
	type shape struct{ n, d, s int }
	for _, pair := range [][2]shape{
		{{25, 14, 1024}, {24, 14, 1024}}, {{27, 14, 1024}, {24, 14, 1024}}, {{29, 14, 1024}, {24, 14, 1024}},
		{{30, 14, 1024}, {32, 14, 1024}}, {{31, 14, 1024}, {32, 14, 1024}}, {{47, 123, 1024}, {48, 123, 1024}},
		{{48, 5, 1024}, {48, 4, 1024}}, {{48, 7, 1024}, {48, 8, 1024}}, {{48, 9, 1024}, {48, 8, 1024}}, {{48, 13, 1024}, {48, 14, 1024}},
		{{48, 14, 1000}, {48, 14, 1024}}, {{48, 14, 1030}, {48, 14, 1024}}, {{48, 14, 2046}, {48, 14, 2048}}, {{47, 7, 1022}, {48, 8, 1024}},
	} {
		for _, k := range All[T]() {
			for _, f := range []Func{Cos, CosSin} {
				name := fmt.Sprintf("isa=%s/dtype=f%d/func=%d/%v", k.ISA, size*8, f, pair[0])
				b.Run(name, func(b *testing.B) {
					var least [2]float64
					var work [2]func()
					for i, z := range pair {
						p := benchProjection[T](k.Width, z.n, z.d, z.s/f.Outputs())
						z := make([]T, 2*z.n*(p.Cols+k.Width))
						out := Output[T]{Z: z, Z2: z[len(z)/2:], RowStride: k.Panel, PanelStride: p.Rows * k.Panel}
						least[i] = math.Inf(1)
						work[i] = func() { k.Features(f, p, &out) }
						work[i]()
					}
					for b.Loop() {
						for range 20 {
							for i, z := range pair {
								begin := time.Now()
								work[i]()
								least[i] = min(least[i], float64(time.Since(begin).Nanoseconds())/float64(z.n*z.s))
							}
						}
					}
					b.ReportMetric(0, "ns/op") // of twenty rounds of both: of no use
					b.ReportMetric(least[0], "ns/value")
					b.ReportMetric(least[0]/least[1], "×round")
				})
			}
		}
	}
}

func BenchmarkScores(b *testing.B) {
	n, d, s := benchRows, 14, 1792
	for _, k := range All[float64]() {
		for _, f := range []Func{Cos, CosSin} {
			for _, targets := range []int{1, 2, 10} {
				b.Run(fmt.Sprintf("isa=%s/dtype=f64/func=%d/d=%d/s=%d/targets=%d", k.ISA, f, d, s, targets), func(b *testing.B) {
					cols := s / f.Outputs()
					p := benchProjection[float64](k.Width, n, d, cols)
					y, acc := make([]float64, n*targets), make([]float64, targets*s)
					against(b, k, slots(f, d, 8)+float64(targets), n*s, func() {
						k.Scores(f, p, y, targets, targets, acc[:targets*cols], acc[targets*cols:], cols)
					})
				})
			}
		}
	}
}

var benchRows = func() int { n, _ := strconv.Atoi(os.Getenv("BENCH_ROWS")); return max(n, 12) }()

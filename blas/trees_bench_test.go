package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/asm"
)

// treesSpec is a map of a block of trees, which take each threshold of an input from as many as boosting has for
// thousands of rows. All nodes of wide ones have a comparison of their own.
func treesSpec(r *rand.Rand, inputs, depth, count, columns int, wide bool) *Spec {
	b := Block{Size: 1, Keep: columns, Trees: &Trees{Depth: depth, Value: randomGeneral[float64](r, count<<depth, columns, 0)}}
	for b.Size < max(inputs, columns) {
		b.Size *= 2
	}
	comparisons := count * depth
	if wide {
		comparisons = count * (1<<depth - 1)
		for i := range count * depth {
			b.Trees.Width = append(b.Trees.Width, 1<<(i%depth))
		}
	}
	for range comparisons {
		b.Trees.Input = append(b.Trees.Input, r.IntN(inputs))
		b.Trees.Threshold = append(b.Trees.Threshold, float64(r.IntN(254))/64-2)
	}
	s := &Spec{Dim: inputs, Func: asm.Linear}
	for range columns {
		b.Scale, s.Weight = append(b.Scale, 1), append(s.Weight, 1)
	}
	s.Blocks = []Block{b}
	return s
}

// BenchmarkTrees reports nanoseconds for each tree and row.
func BenchmarkTrees(b *testing.B) {
	b.Run("dtype=f64", benchTrees[float64])
	b.Run("dtype=f32", benchTrees[float32])
}

func benchTrees[T Float](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, depth := range []int{3, 6, 10} {
		for _, wide := range []bool{false, true} {
			benchTreesOf[T](b, r, depth, wide)
		}
	}
}

func benchTreesOf[T Float](b *testing.B, r *rand.Rand, depth int, wide bool) {
	for _, count := range []int{60, 1000} {
		for _, columns := range []int{1, 10} {
			for _, inputs := range []int{12, 54} {
				m := Pack[T](treesSpec(r, inputs, depth, count, columns, wide))
				for _, rows := range []int{1, 8, 1000} {
					b.Run(fmt.Sprintf("depth=%d/wide=%v/trees=%d/columns=%d/inputs=%d/rows=%d", depth, wide, count, columns, inputs, rows), func(b *testing.B) {
						x, z := randomGeneral[T](r, rows, inputs, 0), NewGeneral[T](rows, columns)
						b.ReportAllocs()
						for range b.N {
							m.Transform(Engine{Workers: 1}, z, x)
						}
						b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(rows)/float64(count), "ns/tree")
					})
				}
			}
		}
	}
}

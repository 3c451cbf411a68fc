package band

import (
	"fmt"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

func BenchmarkReduce(b *testing.B) {
	for _, n := range []int{1024, 1792} {
		a := random(n, 1)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				reduce(blas.Engine{Workers: 1}, dense.Clone(a), 0)
			}
		})
	}
}

func BenchmarkFactor(b *testing.B) {
	for _, n := range []int{1024, 1792} {
		m := reduce(blas.Engine{Workers: 1}, random(n, 1), 0)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Factor(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package stream_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/stream"
)

// BenchmarkScores predicts 1,000 rows of 10 inputs with 1,024 features, by products of vectors and
// by a product of matrices, and one row.
func BenchmarkScores(b *testing.B) {
	const rows, inputs, features = 1000, 10, 1024
	rng := rand.New(rand.NewPCG(1, 2))
	filled := func(r, c int) blas.General[float64] {
		x := blas.NewGeneral[float64](r, c)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		return x
	}
	m, err := rff.New(rff.NewGaussian(1), inputs, features, rand.NewPCG(1, 2))
	if err != nil {
		b.Fatal(err)
	}
	x, e := filled(rows, inputs), blas.Engine{Workers: 1}
	for _, p := range []*stream.Precision{stream.Float64, stream.Float32} {
		for _, outputs := range []int{12, 24, 37, 312} {
			by, dst := p.NewPredictor(m, rff.Scaling{}, filled(features, outputs), make([]float64, outputs)), blas.NewGeneral[float64](rows, outputs)
			b.Run(fmt.Sprintf("%s/%d/vectors", p.Short, outputs), func(b *testing.B) {
				for b.Loop() {
					by.Predict(e, dst, x, false)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/row", p.Short, outputs), func(b *testing.B) {
				for b.Loop() {
					by.Predict(e, dst.RowRange(0, 1), x.RowRange(0, 1), false)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/matrices", p.Short, outputs), func(b *testing.B) {
				for b.Loop() {
					by.Multiply(e, dst, x)
				}
			})
		}
	}
}

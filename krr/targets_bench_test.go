package krr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/krr"
)

// What classes and targets cost, with λ chosen by cross-validation and with one λ:
// go test ./krr -bench Targets -run '^$'
func BenchmarkTargets(b *testing.B) {
	m := gaussianMap(b, 1, 16, 256, 4)
	for _, grid := range [][]float64{nil, {1e-4}} {
		for _, count := range []int{2, 26, 200, 2000} {
			r := normalRows(4000, 16, coding.Columns(count))
			for c := range count {
				r.classes = append(r.classes, fmt.Sprint(c))
			}
			for i := range r.x.Rows {
				coding.Encode(r.y.Row(i), i%count, count)
			}
			benchmarkFit(b, fmt.Sprintf("classes=%d/grid=%d", count, len(grid)), m, r, grid)
		}
		for _, count := range []int{1, 1000} {
			benchmarkFit(b, fmt.Sprintf("targets=%d/grid=%d", count, len(grid)), m, normalRows(3000, 16, count), grid)
		}
	}
}

// normalRows returns n rows of normal inputs and targets.
func normalRows(n, d, t int) *rows {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &rows{x: blas.NewGeneral[float64](n, d), y: blas.NewGeneral[float64](n, t), batch: 1000}
	for _, data := range [][]float64{r.x.Data, r.y.Data} {
		for i := range data {
			data[i] = rng.NormFloat64()
		}
	}
	return r
}

func benchmarkFit(b *testing.B, name string, m *rff.Map, r *rows, grid []float64) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Lambdas: grid, Engine: rff.Engine{Workers: 1}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

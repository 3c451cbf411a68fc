package sampling

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
)

// What choosing features costs against what using them costs, on one worker, at
// the size of half of the EEG set and F = 1792 frequencies (128 per dimension).
// Each benchmark alternates the two and reports the ratio of their minima:
//
//	go test ./sampling -run - -bench Cost -benchtime 7x
//
// A generation pass draws the map, packs it and writes Z to memory.
func BenchmarkCost(b *testing.B) {
	const n, d, f = 7488, 14, 1792
	e := blas.Engine{Workers: 1}
	ctx, k := context.Background(), rff.NewGaussian(1)
	data := waves(n, d, 1)
	data.cut = []int{504}
	z := blas.NewGeneral[float64](n, 2*f)
	generate := func(columns int) {
		m, err := rff.New(k, d, columns, rand.NewPCG(1, 1))
		if err != nil {
			b.Fatal(err)
		}
		inside.Features64(m).Transform(e, blas.General[float64]{Rows: n, Cols: columns, Stride: columns, Data: z.Data[:n*columns]}, data.x)
	}
	sample := func(s rff.Sampler, columns int) {
		if _, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: d, Features: columns, Data: data, Rand: rand.NewPCG(1, 1), Engine: rff.Engine{Workers: 1}}); err != nil {
			b.Fatal(err)
		}
	}
	gram := func(columns int) {
		m, err := rff.New(k, d, columns, rand.NewPCG(1, 1))
		if err != nil {
			b.Fatal(err)
		}
		acc := blas.NewAccumulator(inside.Features64(m), 1, true)
		acc.Add(e, data.x, data.y, nil)
		acc.Flush(e)
		for i := range acc.G.Rows {
			acc.G.Row(i)[i]++
		}
		if err := blas.Cholesky(e, acc.G); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name         string
		subject, one func()
	}{
		// All candidates scored, all columns of the pool generated.
		{"surrogate/pass", func() { sample(Surrogate{Pool: Pool{Size: 2 * f}}, f/2) }, func() { generate(2 * f) }},
		// Ten times the candidates on a tenth of the rows.
		{"eerf/pass", func() { sample(EERF{Pool: Pool{Size: 10 * f}, Fraction: 0.1}, f) }, func() { generate(f) }},
		{"lkrf/pass", func() { sample(LKRF{Pool: Pool{Size: 2 * f}}, f/2) }, func() { generate(2 * f) }},
		{"leverage/gram+cholesky", func() { sample(Leverage{Pool: Pool{Size: 2 * f}}, f/2) }, func() { gram(2 * f) }},
		{"tefm-g/pass", func() { sample(TEFM{}, f/2) }, func() { generate(2 * f) }},
		{"tefm-s/pass", func() { sample(TEFM{Hadamard: true}, f/2) }, func() { generate(2 * f) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			subject, one := math.Inf(1), math.Inf(1)
			c.one()
			b.ResetTimer()
			for range b.N {
				start := time.Now()
				c.subject()
				middle := time.Now()
				c.one()
				subject = min(subject, middle.Sub(start).Seconds())
				one = min(one, time.Since(middle).Seconds())
			}
			b.ReportMetric(subject/one, "ratio")
			b.ReportMetric(1e3*subject, "ms")
			b.ReportMetric(1e3*one, "ms-of-one")
		})
	}
}

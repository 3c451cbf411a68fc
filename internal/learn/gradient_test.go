package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/portable"
	"github.com/rffgo/rff/internal/trial"
)

// normals returns an r×c matrix of normal numbers, the same everywhere.
func normals(rng *rand.Rand, r, c int) blas.General[float64] {
	m := blas.NewGeneral[float64](r, c)
	for i := range m.Data {
		m.Data[i] = portable.NormalQuantile(portable.Uniform(rng))
	}
	return m
}

func product(t *testing.T, f *Fit, e blas.Engine, diagonal bool) Product {
	t.Helper()
	p, err := f.GradientProduct(context.Background(), e, diagonal)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGradientProduct compares M as it is read off the Gram matrix with the mean
// over rows of the outer products of explicit gradients, for several targets,
// weights and ragged shapes. Features are rounded to 2⁻²⁴, and sums of 504 products of them to
// √504 times that, so M agrees to 2·10⁻⁶ of the largest element.
func TestGradientProduct(t *testing.T) {
	for _, shape := range []struct{ n, d, f, targets int }{{700, 5, 33, 1}, {503, 1, 8, 3}, {601, 17, 40, 4}, {20, 3, 25, 2}} {
		for _, weighted := range []bool{false, true} {
			t.Run(fmt.Sprint(shape, weighted), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(shape.n)))
				rows := &trial.Rows{X: normals(rng, shape.n, shape.d), Y: normals(rng, shape.n, shape.targets)}
				if weighted {
					rows.Weight = make([]float64, shape.n)
					for i := range rows.Weight {
						rows.Weight[i] = rng.Float64()
					}
				}
				p := &Problem{Train: rows, Valid: rows, Lambdas: []float64{1e-3}}
				fit, err := p.Fit(context.Background(), normals(rng, shape.f, shape.d))
				if err != nil {
					t.Fatal(err)
				}
				want := blas.NewGeneral[float64](shape.d, shape.d)
				var sum, most float64
				for i := range shape.n {
					w := rows.WeightOf(i)
					sum += w
					for c := range shape.targets {
						g := gradientAt(fit, rows.X.Row(i), c)
						for j := range g {
							for k := range g {
								want.Row(j)[k] += w * g[j] * g[k]
							}
						}
					}
				}
				for i := range want.Data {
					want.Data[i] /= sum
					most = math.Max(most, math.Abs(want.Data[i]))
				}
				got := product(t, fit, p.Engine, false)
				for j := range shape.d {
					for k := range shape.d {
						if diff := math.Abs(got.Full.Row(j)[k] - want.Row(j)[k]); !(diff <= 2e-6*most) {
							t.Errorf("M[%d,%d] = %g, gradients give %g", j, k, got.Full.Row(j)[k], want.Row(j)[k])
						}
					}
				}
				only := product(t, fit, p.Engine, true)
				for j, v := range only.Diagonal {
					if !(math.Abs(v-want.Row(j)[j]) <= 2e-6*most) {
						t.Errorf("diagonal %d = %g, gradients give %g", j, v, want.Row(j)[j])
					}
				}
			})
		}
	}
}

// gradientAt returns ∇f of one target by its definition.
func gradientAt(f *Fit, x []float64, target int) []float64 {
	n := f.w.Rows
	g := make([]float64, len(x))
	for j := range n {
		var angle float64
		for k, v := range x {
			angle += f.w.Row(j)[k] * v
		}
		a, b := f.Coef.Row(j)[target], f.Coef.Row(n + j)[target]
		slope := (b*math.Cos(angle) - a*math.Sin(angle)) / math.Sqrt(float64(n))
		for k, w := range f.w.Row(j) {
			g[k] += slope * w
		}
	}
	return g
}

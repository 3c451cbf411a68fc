package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff/blas"
)

// TestRoots: B² is M for the power ½ and B⁴ for ¼, up to a factor, of a matrix without
// small eigenvalues.
func TestRoots(t *testing.T) {
	const d = 4
	a := normals(rand.New(rand.NewPCG(1, 2)), 9, d)
	m := blas.NewGeneral[float64](d, d)
	blas.Gemm(blas.Engine{}, true, false, 1, a, a, 0, m)
	diagonal := make([]float64, d)
	for i := range d {
		diagonal[i] = m.Row(i)[i]
	}
	for root, squares := range map[Root]int{Half: 1, Quarter: 2} {
		b, ok := FromProduct(blas.Engine{}, Product{Full: m, Diagonal: diagonal}, root)
		if !ok {
			t.Fatal("no root")
		}
		p := b.Full
		for range squares {
			q := blas.NewGeneral[float64](d, d)
			blas.Gemm(blas.Engine{}, false, false, 1, p, p, 0, q)
			p = q
		}
		factor := m.Row(0)[0] / p.Row(0)[0]
		for i := range d {
			for j, v := range m.Row(i) {
				if math.Abs(factor*p.Row(i)[j]-v) > 1e-12*m.Row(0)[0]*10 {
					t.Errorf("power %v: element %d, %d is %g, want %g", root, i, j, factor*p.Row(i)[j], v)
				}
			}
		}
		scales, ok := FromProduct(blas.Engine{}, Product{Diagonal: diagonal}, root)
		for j, v := range scales.Scale {
			if want := math.Pow(diagonal[j]/diagonal[0], 0.5/float64(squares)) * scales.Scale[0]; !ok || math.Abs(v-want) > 1e-14 {
				t.Errorf("power %v of the diagonal: scale %d is %g, want %g", root, j, v, want)
			}
		}
	}
}

// TestSpreadStays: the mean square of B·x is that of x after every round.
func TestSpreadStays(t *testing.T) {
	p := ridges(600, 5, 1, true)
	for _, diagonal := range []bool{false, true} {
		m := &Metric{Problem: p, W0: normals(rand.New(rand.NewPCG(1, 1)), 20, 5), Unit: 2, Rounds: 3, Diagonal: diagonal}
		one := Transform{Scale: []float64{1, 1, 1, 1, 1}}
		steps, _, fit, err := m.Start(context.Background(), one)
		if err != nil {
			t.Fatal(err)
		}
		next, _, err := m.Run(context.Background(), steps[0], fit, Half, 3)
		if err != nil || len(next) == 0 {
			t.Fatalf("%d rounds, %v", len(next), err)
		}
		spread := spread(p.Train, p.Engine, diagonal)
		for _, s := range next {
			if got, want := spread(s.B), spread(one); math.Abs(got-want) > 1e-12*want {
				t.Errorf("diagonal %v, round %d: the mean square is %g, was %g", diagonal, s.Round, got, want)
			}
		}
	}
}

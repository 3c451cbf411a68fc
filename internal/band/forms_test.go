package band

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// Forms of rotated rows are zᵀ(A + μI)⁻¹z of a Cholesky solution by gonum.
func TestForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 5, 8, 17, 33, 100} {
		for _, b := range []int{3, 8, 32} {
			a := random(n, uint64(n))
			norm := mat.Norm(mat.NewDense(n, n, a.Data), 2)
			m, err := reduced(t.Context(), blas.Engine{}, a, b, func(float64) {})
			if err != nil {
				t.Fatal(err)
			}
			mus := []float64{1e-6 * norm, 1e-3 * norm, norm}
			var factors []*Factor
			for _, mu := range mus {
				f, err := m.Factor(mu)
				if err != nil {
					t.Fatal(err)
				}
				factors = append(factors, f)
			}
			const rows = formRows + 5 // two tasks
			z := mat.NewDense(rows, n, nil)
			z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
			q := blas.NewGeneral[float64](n, n)
			for i := range n {
				q.Row(i)[i] = 1
			}
			m.Restore(blas.Engine{}, q)
			var p mat.Dense
			p.Mul(z, mat.NewDense(n, n, q.Data))
			got := blas.NewGeneral[float64](rows, len(mus))
			for i := range got.Data {
				got.Data[i] = math.NaN()
			}
			NewForms(factors).Apply(blas.Engine{}, blas.General[float64]{Rows: rows, Cols: n, Stride: n, Data: p.RawMatrix().Data}, got)
			for l, mu := range mus {
				shifted := mat.NewSymDense(n, dense.Clone(a).Data)
				for i := range n {
					shifted.SetSym(i, i, shifted.At(i, i)+mu)
				}
				var chol mat.Cholesky
				chol.Factorize(shifted)
				var x mat.Dense
				if err := chol.SolveTo(&x, z.T()); err != nil {
					t.Fatal(err)
				}
				for i := range rows {
					want := mat.Dot(z.RowView(i), x.ColView(i))
					if g := got.Row(i)[l]; !(math.Abs(g-want) <= 50*float64(n)*0x1p-52*norm/mu*want) { // κ·n·eps
						t.Fatalf("n=%d b=%d μ=%g row %d: %v, want %v", n, b, mu, i, g, want)
					}
				}
			}
		}
	}
}

package band

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// random returns a positive definite matrix with eigenvalues over many decades.
func random(n int, seed uint64) blas.General[float64] {
	rng := rand.New(rand.NewPCG(seed, 0))
	z := mat.NewDense(2*n, n, nil)
	for i := range 2 * n {
		for j := range n {
			z.Set(i, j, rng.NormFloat64()*math.Pow(10, -3*float64(j)/float64(n)))
		}
	}
	var a mat.Dense
	a.Mul(z.T(), z)
	return blas.General[float64]{Rows: n, Cols: n, Stride: n, Data: a.RawMatrix().Data}
}

func TestAgainstGonum(t *testing.T) {
	for _, n := range []int{1, 2, 5, 7, 8, 9, 16, 17, 33, 100} {
		for _, b := range []int{1, 3, 8, 20, 32} {
			t.Run(fmt.Sprintf("n=%d/b=%d", n, b), func(t *testing.T) {
				a := random(n, uint64(n))
				norm := mat.Norm(mat.NewDense(n, n, a.Data), 2)
				sym := mat.NewSymDense(n, dense.Clone(a).Data)
				m := reduce(blas.Engine{}, a, b)
				for i := range n {
					for j := range n {
						if a.Data[i*n+j] != sym.At(i, j) {
							t.Fatalf("Reduce made %g of element (%d, %d), %g", a.Data[i*n+j], i, j, sym.At(i, j))
						}
					}
				}

				// Q is orthogonal, and QᵀAQ is B: rotate the columns of A, then
				// its rows, and compare with the blocks.
				q := blas.NewGeneral[float64](n, n)
				for i := range n {
					q.Data[i*n+i] = 1
				}
				m.Restore(blas.Engine{}, q)
				qd := mat.NewDense(n, n, q.Data)
				// A vector alone takes another way than among others: Qᵀ·1 is the
				// sums of the columns of Q.
				ones := blas.NewGeneral[float64](n, 1)
				for i := range n {
					ones.Data[i] = 1
				}
				m.Rotate(ones)
				for j := range n {
					var sum float64
					for i := range n {
						sum += q.Data[i*n+j]
					}
					if d := math.Abs(ones.Data[j] - sum); d > 20*float64(n)*0x1p-52*math.Sqrt(float64(n)) {
						t.Fatalf("(Qᵀ1)[%d] = %g, the column of Q sums up to %g", j, ones.Data[j], sum)
					}
				}
				m.Restore(blas.Engine{}, ones)
				for i, v := range ones.Data {
					if d := math.Abs(v - 1); d > 20*float64(n)*0x1p-52*math.Sqrt(float64(n)) {
						t.Fatalf("(QQᵀ1)[%d] = %g", i, v)
					}
				}
				var rot mat.Dense
				rot.Product(qd.T(), sym, qd)
				// Householder products are backward stable: a modest multiple of n·eps.
				tol := 20 * float64(n) * 0x1p-52 * norm
				for i := range n {
					for j := range i + 1 {
						var want float64
						switch i/b - j/b {
						case 0:
							want = m.diag[i/b].Data[i%b*m.diag[i/b].Stride+j%b]
						case 1:
							want = m.below[j/b].Data[i%b*m.below[j/b].Stride+j%b]
						}
						if i/b-j/b > 1 && i/b == len(m.diag) { // ragged last block
							continue
						}
						if d := math.Abs(rot.At(i, j) - want); d > tol {
							t.Fatalf("(QᵀAQ)[%d,%d] = %g, B has %g", i, j, rot.At(i, j), want)
						}
					}
				}

				for _, mu := range []float64{1e-6 * norm, 1e-2 * norm} {
					f, err := m.Factor(mu)
					if err != nil {
						t.Fatal(err)
					}
					shifted := mat.NewSymDense(n, nil)
					shifted.CopySym(sym)
					for i := range n {
						shifted.SetSym(i, i, shifted.At(i, i)+mu)
					}
					var chol mat.Cholesky
					chol.Factorize(shifted)
					rhs := mat.NewDense(n, 2, nil)
					for i := range n {
						rhs.Set(i, 0, float64(i%3)-1)
						rhs.Set(i, 1, 1)
					}
					var want mat.Dense
					if err := chol.SolveTo(&want, rhs); err != nil {
						t.Fatal(err)
					}
					x := blas.General[float64]{Rows: n, Cols: 2, Stride: 2, Data: mat.DenseCopyOf(rhs).RawMatrix().Data}
					m.Rotate(x)
					f.Solve(x)
					m.Restore(blas.Engine{}, x)
					var diff mat.Dense
					diff.Sub(mat.NewDense(n, 2, x.Data), &want)
					rel := 50 * float64(n) * 0x1p-52 * norm / mu // κ·n·eps
					if d, w := mat.Norm(&diff, 2), mat.Norm(&want, 2); d > rel*w {
						t.Errorf("μ=%g: solution off by %g of %g", mu, d, w)
					}
					if d := math.Abs(f.LogDet() - chol.LogDet()); d > rel*float64(n) {
						t.Errorf("μ=%g: log det %g, want %g", mu, f.LogDet(), chol.LogDet())
					}
					var inv mat.SymDense
					if err := chol.InverseTo(&inv); err != nil {
						t.Fatal(err)
					}
					if got, w := f.InverseTrace(), mat.Trace(&inv); math.Abs(got-w) > rel*w {
						t.Errorf("μ=%g: trace of the inverse %g, want %g", mu, got, w)
					}
				}
			})
		}
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	a := random(20, 1)
	a.Data[5*20+5] = -1
	if _, err := reduce(blas.Engine{}, a, 4).Factor(1e-9); err == nil {
		t.Error("factored an indefinite matrix")
	}
}

// A zero matrix and one of low rank need reflectors of nothing.
func TestDegenerate(t *testing.T) {
	m := reduce(blas.Engine{}, blas.NewGeneral[float64](40, 40), 8)
	f, err := m.Factor(2)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.InverseTrace(); math.Abs(got-20) > 1e-13 {
		t.Errorf("trace of (2I)⁻¹ is %g, want 20", got)
	}
	one := blas.NewGeneral[float64](40, 40)
	for i := range one.Data {
		one.Data[i] = 0x1p-1074
	}
	if f, err = reduce(blas.Engine{}, one, 8).Factor(2); err != nil {
		t.Fatal(err)
	}
	if got := f.InverseTrace(); !(math.Abs(got-20) <= 1e-13) {
		t.Errorf("trace of (2I + 11ᵀ·2⁻¹⁰⁷⁴)⁻¹ is %g, want 20", got)
	}
	for i := range one.Data {
		one.Data[i] = 1
	}
	f, err = reduce(blas.Engine{}, one, 8).Factor(1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.InverseTrace(), 39+1.0/41; math.Abs(got-want) > 1e-12 {
		t.Errorf("trace of (I+11ᵀ)⁻¹ is %g, want %g", got, want)
	}
}

// reduce is Reduce to its end.
func reduce(e blas.Engine, a blas.General[float64], block int) *Matrix {
	m, err := reduced(context.Background(), e, a, block, nil)
	if err != nil {
		panic(err)
	}
	return m
}

// A reduction stops at the next step, and its shares sum to what it has done.
func TestReduceStops(t *testing.T) {
	a := random(200, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var sum float64
	steps := 0
	if _, err := reduced(ctx, blas.Engine{}, a, 8, func(share float64) { sum += share; steps++ }); err != nil || sum > 1 || sum < 0.99 {
		t.Errorf("%v; shares sum to %g", err, sum)
	}
	all := steps
	steps = 0
	_, err := reduced(ctx, blas.Engine{}, a, 8, func(float64) {
		if steps++; steps == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || steps != 3 || all < 20 {
		t.Errorf("%v after %d of %d steps", err, steps, all)
	}
}

// Many columns, which products solve for together, have the solutions of columns by
// themselves to within rounding, whatever is left for the last block.
func TestSolveManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 5, 8, 41, 64} {
		z := blas.NewGeneral[float64](n+3, n)
		for i := range z.Data {
			z.Data[i] = rng.NormFloat64()
		}
		a := blas.NewGeneral[float64](n, n)
		blas.Gemm(blas.Engine{}, true, false, 1, z, z, 0, a)
		m, err := reduced(context.Background(), blas.Engine{}, a, 8, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Factor(1)
		if err != nil {
			t.Fatal(err)
		}
		const columns = blockColumns + 5
		all := blas.NewGeneral[float64](n, columns)
		for i := range all.Data {
			all.Data[i] = rng.NormFloat64()
		}
		singles := make([][]float64, columns)
		for c := range singles {
			for i := range n {
				singles[c] = append(singles[c], all.Row(i)[c])
			}
			f.Solve(blas.General[float64]{Rows: n, Cols: 1, Stride: 1, Data: singles[c]})
		}
		f.Solve(all)
		// The condition is below that of a + I, tr a + 1; a column's solution at most its norm.
		var trace, norm float64
		for i := range n {
			trace += a.Row(i)[i]
		}
		for c := range singles {
			for _, v := range singles[c] {
				norm = max(norm, math.Abs(v))
			}
		}
		tol := 10 * float64(n) * 0x1p-52 * (trace + 1) * norm
		for c := range singles {
			for i, want := range singles[c] {
				if math.Abs(all.Row(i)[c]-want) > tol {
					t.Fatalf("n = %d: element (%d, %d) is %g, by itself %g", n, i, c, all.Row(i)[c], want)
				}
			}
		}
	}
}

// reduced returns the reduction of a, symmetric in full storage, which it leaves alone.
func reduced(ctx context.Context, e blas.Engine, a blas.General[float64], block int, done func(share float64)) (*Matrix, error) {
	return new(Reducer).Reduce(ctx, e, a.Rows, block, func(dst []float64, i, j int) { copy(dst, a.Row(i)[j:]) }, done)
}

package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// penaltyOf returns a symmetric matrix of eigenvalues from 0.1 to 3, and ‖K⁻¹‖.
func penaltyOf(n int) *penalty {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	a := mat.NewDense(n, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var v mat.Dense
	qr.QTo(&v)
	d := make([]float64, n)
	for i := range d {
		d[i] = 0.1 + 2.9*float64(i)/float64(max(1, n-1))
	}
	a.Product(&v, mat.NewDiagDense(n, d), v.T())
	p := &penalty{k: blas.NewGeneral[float64](n, n), inverseNorm: 10}
	for i := range n {
		for j := range i + 1 {
			p.k.Row(i)[j], p.k.Row(j)[i] = a.At(i, j), a.At(i, j)
		}
	}
	return p
}

// matOf is m as gonum has it.
func matOf(m blas.General[float64]) *mat.Dense {
	c := dense.Clone(m)
	return mat.NewDense(c.Rows, c.Cols, c.Data)
}

// A system with a penalty has the solution of (A + Σw·λ·K)β = R, for one λ and for
// several, and the residuals of that solution.
func TestPenalty(t *testing.T) {
	for _, n := range []int{1, 7, 33, 70} {
		const w = 40.0
		d := make([]float64, n)
		for i := range d {
			d[i] = 1 + float64(i)
		}
		s, _ := spectral(t, d, 2, w)
		a := matOf(s.A)
		for k := range s.YY {
			s.YY[k] = 1000
		}
		s.penalty = penaltyOf(n)
		grid := []float64{1e-9, 1e-3, 0.1, 1, 2, 3, 4}
		all := blas.NewGeneral[float64](n, 2*len(grid))
		solved, err := s.SolveGrid(context.Background(), blas.Engine{}, grid, all, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		for i, lambda := range grid {
			coef, info, err := s.Solve(context.Background(), blas.Engine{}, lambda)
			if err != nil || info.Attempts != 0 || solved[i].Attempts != 0 {
				t.Fatalf("n = %d, λ = %g: %v, %v, %v", n, lambda, info, solved[i], err)
			}
			var m, want mat.Dense
			m.Scale(w*lambda, matOf(s.penalty.k))
			m.Add(&m, a)
			if err := want.Solve(&m, matOf(s.R)); err != nil {
				t.Fatal(err)
			}
			var inverse mat.Dense
			if err := inverse.Inverse(&m); err != nil {
				t.Fatal(err)
			}
			if c := mat.Norm(&m, 1) * mat.Norm(&inverse, 1); !(info.Condition > c/3 && info.Condition < 1.0001*c) {
				t.Errorf("n = %d, λ = %g: condition %g, by the inverse %g", n, lambda, info.Condition, c)
			}
			// κ·n·eps, for κ ≤ 70 and more for λ = 4.
			tol := 1e3 * float64(n) * 0x1p-52 * mat.Norm(&want, 2)
			for r := range n {
				for k := range 2 {
					if v := want.At(r, k); math.Abs(coef.Row(r)[k]-v) > tol || math.Abs(all.Row(r)[2*i+k]-v) > tol {
						t.Fatalf("n = %d, λ = %g: coefficient (%d, %d) is %v, of several %v, want %v", n, lambda, r, k, coef.Row(r)[k], all.Row(r)[2*i+k], v)
					}
				}
			}
			// Σ(y − zᵀβ)² = Σy² − 2βᵀR + βᵀAβ.
			res := s.Residuals(lambda, coef, info)
			for k := range 2 {
				b := want.ColView(k)
				rss := 1000 - 2*mat.Dot(b, matOf(s.R).ColView(k)) + mat.Inner(b, a, b)
				if math.Abs(res.RSS[k]-rss) > 1e-9*1000 {
					t.Errorf("n = %d, λ = %g: RSS %v, want %v", n, lambda, res.RSS[k], rss)
				}
			}
		}
	}
}

// What the sums' rounding errors would drown is raised to them, and said; what has no
// factor is solved with more jitter, and at last with negative eigenvalues of the
// whitened matrix at 0.
func TestPenaltyOfHardSystems(t *testing.T) {
	const n, w, lambda = 20, 40.0, 1e-9
	d := make([]float64, n)
	for i := range d {
		d[i] = 1
	}
	s, _ := spectral(t, d, 1, w)
	s.penalty = penaltyOf(n)
	s.Noise = 1e-3 // of the whitened matrix
	a, r := matOf(s.A), matOf(s.R)
	coef, info, err := s.Solve(context.Background(), blas.Engine{}, lambda)
	if err != nil {
		t.Fatal(err)
	}
	if info.Jitter != 1e-3 || info.Attempts != 0 {
		t.Errorf("noise of 1e-3: %+v", info)
	}
	check := func(what string, mu float64, a mat.Matrix, tol float64) {
		t.Helper()
		var m, want mat.Dense
		m.Scale(mu, matOf(s.penalty.k))
		m.Add(&m, a)
		if err := want.Solve(&m, r); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if math.Abs(coef.Row(i)[0]-want.At(i, 0)) > tol*mat.Norm(&want, 2) {
				t.Fatalf("%s: coefficient %d is %v, want %v", what, i, coef.Row(i)[0], want.At(i, 0))
			}
		}
	}
	check("noise", w*lambda+info.Jitter, a, 1e-12)

	// A = K·(−1e-7) has no factor with less than 1e-7 of K added: two attempts, the
	// noise and ten times the noise.
	s, _ = spectral(t, d, 1, w)
	s.penalty, s.Noise, r = penaltyOf(n), 2e-8, matOf(s.R)
	for i := range n {
		for j := range n {
			s.A.Row(i)[j] = -1e-7 * s.penalty.k.Row(i)[j]
		}
		s.Diag[i] = s.A.Row(i)[i]
	}
	a = matOf(s.A)
	if coef, info, err = s.Solve(context.Background(), blas.Engine{}, lambda); err != nil {
		t.Fatal(err)
	}
	if info.Attempts != 2 || info.Method != Cholesky || math.Abs(info.Jitter-2e-7) > 1e-20 {
		t.Errorf("no factor: %+v", info)
	}
	check("jitter", w*lambda+info.Jitter, a, 1e-6)

	// Nor is there one for A = −K: whitened it is −I, whose eigenvalues become 0.
	s, _ = spectral(t, d, 1, w)
	s.penalty, r = penaltyOf(n), matOf(s.R)
	for i := range n {
		for j := range n {
			s.A.Row(i)[j] = -s.penalty.k.Row(i)[j]
		}
		s.Diag[i] = s.A.Row(i)[i]
	}
	if coef, info, err = s.Solve(context.Background(), blas.Engine{}, lambda); err != nil {
		t.Fatal(err)
	}
	if info.Method != Eigen || info.Attempts != Jitters {
		t.Errorf("negative: %+v", info)
	}
	check("eigenvalues", w*lambda, mat.NewDense(n, n, nil), 1e-9)
}

// Congruence gives PᵀGP, PᵀZY and Pᵀz for every shape of its recursion, and halves of
// the work on any number of workers have the same bits.
func TestWhiten(t *testing.T) {
	for _, n := range []int{1, 2, 125, 126, 127, 189, 190, 252, 377, 1009, 1100} {
		if testing.Short() && n > 400 {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		g, p := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				v := rng.NormFloat64()
				if j >= i {
					g.Set(i, j, v)
					g.Set(j, i, v)
					p.Set(i, j, rng.NormFloat64())
				}
			}
		}
		zy := mat.NewDense(n, 2, nil)
		zy.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, zy)
		general := func(m *mat.Dense) blas.General[float64] {
			r, c := m.Dims()
			return dense.Clone(blas.General[float64]{Rows: r, Cols: c, Stride: c, Data: m.RawMatrix().Data})
		}
		sums := func() *blas.Sums {
			s := &blas.Sums{G: general(g), ZY: general(zy), Z: make([]float64, n)}
			for i := range n {
				clear(s.G.Row(i)[:i]) // as sums are
				s.Z[i] = zy.At(i, 0)
			}
			return s
		}
		one, two := sums(), sums()
		whiten(blas.Engine{Workers: 1}, general(p), 1e6, one)
		if trace := mat.Trace(g); !(math.Abs(one.Noise-1e6*0x1p-52*trace/math.Sqrt(float64(n))) <= 1e-9*math.Abs(one.Noise)) || one.Noise == 0 {
			t.Fatalf("n = %d: rounding errors of %g for a trace of %g", n, one.Noise, trace)
		}
		whiten(blas.Engine{Workers: 2}, general(p), 1, two)
		var want, wantY mat.Dense
		want.Product(p.T(), g, p)
		wantY.Mul(p.T(), zy)
		// Chains of n terms of size 1 twice, and errors of either sign.
		tol := 8 * float64(n*n) * 0x1p-53
		for i := range n {
			for j := range n {
				v := want.At(i, j)
				if j < i {
					v = 0
				}
				if got := one.G.Row(i)[j]; !(math.Abs(got-v) <= tol) || two.G.Row(i)[j] != got {
					t.Fatalf("n = %d: (%d, %d) is %v and %v, want %v", n, i, j, got, two.G.Row(i)[j], v)
				}
			}
			if math.Abs(one.Z[i]-wantY.At(i, 0)) > tol || math.Abs(one.ZY.Row(i)[1]-wantY.At(i, 1)) > tol {
				t.Fatalf("n = %d: sums of row %d", n, i)
			}
		}
	}
}

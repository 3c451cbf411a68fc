package ridge

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/dense"
)

// spectral returns a system with given eigenvalues and eigenvectors, some of
// which may be negative, as rounding of sums leaves them.
func spectral(t *testing.T, d []float64, targets int, w float64) (*System, *mat.Dense) {
	t.Helper()
	n := len(d)
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	a := mat.NewDense(n, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var v mat.Dense
	qr.QTo(&v)
	a.Product(&v, mat.NewDiagDense(n, d), v.T())
	s := &System{Rows: 100, W: w, Z: make([]float64, n), Y: make([]float64, targets), YY: make([]float64, targets),
		A: blas.NewGeneral[float64](n, n), Diag: make([]float64, n), R: blas.NewGeneral[float64](n, targets)}
	for i := range n {
		for j := range i + 1 {
			s.A.Row(i)[j], s.A.Row(j)[i] = a.At(i, j), a.At(i, j)
		}
		s.Diag[i] = a.At(i, i)
		for k := range targets {
			s.R.Row(i)[k] = rng.NormFloat64()
		}
	}
	return s, &v
}

// What Cholesky cannot factor is solved with negative eigenvalues at 0, with nλ
// on the diagonal; F of the variance has FᵀF = (A₊ + nλI)⁻¹.
func TestEigenFallback(t *testing.T) {
	const lambda, w = 1e-3, 40.0
	d := []float64{-.5, -1e-9, 0, 1e-3, .7, 2, 9}
	s, v := spectral(t, d, 2, w)
	want := mat.NewDense(len(d), 2, nil)
	inverse := make([]float64, len(d))
	for i, x := range d {
		inverse[i] = 1 / (max(x, 0) + w*lambda)
	}
	var m mat.Dense
	m.Product(v, mat.NewDiagDense(len(d), inverse), v.T())
	want.Mul(&m, mat.NewDense(len(d), 2, dense.Clone(s.R).Data))
	coef, info, err := s.Solve(context.Background(), blas.Engine{}, lambda)
	if err != nil {
		t.Fatal(err)
	}
	// κ·n·eps, with κ = 9/0.04.
	const tol = 225 * 7 * 0x1p-52
	for i := range d {
		for k := range 2 {
			if got := coef.Row(i)[k]; math.Abs(got-want.At(i, k)) > 10*tol*mat.Norm(want, 2) {
				t.Errorf("coefficient (%d, %d) is %v, want %v", i, k, got, want.At(i, k))
			}
		}
	}
	if kappa := (9 + w*lambda) / (w * lambda); info.Method != Eigen || info.Attempts != Jitters || info.Jitter != 0 || math.Abs(info.Condition-kappa) > 1e-9*kappa {
		t.Errorf("%+v, want condition %v", info, kappa)
	}
	// The decomposition that the first λ keeps serves every other one.
	fresh, _ := spectral(t, d, 2, w)
	again, _, errAgain := s.Solve(context.Background(), blas.Engine{}, 2*lambda)
	first, _, errFirst := fresh.Solve(context.Background(), blas.Engine{}, 2*lambda)
	if errAgain != nil || errFirst != nil || !slices.Equal(again.Data, first.Data) {
		t.Errorf("λ after another: %v, %v; alone: %v, %v", again.Data, errAgain, first.Data, errFirst)
	}
	_, root, _, err := s.SolveEigen(blas.Engine{}, lambda, info)
	if err != nil {
		t.Fatal(err)
	}
	f := root()
	var ff mat.Dense
	ff.Mul(mat.NewDense(7, 7, f.Data).T(), mat.NewDense(7, 7, f.Data))
	ff.Sub(&ff, &m)
	if e := mat.Norm(&ff, 2); e > 10*tol*25 {
		t.Errorf("FᵀF differs from the inverse by %g", e)
	}
	s, _ = spectral(t, d, 2, w)
	s.A.Row(3)[0] = math.NaN()
	var singular *SingularError
	if _, _, err := s.Solve(context.Background(), blas.Engine{}, lambda); !errors.As(err, &singular) {
		t.Errorf("a matrix of NaN: %v", err)
	}
}

// A system that is formed anew from other sums is decomposed anew.
func TestFormForgetsEigenvalues(t *testing.T) {
	sumsOf := func(g float64) *blas.Sums {
		s := &blas.Sums{Rows: 4, W: 4, Z: make([]float64, 2), Y: make([]float64, 1), YY: []float64{4}, G: blas.NewGeneral[float64](2, 2), ZY: blas.NewGeneral[float64](2, 1)}
		copy(s.G.Data, []float64{g, 0, 0, 2 * g})
		copy(s.ZY.Data, []float64{1, 1})
		return s
	}
	s := New(Coordinates{}, sumsOf(1), nil, []float64{0})
	for _, g := range []float64{1, 3} {
		if g != 1 {
			s.Form(sumsOf(g), nil)
		}
		coef, _, _, err := s.SolveEigen(blas.Engine{}, 0.25, Solved{})
		if want := 1 / (g + 1); err != nil || math.Abs(coef.Data[0]-want) > 1e-15 {
			t.Errorf("%v, %v, want %v", coef.Data, err, want)
		}
	}
}

// Leverages, fits and degrees of freedom do not depend on the basis; the
// eigenvalues are taken where some λ leaves the system indefinite.
func TestHatInEitherBasis(t *testing.T) {
	const w = 25.0
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 7, 70} {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, -3*float64(i)/float64(n))
		}
		lambdas := []float64{1e-4, 1e-2, 1}
		s, v := spectral(t, d, 2, w)
		z := blas.NewGeneral[float64](9, n)
		for i := range z.Data {
			z.Data[i] = rng.NormFloat64()
		}
		indefinite, vi := s, v
		for _, eigen := range []bool{false, true} {
			if eigen {
				d[0] = -.2 // counts as 0
				indefinite, vi = spectral(t, d, 2, w)
			}
			h, err := NewHat(context.Background(), blas.Engine{}, indefinite, lambdas)
			if err != nil {
				t.Fatal(err)
			}
			p, fit, forms := blas.NewGeneral[float64](9, n), blas.NewGeneral[float64](9, 6), blas.NewGeneral[float64](9, 3)
			blas.Gemm(blas.Engine{}, false, true, 1, z, h.Basis, 0, p)
			blas.Gemm(blas.Engine{}, false, false, 1, p, h.Coef, 0, fit)
			h.Forms(p, forms)
			for l, lambda := range lambdas {
				if (h.Solved[l].Method == Eigen) != eigen || h.Solved[l].Attempts > 0 {
					t.Errorf("n=%d λ=%g: %v", n, lambda, h.Solved[l])
				}
				inverse := make([]float64, n)
				var freedom float64
				for i, x := range d {
					inverse[i] = 1 / (max(x, 0) + w*lambda)
					freedom += max(x, 0) * inverse[i]
				}
				var m, zm, beta, want mat.Dense
				m.Product(vi, mat.NewDiagDense(n, inverse), vi.T())
				zd := mat.NewDense(9, n, z.Data)
				zm.Mul(zd, &m)
				beta.Mul(&m, mat.NewDense(n, 2, dense.Clone(indefinite.R).Data))
				want.Mul(zd, &beta)
				tol := float64(n) * 0x1p-52 * 100 * (1 + 1/(w*lambda))
				if math.Abs(h.Freedom[l]-freedom) > tol*float64(n) {
					t.Errorf("n=%d λ=%g: freedom %v, want %v", n, lambda, h.Freedom[l], freedom)
				}
				for i := range 9 {
					form := mat.Dot(zm.RowView(i), zd.RowView(i))
					if math.Abs(forms.Row(i)[l]-form) > tol*form {
						t.Errorf("n=%d λ=%g: form %v, want %v", n, lambda, forms.Row(i)[l], form)
					}
					for k := range 2 {
						if math.Abs(fit.Row(i)[2*l+k]-want.At(i, k)) > tol*mat.Norm(&want, 2) {
							t.Errorf("n=%d λ=%g: fit %v, want %v", n, lambda, fit.Row(i)[2*l+k], want.At(i, k))
						}
					}
				}
			}
		}
	}
}

// A singular system has as many degrees of freedom as it has rank, whatever was
// added to its diagonal.
func TestHatOfSingularSystem(t *testing.T) {
	s, _ := spectral(t, []float64{0, 0, 0, .5, 1, 2, 3}, 1, 25)
	h, err := NewHat(context.Background(), blas.Engine{}, s, []float64{1e-30})
	if err != nil {
		t.Fatal(err)
	}
	// Each 0 is off by some eps against a jitter of eps·6.5 at least.
	if math.Abs(h.Freedom[0]-4) > 0.9 {
		t.Errorf("%v degrees of freedom, rank 4 (%v)", h.Freedom[0], h.Solved[0])
	}
}

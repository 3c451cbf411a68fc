package krr_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// centredGram returns A = Σw(z−z̄)(z−z̄)ᵀ from the features, by two passes.
func centredGram(z *mat.Dense, w []float64) (a *mat.SymDense, sum float64) {
	n, s := z.Dims()
	mean := make([]float64, s)
	for i := range n {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		sum += wi
		for j := range s {
			mean[j] += wi * z.At(i, j)
		}
	}
	a = mat.NewSymDense(s, nil)
	row := mat.NewVecDense(s, nil)
	for i := range n {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		for j := range s {
			row.SetVec(j, z.At(i, j)-mean[j]/sum)
		}
		a.SymRankOne(a, wi, row)
	}
	return a, sum
}

// ridged returns A + Σw·λ·I.
func ridged(a *mat.SymDense, ridge float64) *mat.SymDense {
	m := mat.NewSymDense(a.SymmetricDim(), nil)
	m.CopySym(a)
	for i := range m.SymmetricDim() {
		m.SetSym(i, i, m.At(i, i)+ridge)
	}
	return m
}

// The estimated condition is that in the 1-norm, from below and within a factor 3,
// and mostly itself.
func TestConditionEstimate(t *testing.T) {
	var ratios []float64
	for seed := range uint64(6) {
		r := synthetic(seed, 300, 3, 1, 0.1)
		r.w = make([]float64, 300)
		for i := range r.w {
			r.w[i] = float64(1+i%3) / 2
		}
		m := gaussianMap(t, seed, 3, 30, 0.3+float64(seed)/2)
		a, sum := centredGram(features(t, m, r.x), r.w)
		g := gram(t, m, r, krr.Float64)
		for _, lambda := range []float64{1e-8, 1e-5, 1e-2, 10} {
			model, err := g.Solve(context.Background(), lambda)
			if err != nil {
				t.Fatal(err)
			}
			var inverse mat.Dense // mat.Cond would be an estimate too
			exact := ridged(a, sum*lambda)
			if err := inverse.Inverse(exact); err != nil {
				t.Fatal(err)
			}
			want := mat.Norm(exact, 1) * mat.Norm(&inverse, 1)
			// The inverse of the exact one has a relative error of κ·eps·s.
			slack := 1 + 30*0x1p-52*want
			if got := model.Info().Solved.Condition; got > want*slack*(1+1e-9) || got < want/3 {
				t.Errorf("seed %d, λ=%g: condition %g, exactly %g", seed, lambda, got, want)
			}
			ratios = append(ratios, model.Info().Solved.Condition/want)
		}
	}
	slices.Sort(ratios)
	if ratios[len(ratios)/2] < 0.95 {
		t.Errorf("estimates are %.3g of the exact conditions", ratios)
	}
}

// The fallback by eigenvalues is the Cholesky solution where there is one: same
// coefficients, a root of the inverse, the condition in the 2-norm.
func TestEigenFallback(t *testing.T) {
	r := synthetic(2, 200, 3, 2, 0.1)
	r.w = make([]float64, 200)
	for i := range r.w {
		r.w[i] = float64(1 + i%3)
	}
	m := gaussianMap(t, 1, 3, 16, 1.5)
	g := gram(t, m, r, krr.Float64)
	a, sum := centredGram(features(t, m, r.x), r.w)
	for _, lambda := range []float64{1e-4, 1e-1} {
		model, err := g.Solve(context.Background(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := model.Coefficients()
		coef, root, info, err := krr.SolveEigen(g, lambda)
		if err != nil {
			t.Fatal(err)
		}
		kappa := model.Info().Solved.Condition
		if d := maxDiff(dense(coef), want); d > 16*0x1p-52*kappa*mat.Max(absolute{want}) {
			t.Errorf("λ=%g: coefficients differ by %g", lambda, d)
		}
		s := ridged(a, sum*lambda)
		if want := mat.Cond(s, 2); relative(info.Condition, want) > 1e-9 || info.Solver != "eigen" || info.Jitter != 0 {
			t.Errorf("λ=%g: %+v, condition %g", lambda, info, want)
		}
		var fm, one mat.Dense
		fm.Mul(dense(root), s)
		one.Mul(&fm, dense(root).T())
		for i := range 16 {
			one.Set(i, i, one.At(i, i)-1)
		}
		if d := mat.Max(absolute{&one}); d > 16*0x1p-50*kappa {
			t.Errorf("λ=%g: F·M·Fᵀ is off the identity by %g", lambda, d)
		}
	}
}

// What is added to a diagonal that is not positive definite starts at the rounding
// errors of A, eps·Σw‖z‖², and grows tenfold: for features of any size.
func TestJitter(t *testing.T) {
	if a, b := krr.NextJitter(0, 1e-7), krr.NextJitter(3e5, 1e-7); a != 1e-7 || b != 3e6 {
		t.Errorf("jitters %g, %g", a, b)
	}
	regular := map[string]bool{}
	for _, scale := range []float64{1e-6, 1, 1e6} {
		r := synthetic(2, 6, 3, 1, 0.1)
		r.w = make([]float64, 6)
		for i := range r.w {
			r.w[i] = scale
		}
		m := gaussianMap(t, 1, 3, 40, 1.5)
		var squares float64
		for _, z := range features(t, m, r.x).RawMatrix().Data {
			squares += scale * z * z
		}
		g := gram(t, m, r, krr.Float64)
		for name, solve := range map[string]func() (krr.Solved, error){
			"solve": func() (krr.Solved, error) {
				m, err := g.Solve(context.Background(), 1e-30)
				if err != nil {
					return krr.Solved{}, err
				}
				return m.Info().Solved, nil
			},
			"path": func() (krr.Solved, error) {
				m, err := g.Path(context.Background(), []float64{1e-30, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
				if err != nil {
					return krr.Solved{}, err
				}
				return m[0].Info().Solved, nil
			},
			"analyze": func() (krr.Solved, error) {
				a, err := g.Analyze(context.Background(), []float64{1e-30})
				if err != nil {
					return krr.Solved{}, err
				}
				// With a jitter of the rounding errors the five directions count in full, and the
				// others by their rounding errors over the jitter: far from all 40.
				if a[0].Freedom < 3 || a[0].Freedom > 20 || krr.RSSOf(g, 1e-30)[0][0] > 1e-12*scale {
					t.Errorf("scale %g: %+v", scale, a[0])
				}
				return a[0].Solved, nil
			},
		} {
			s, err := solve()
			if err != nil {
				t.Fatal(name, err)
			}
			if s.Solver == "eigen" {
				continue
			}
			regular[name] = true
			want := 0x1p-52 * squares * math.Pow(10, float64(s.Iterations-1))
			if s.Iterations < 1 || relative(s.Jitter, want) > 1e-9 {
				t.Errorf("scale %g, %s: %+v, want a jitter of %g", scale, name, s, want)
			}
		}
	}
	if !regular["solve"] || !regular["path"] || !regular["analyze"] {
		t.Errorf("no jitter makes the system regular: %v", regular)
	}
}

// A λ below the rounding errors of sums in float32 leaves the grid, whatever chooses among
// the others, and costs no eigenvalues, which take longer than all the rest. Those that
// stay have the errors of float64.
func TestFloat32LeavesOutSmallRidges(t *testing.T) {
	r := synthetic(3, 1500, 2, 1, 0.1)
	m := gaussianMap(t, 1, 2, 200, 3)
	for _, criterion := range []krr.Criterion{krr.CrossValidation, krr.GCV, krr.LeaveOneOut} {
		fit := func(p krr.Precision) *krr.Report {
			_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Criterion: criterion, Precision: p})
			if err != nil {
				t.Fatal(err)
			}
			return report
		}
		want, got := fit(krr.Float64), fit(krr.Float32)
		if len(krr.Unresolved(want)) > 0 || len(want.Path) != len(krr.DefaultLambdas()) {
			t.Errorf("%s in float64: %v is not resolved", criterion, krr.Unresolved(want))
		}
		if len(krr.Unresolved(got)) == 0 || len(got.Path)+len(krr.Unresolved(got)) != len(want.Path) {
			t.Fatalf("%s: λ %v left out, %d compared", criterion, krr.Unresolved(got), len(got.Path))
		}
		for i, p := range got.Path {
			all := want.Path[i+len(krr.Unresolved(got))]
			if p.Lambda != all.Lambda || p.Solved.Solver == "eigen" || p.Solved.Unresolved {
				t.Errorf("%s: %+v", criterion, p)
			}
			// Errors of 2⁻²³·tr A = nλ' in A change the fit as much as a λ' of 2⁻²³ would.
			if tol := 10 * 0x1p-23 / p.Lambda; tol < 0.1 && relative(krr.TotalOf(p), krr.TotalOf(all)) > tol {
				t.Errorf("%s, λ = %g: error %g, in float64 %g", criterion, p.Lambda, krr.TotalOf(p), krr.TotalOf(all))
			}
		}
		if krr.InfoOf(got).Solved.Solver == "eigen" || krr.InfoOf(got).Solved.Iterations > 0 || slices.Contains(krr.Unresolved(got), krr.InfoOf(got).Lambda[0]) {
			t.Errorf("%s: chose %v of those without %v: %v", criterion, krr.InfoOf(got).Lambda, krr.Unresolved(got), krr.InfoOf(got).Solved)
		}
	}
	// A λ that is asked for is solved, with the ridge that float32 resolves.
	model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Lambdas: []float64{1e-12}, Precision: krr.Float32})
	if err != nil {
		t.Fatal(err)
	}
	if s := model.Info().Solved; s.Solver == "eigen" || !s.Unresolved || report.Train.R2[0] < 0.5 {
		t.Errorf("λ = 1e-12: %+v, R² %v", s, report.Train.R2)
	}
}

// Residuals below the rounding errors of sums in float32 do not make an error by generalised
// cross-validation that is far below that of float64, which would choose their λ.
func TestFloat32ResidualsChooseNothing(t *testing.T) {
	for _, c := range []struct {
		n            int
		sigma, noise float64
	}{{40, 1, 0}, {300, 5, 0}, {300, 5, 0.3}, {3000, 1, 0.01}, {40, 50, 0}, {300, 50, 0}, {3000, 500, 0}} {
		r, m := synthetic(4, c.n, 3, 1, c.noise), gaussianMap(t, 1, 3, 128, c.sigma)
		_, want := mustFit(t, m, r, krr.Settings{Criterion: krr.GCV})
		model, got := mustFit(t, m, r, krr.Settings{Criterion: krr.GCV, Precision: krr.Float32})
		errors, least := map[float64]float64{}, math.Inf(1)
		for _, p := range want.Path {
			errors[p.Lambda] = p.Error[0]
		}
		for _, p := range got.Path {
			least = min(least, errors[p.Lambda])
			if p.Error[0] < errors[p.Lambda]/2 {
				t.Errorf("%+v, λ = %g: an error of %g, in float64 %g", c, p.Lambda, p.Error[0], errors[p.Lambda])
			}
		}
		// The next λ, if float32 does not resolve the least error.
		if e := errors[model.Info().Lambda[0]]; e > 3*least {
			t.Errorf("%+v: chose λ = %g, whose error in float64 is %g, not %g", c, model.Info().Lambda[0], e, least)
		}
	}
}

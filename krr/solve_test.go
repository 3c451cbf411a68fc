package krr_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// The normal equations square the condition number, and ours has the estimate
// κ of the system itself, so coefficients may differ from the QR reference by
// about s·eps·κ relative to their size.
func TestSolveAgainstQR(t *testing.T) {
	m := gaussianMap(t, 1, 3, 24, 1.5)
	for _, weighted := range []bool{false, true} {
		for _, n := range []int{1, 10, 300, 1200} {
			r := synthetic(2, n, 3, 2, 0.1)
			if weighted {
				r.w = make([]float64, n)
				for i := range r.w {
					r.w[i] = float64(i%4)*0.5 + 0.25
				}
			}
			z := features(t, m, r.x)
			g := gram(t, m, r, krr.Float64)
			for _, lambda := range []float64{1e-6, 1e-3, 1} {
				model, err := g.Solve(context.Background(), lambda)
				if err != nil {
					t.Fatal(err)
				}
				want, b := reference(z, r.y, r.w, lambda)
				got, c := model.Coefficients()
				size := 1.0
				for _, v := range want.RawMatrix().Data {
					size = max(size, math.Abs(v))
				}
				tol := 24 * 0x1p-52 * model.Info().Solved.Condition * size
				if d := maxDiff(got, want); !(d <= tol) {
					t.Errorf("n=%d λ=%g weighted=%v: coefficients differ by %g > %g", n, lambda, weighted, d, tol)
				}
				for k := range b {
					if math.Abs(b[k]-c[k]) > 24*tol {
						t.Errorf("n=%d λ=%g: intercept %g, want %g", n, lambda, c[k], b[k])
					}
				}
			}
		}
	}
}

func TestFitRegression(t *testing.T) {
	train, test := synthetic(3, 900, 3, 2, 0.1), synthetic(4, 300, 3, 2, 0)
	m := gaussianMap(t, 1, 3, 64, 1.5)
	model, report, err := krr.Fit(context.Background(), m, train, krr.Settings{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if report.Train.Rows != 900 || len(report.Path) != 9 || len(krr.InfoOf(report).Lambda) != 2 {
		t.Errorf("report %+v", report)
	}
	p := dense(test.y)
	p.Zero()
	if err := model.Predict(p, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	var se, var0 float64
	for i := range test.y.Rows {
		for k, v := range test.y.Row(i) {
			se += (p.At(i, k) - v) * (p.At(i, k) - v)
			var0 += (v - 3) * (v - 3)
		}
	}
	if se/var0 > 0.1 {
		t.Errorf("relative squared error %g on a noiseless test", se/var0)
	}
	// A prediction is b + cᵀz with ‖z‖ ≤ √2, summed in an order of the backend's choice:
	// each of two sums of 64 terms is within 64 u √2 ‖c‖ of the true one, u = 2⁻⁵³. The
	// arguments of z, below 32, are sums of 4 terms, each within 4 · 32 u: together two
	// differ by less than 544 u ‖c‖, and by the rounding of the last sum. (TestPredictRow
	// asks for equal bits, of the native backend.)
	coef, _ := model.Coefficients()
	row, tol := make([]float64, 2), 544*0x1p-53*mat.Norm(coef, 2)
	for i := range 5 {
		if err := model.PredictRow(row, test.x.Row(i)); err != nil {
			t.Fatal(err)
		}
		for k := range row {
			if !(math.Abs(row[k]-p.At(i, k)) <= tol+0x1p-52*math.Abs(row[k])) {
				t.Errorf("row %d: PredictRow %v, Predict %v", i, row[k], p.At(i, k))
			}
		}
	}
}

func TestFitClasses(t *testing.T) {
	for _, labels := range [][]string{{"no", "yes"}, {"a", "b", "7", "ü"}} {
		train, test := classes(5, 800, 4, labels...), classes(6, 300, 4, labels...)
		m := gaussianMap(t, 1, 4, 64, 2)
		model, report, err := krr.Fit(context.Background(), m, train, krr.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.Labels(dense(test.x))
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, l := range got {
			if l != labels[test.class[i]] {
				wrong++
			}
		}
		if wrong > 15 { // the clusters overlap in well under 5 % of the rows
			t.Errorf("%d classes: %d of 300 wrong; %+v", len(labels), wrong, report)
		}
	}
}

func TestErrors(t *testing.T) {
	m := gaussianMap(t, 1, 3, 8, 1)
	ctx := context.Background()
	bad := synthetic(1, 50, 3, 1, 0)
	bad.x.Row(41)[1] = math.NaN()
	var re *rff.ValueError
	if _, _, err := krr.Fit(ctx, m, bad, krr.Settings{}); !errors.As(err, &re) || re.Row != 41 || re.Column != "input 2" {
		t.Errorf("NaN: %v", err)
	}
	one := classes(1, 50, 3, "a", "b")
	for i := range one.y.Data {
		one.y.Data[i] = 1
	}
	var ce *rff.DegenerateDataError
	if _, _, err := krr.Fit(ctx, m, one, krr.Settings{}); !errors.As(err, &ce) {
		t.Errorf("one class: %v", err)
	}
	var ee *rff.DegenerateDataError
	if _, _, err := krr.Fit(ctx, m, synthetic(1, 0, 3, 1, 0), krr.Settings{}); !errors.As(err, &ee) {
		t.Errorf("empty: %v", err)
	}
	var se *rff.ParameterError
	if _, _, err := krr.Fit(ctx, m, synthetic(1, 10, 3, 1, 0), krr.Settings{Lambdas: []float64{-1}}); !errors.As(err, &se) {
		t.Errorf("lambda: %v", err)
	}
	var me *rff.ParameterError
	a, b := krr.NewGram(m, 1, krr.GramSettings{}), krr.NewGram(gaussianMap(t, 2, 3, 8, 1), 1, krr.GramSettings{})
	if err := a.Merge(b); !errors.As(err, &me) {
		t.Errorf("merge: %v", err)
	}
}

// A system that is singular to working precision is solved all the same, and
// the model says how.
func TestNearSingularIsReported(t *testing.T) {
	m := gaussianMap(t, 1, 3, 40, 1.5)
	r := synthetic(2, 6, 3, 1, 0.1) // rank 5 after centring
	g := gram(t, m, r, krr.Float64)
	model, err := g.Solve(context.Background(), 1e-30)
	if err != nil {
		t.Fatal(err)
	}
	s := model.Info().Solved
	if s.Iterations == 0 || s.Iterations < 1 || (s.Solver == "cholesky") != (s.Jitter > 0) {
		t.Errorf("not reported: %v", s)
	}
	if ok, err := g.Solve(context.Background(), 1e-3); err != nil || ok.Info().Solved.Iterations > 0 {
		t.Errorf("λ = 1e-3: %v, %v", ok.Info().Solved, err)
	}
	path, err := g.Path(context.Background(), []float64{1e-30, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
	if err != nil {
		t.Fatal(err)
	}
	if path[0].Info().Solved.Iterations == 0 || path[5].Info().Solved.Iterations > 0 {
		t.Errorf("path: %v, %v", path[0].Info().Solved, path[5].Info().Solved)
	}
}

// Removing rows from the sums is not having added them, to rounding.
func TestSubtractIsRemoval(t *testing.T) {
	m := gaussianMap(t, 1, 3, 20, 1.5)
	r := synthetic(2, 700, 3, 2, 0.1)
	all, part := gram(t, m, r, krr.Float64), gram(t, m, subset(r, func(i int) bool { return i%3 == 0 }), krr.Float64)
	rest := gram(t, m, subset(r, func(i int) bool { return i%3 != 0 }), krr.Float64)
	if err := all.Subtract(part); err != nil {
		t.Fatal(err)
	}
	a, err := all.Solve(context.Background(), 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	b, err := rest.Solve(context.Background(), 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := a.Coefficients()
	y, _ := b.Coefficients()
	// The sums agree to n·eps; the coefficients to κ times that.
	if d := maxDiff(x, y); d > 700*0x1p-52*a.Info().Solved.Condition*mat.Max(absolute{y}) || all.Rows() != rest.Rows() {
		t.Errorf("coefficients differ by %g", d)
	}
}

// A model does not change with the λ that it was solved for.
func TestSolveCopiesLambda(t *testing.T) {
	lambda := []float64{1e-3, 1e-1}
	m, err := gram(t, gaussianMap(t, 1, 3, 20, 1.5), synthetic(2, 50, 3, 2, 0.1), krr.Float64).Solve(t.Context(), lambda...)
	if err != nil {
		t.Fatal(err)
	}
	lambda[0] = 7
	if got := m.Info().Lambda; !slices.Equal(got, []float64{1e-3, 1e-1}) {
		t.Errorf("λ is %g", got)
	}
}

// Predictions converge to those of exact kernel ridge at the rate s^-1/2.
func TestConvergesToExactKernelRidge(t *testing.T) {
	const n, lambda, sigma = 150, 1e-2, 2.0
	train, test := synthetic(3, n, 2, 1, 0.1), synthetic(4, 100, 2, 1, 0)
	k := rff.NewGaussian(sigma)
	// Exact ridge with a centred kernel: K_c = HKH, f(x) = ȳ + (k_x − K1/n)ᵀH(K_c + nλI)⁻¹(y−ȳ).
	gram := mat.NewSymDense(n, nil)
	mean := make([]float64, n)
	var all, ybar float64
	for i := range n {
		ybar += train.y.Data[i] / n
		for j := range n {
			v := k.Eval(train.x.Row(i), train.x.Row(j))
			if j <= i {
				gram.SetSym(i, j, v)
			}
			mean[i] += v / n
			all += v / (n * n)
		}
	}
	centred := mat.NewSymDense(n, nil)
	y := mat.NewVecDense(n, nil)
	for i := range n {
		y.SetVec(i, train.y.Data[i]-ybar)
		for j := range i + 1 {
			centred.SetSym(i, j, gram.At(i, j)-mean[i]-mean[j]+all)
		}
		centred.SetSym(i, i, centred.At(i, i)+n*lambda)
	}
	var chol mat.Cholesky
	chol.Factorize(centred)
	var alpha mat.VecDense
	if err := chol.SolveVecTo(&alpha, y); err != nil {
		t.Fatal(err)
	}
	exact := make([]float64, 100)
	for i := range exact {
		var kx [n]float64
		var m float64
		for j := range n {
			kx[j] = k.Eval(test.x.Row(i), train.x.Row(j))
			m += kx[j] / n
		}
		exact[i] = ybar
		for j := range n {
			exact[i] += (kx[j] - m - mean[j] + all) * alpha.AtVec(j)
		}
	}
	rms := func(s int) float64 {
		const maps = 8
		var sum float64
		for seed := range uint64(maps) {
			model, _, err := krr.Fit(context.Background(), gaussianMap(t, seed, 2, s, sigma), train, krr.Settings{Lambdas: []float64{lambda}})
			if err != nil {
				t.Fatal(err)
			}
			var p mat.Dense
			if err := model.Predict(&p, dense(test.x)); err != nil {
				t.Fatal(err)
			}
			for i, want := range exact {
				sum += (p.At(i, 0) - want) * (p.At(i, 0) - want) / (maps * 100)
			}
		}
		return math.Sqrt(sum)
	}
	e1, e2 := rms(128), rms(2048)
	// 16 times the features: a quarter of the error. Eight maps and 100 strongly
	// correlated points leave each rms uncertain by some 20 %.
	if rate := e1 / e2; rate < 2.5 || rate > 6.5 || e2 > 0.05 {
		t.Errorf("error %g at 128 features, %g at 2048: a ratio of %g, want 4", e1, e2, rate)
	}
}

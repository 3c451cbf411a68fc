package krr_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// subset returns the rows for which keep holds.
func subset(r *rows, keep func(i int) bool) *rows {
	var at []int
	for i := range r.x.Rows {
		if keep(i) {
			at = append(at, i)
		}
	}
	s := &rows{x: blas.NewGeneral[float64](len(at), r.x.Cols), y: blas.NewGeneral[float64](len(at), r.y.Cols), batch: r.batch, classes: r.classes}
	for k, i := range at {
		copy(s.x.Row(k), r.x.Row(i))
		copy(s.y.Row(k), r.y.Row(i))
		if r.w != nil {
			s.w = append(s.w, r.w[i])
		}
	}
	return s
}

func relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// Cross-validation from sums is refitting without each fold by QR and predicting it.
func TestCrossValidationAgainstRefits(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		r := synthetic(2, 240, 3, 2, 0.3)
		if weighted {
			r.w = make([]float64, 240)
			for i := range r.w {
				r.w[i] = float64(1+i%3) / 2
			}
		}
		m := gaussianMap(t, 1, 3, 40, 1.5)
		for _, grid := range [][]float64{{1e-5, 1e-2}, {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}} { // Cholesky; band
			_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Seed: 11, Folds: 4, Lambdas: grid})
			if err != nil {
				t.Fatal(err)
			}
			for l, lambda := range grid {
				var want [2]float64
				var sum float64
				for fold := range 4 {
					train := subset(r, func(i int) bool { return r.fold(11, i, 4) != fold })
					test := subset(r, func(i int) bool { return r.fold(11, i, 4) == fold })
					coef, b := reference(features(t, m, train.x), train.y, train.w, lambda)
					var p mat.Dense
					p.Mul(features(t, m, test.x), coef)
					for i := range test.x.Rows {
						w := 1.0
						if test.w != nil {
							w = test.w[i]
						}
						sum += w
						for k := range 2 {
							e := test.y.Row(i)[k] - p.At(i, k) - b[k]
							want[k] += w * e * e
						}
					}
				}
				for k := range 2 {
					// The error is a quadratic form: coefficients off by κ·eps ≤ 1e-9
					// (λ ≥ 1e-6) move it by about that much.
					if d := relative(report.Path[l].Error[k], want[k]/sum); !(d < 1e-8) {
						t.Errorf("weighted=%v λ=%g target %d: %g, refits give %g", weighted, lambda, k, report.Path[l].Error[k], want[k]/sum)
					}
				}
			}
		}
	}
}

// Leave-one-out in closed form is refitting without each row, with nλ kept.
func TestLeaveOneOutAgainstRefits(t *testing.T) {
	r := synthetic(3, 60, 2, 2, 0.3)
	r.w = make([]float64, 60)
	for i := range r.w {
		r.w[i] = float64(1 + i%2)
	}
	m := gaussianMap(t, 1, 2, 20, 1.5)
	g := gram(t, m, r, krr.Float64)
	grid := []float64{1e-4, 1e-1}
	path, err := g.LeaveOneOut(context.Background(), r, grid)
	if err != nil {
		t.Fatal(err)
	}
	for l, lambda := range grid {
		var want [2]float64
		for i := range 60 {
			train := subset(r, func(j int) bool { return j != i })
			coef, b := reference(features(t, m, train.x), train.y, train.w, lambda*90/(90-r.w[i]))
			var p mat.Dense
			p.Mul(features(t, m, r.x.RowRange(i, i+1)), coef)
			for k := range 2 {
				e := r.y.Row(i)[k] - p.At(0, k) - b[k]
				want[k] += r.w[i] * e * e / 90
			}
		}
		for k := range 2 {
			if d := relative(path[l].Error[k], want[k]); !(d < 1e-8) {
				t.Errorf("λ=%g target %d: %g, refits give %g", lambda, k, path[l].Error[k], want[k])
			}
		}
	}
}

// The analysis is compared with dense n×n formulas: the hat matrix, and the
// density of centred targets y ~ N(0, σ²(I + ZZᵀ/nλ)) on the complement of 1.
func TestAnalyzeAgainstDense(t *testing.T) {
	const n = 50
	r := synthetic(4, n, 2, 1, 0.3)
	m := gaussianMap(t, 1, 2, 16, 1.5)
	g := gram(t, m, r, krr.Float64)
	grid := []float64{1e-5, 1e-2, 1}
	all, err := g.Analyze(context.Background(), grid)
	if err != nil {
		t.Fatal(err)
	}
	z := features(t, m, r.x)
	// Q: an orthonormal basis of the complement of 1 (Helmert).
	q := mat.NewDense(n-1, n, nil)
	for i := range n - 1 {
		for j := range i + 1 {
			q.Set(i, j, 1/math.Sqrt(float64((i+1)*(i+2))))
		}
		q.Set(i, i+1, -float64(i+1)/math.Sqrt(float64((i+1)*(i+2))))
	}
	var qz, qy, k mat.Dense
	qz.Mul(q, z)
	qy.Mul(q, dense(r.y))
	k.Mul(&qz, qz.T())
	for l, lambda := range grid {
		a := all[l]
		v := mat.NewSymDense(n-1, nil)
		hat := mat.NewSymDense(n-1, nil)
		for i := range n - 1 {
			for j := range i + 1 {
				v.SetSym(i, j, k.At(i, j)/(n*lambda))
				hat.SetSym(i, j, k.At(i, j))
			}
			v.SetSym(i, i, v.At(i, i)+1)
		}
		var chol mat.Cholesky
		chol.Factorize(v)
		var vy mat.Dense
		if err := chol.SolveTo(&vy, &qy); err != nil {
			t.Fatal(err)
		}
		quad := mat.Dot(qy.ColView(0), vy.ColView(0))
		noise := quad / (n - 1)
		// Residuals are V⁻¹y; degrees of freedom n−1 − tr V⁻¹.
		var inv mat.SymDense
		if err := chol.InverseTo(&inv); err != nil {
			t.Fatal(err)
		}
		freedom := n - 1 - mat.Trace(&inv)
		rss := mat.Dot(vy.ColView(0), vy.ColView(0))
		gcv := rss / n / math.Pow(1-(1+freedom)/n, 2)
		evidence := -0.5 * ((n-1)*(math.Log(2*math.Pi*noise)+1) + chol.LogDet())
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"freedom", a.Freedom, freedom}, {"RSS", krr.RSSOf(g, lambda)[0][0], rss}, {"noise", a.Noise[0], noise},
			{"GCV", a.Error[0], gcv}, {"evidence", a.LogEvidence[0], evidence}} {
			// κ(V) ≤ 2·10⁵ at the smallest λ: 1e-16·2e5·n is 1e-9.
			if d := relative(c.got, c.want); !(d < 1e-8) {
				t.Errorf("λ=%g: %s %g, dense formula %g", lambda, c.name, c.got, c.want)
			}
		}
	}
}

// The variance is σ²(1/n + (z−z̄)ᵀ(A+nλI)⁻¹(z−z̄)), here as the posterior of an
// explicit Gaussian model with a flat prior on the intercept.
func TestVarianceAgainstPosterior(t *testing.T) {
	const n, s = 80, 12
	r := synthetic(5, n, 2, 2, 0.3)
	m := gaussianMap(t, 1, 2, s, 1.5)
	lambda := []float64{1e-3, 1e-1}
	model, err := krr.SolveEach(gram(t, m, r, krr.Float64), context.Background(), lambda, true)
	if err != nil {
		t.Fatal(err)
	}
	test := synthetic(6, 30, 2, 2, 0)
	var got mat.Dense
	if err := model.Variance(&got, dense(test.x)); err != nil {
		t.Fatal(err)
	}
	z, zt := features(t, m, r.x), features(t, m, test.x)
	for k := range lambda {
		precision := mat.NewSymDense(s+1, nil)
		row := make([]float64, s+1)
		row[0] = 1
		for i := range n {
			copy(row[1:], z.RawRowView(i))
			precision.SymRankOne(precision, 1, mat.NewVecDense(s+1, row))
		}
		for j := range s {
			precision.SetSym(j+1, j+1, precision.At(j+1, j+1)+n*lambda[k])
		}
		var chol mat.Cholesky
		chol.Factorize(precision)
		for i := range 30 {
			copy(row[1:], zt.RawRowView(i))
			phi := mat.NewVecDense(s+1, row)
			var x mat.VecDense
			if err := chol.SolveVecTo(&x, phi); err != nil {
				t.Fatal(err)
			}
			want := model.Info().Noise[k] * mat.Dot(phi, &x)
			if d := relative(got.At(i, k), want); !(d < 1e-9) {
				t.Errorf("target %d row %d: variance %g, want %g", k, i, got.At(i, k), want)
			}
		}
	}
}

// Calibrated probabilities sum to 1, agree with the labels' frequencies, and
// beat probabilities that ignore the inputs.
func TestProbabilities(t *testing.T) {
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		train, test := classes(7, 1500, 3, labels...), classes(8, 1500, 3, labels...)
		for _, s := range []krr.Settings{{Probabilities: true}, {Probabilities: true, Lambdas: []float64{1e-3}}, {Probabilities: true, Criterion: krr.GCV}} {
			model, report, err := krr.Fit(context.Background(), gaussianMap(t, 1, 3, 48, 3), train, s)
			if err != nil {
				t.Fatal(err)
			}
			var p mat.Dense
			if err := model.Probabilities(&p, dense(test.x)); err != nil {
				t.Fatal(err)
			}
			k := len(labels)
			predicted, seen := make([]float64, k), make([]float64, k)
			var loss float64
			for i := range 1500 {
				var sum float64
				for j := range k {
					sum += p.At(i, j)
					predicted[j] += p.At(i, j)
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Fatalf("probabilities sum to %g", sum)
				}
				seen[test.class[i]]++
				loss -= math.Log(p.At(i, test.class[i])) / 1500
			}
			for j := range k {
				// The label counts have standard deviation ≤ √(n/4) ≈ 19 on either set.
				if math.Abs(predicted[j]-seen[j]) > 100 {
					t.Errorf("class %d: expected %g rows, seen %g", j, predicted[j], seen[j])
				}
			}
			if loss > 0.5*math.Log(float64(k)) || math.Abs(loss-report.HeldOut.Loss[0]) > 0.1 {
				t.Errorf("%d classes: log loss %g, held out %v", k, loss, report.HeldOut)
			}
		}
	}
}

func TestCriteriaAgree(t *testing.T) {
	r := synthetic(9, 2000, 3, 1, 0.5)
	m := gaussianMap(t, 1, 3, 64, 1.5)
	var mse []string
	var first float64
	for _, c := range []krr.Criterion{krr.CrossValidation, krr.GCV, krr.LeaveOneOut} {
		_, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Criterion: c})
		if err != nil {
			t.Fatal(err)
		}
		got := report.Path[5].Error[0] // λ = 1e-4: far from both ends
		mse = append(mse, fmt.Sprint(got))
		if first == 0 {
			first = got
		}
		// Estimates of one number from 2000 squared errors: relative sd √(2/2000) = 3 %.
		if relative(got, first) > 0.1 {
			t.Errorf("criteria disagree: %v", mse)
		}
	}
}

func TestPathIsSolve(t *testing.T) {
	r := synthetic(10, 300, 3, 2, 0.1)
	g := gram(t, gaussianMap(t, 1, 3, 70, 1.5), r, krr.Float64)
	grid := krr.DefaultLambdas()
	models, err := g.Path(context.Background(), grid)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range grid {
		one, err := g.Solve(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := models[i].Coefficients()
		b, _ := one.Coefficients()
		if d := maxDiff(a, b); d > 70*0x1p-52*one.Info().Solved.Condition*mat.Max(absolute{b}) {
			t.Errorf("λ=%g: path and single solve differ by %g (condition %g)", l, d, one.Info().Solved.Condition)
		}
	}
}

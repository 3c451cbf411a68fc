package krr_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// Conjugate gradients find the Cholesky solution, in either precision, with
// rows in memory or read again for every iteration.
func TestConjugateGradients(t *testing.T) {
	r := synthetic(3, 3000, 4, 2, 0.2)
	r.w = make([]float64, 3000)
	for i := range r.w {
		r.w[i] = float64(1 + i%3)
	}
	test := synthetic(4, 200, 4, 2, 0)
	m := gaussianMap(t, 1, 4, 300, 2)
	for _, lambda := range []float64{1e-6, 1e-3} {
		want, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		var a mat.Dense
		if err := want.Predict(&a, dense(test.x)); err != nil {
			t.Fatal(err)
		}
		for _, s := range []krr.Settings{{}, {Memory: 250000}, {Precision: krr.Float32}} {
			if s.Memory > 0 && lambda < 1e-4 {
				continue // a preconditioner of some 70 rows does not do for 300 features
			}
			s.Lambda, s.Solver, s.Tolerance = lambda, krr.ConjugateGradients, 1e-6
			got, report, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			var b mat.Dense
			if err := got.Predict(&b, dense(test.x)); err != nil {
				t.Fatal(err)
			}
			// A residual of 1e-6 in the norm of the problem; predictions of size 1.
			tol := 1e-4
			if s.Precision == krr.Float32 && lambda < 1e-4 {
				tol = 2e-2 // rounding of features, 6e-8·√n, against λ
			}
			if d := maxDiff(&a, &b); d > tol || report.Solved.Unconverged || report.Solved.Iterations == 0 {
				t.Errorf("λ=%g %+v: predictions differ by %g; %v", lambda, s.Precision, d, report.Solved)
			}
		}
	}
}

func TestConjugateGradientsChooseLambda(t *testing.T) {
	r, test := classes(3, 2000, 3, "a", "b", "c"), classes(4, 500, 3, "a", "b", "c")
	m := gaussianMap(t, 1, 3, 200, 2)
	model, report, err := krr.Fit(context.Background(), m, r, krr.Settings{Solver: krr.ConjugateGradients})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := model.Labels(dense(test.x))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, l := range labels {
		if l != test.classes[test.class[i]] {
			wrong++
		}
	}
	if wrong > 25 || len(report.Path) < 3 {
		t.Errorf("%d of 500 wrong; %+v", wrong, report)
	}
}

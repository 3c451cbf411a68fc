package krr_test

import (
	"context"
	"errors"
	"math"
	"testing"

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
				model, err := g.Solve(lambda)
				if err != nil {
					t.Fatal(err)
				}
				want, b := reference(z, r.y, r.w, lambda)
				got, c := model.Coefficients()
				size := 1.0
				for _, v := range want.RawMatrix().Data {
					size = max(size, math.Abs(v))
				}
				tol := 24 * 0x1p-52 * model.Solved().Condition * size
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
	if report.Rows != 900 || len(report.Path) != 9 || len(report.Lambda) != 2 {
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
	row := make([]float64, 2)
	for i := range 5 {
		if err := model.PredictRow(row, test.x.Row(i)); err != nil {
			t.Fatal(err)
		}
		for k := range row {
			if row[k] != p.At(i, k) {
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
	var re *rff.NotFiniteError
	if _, _, err := krr.Fit(ctx, m, bad, krr.Settings{}); !errors.As(err, &re) || re.Row != 41 || re.Col != 1 {
		t.Errorf("NaN: %v", err)
	}
	one := classes(1, 50, 3, "a", "b")
	for i := range one.y.Data {
		one.y.Data[i] = 1
	}
	var ce *krr.ClassError
	if _, _, err := krr.Fit(ctx, m, one, krr.Settings{}); !errors.As(err, &ce) {
		t.Errorf("one class: %v", err)
	}
	var ee *krr.EmptyError
	if _, _, err := krr.Fit(ctx, m, synthetic(1, 0, 3, 1, 0), krr.Settings{}); !errors.As(err, &ee) {
		t.Errorf("empty: %v", err)
	}
	var se *krr.SettingError
	if _, _, err := krr.Fit(ctx, m, synthetic(1, 10, 3, 1, 0), krr.Settings{Lambda: -1}); !errors.As(err, &se) {
		t.Errorf("lambda: %v", err)
	}
	var me *krr.MismatchError
	a, b := krr.NewGram(m, 1, krr.GramSettings{}), krr.NewGram(gaussianMap(t, 2, 3, 8, 1), 1, krr.GramSettings{})
	if err := a.Merge(b); !errors.As(err, &me) {
		t.Errorf("merge: %v", err)
	}
}

package krr_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/krr"
)

// With fewer rows than features the dual gives the primal's coefficients and
// cross-validation, and says so.
func TestDualIsPrimal(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		r := synthetic(3, 90, 3, 2, 0.1)
		if weighted {
			r.w = make([]float64, 90)
			for i := range r.w {
				r.w[i] = float64(i%3) / 2
			}
		}
		m := gaussianMap(t, 1, 3, 120, 1.5)
		grid := []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
		for _, s := range []krr.Settings{{Lambda: 1e-4}, {Lambdas: grid, PerTarget: true}, {Lambdas: grid[2:5]}} {
			got, report, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			s.Variance = true // which takes the primal
			want, primal, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			if !report.Solved.Dual || primal.Solved.Dual {
				t.Fatalf("solved %+v, %+v", report.Solved, primal.Solved)
			}
			for i := range report.Path {
				for k := range 2 {
					if d := relative(report.Path[i].MSE[k], primal.Path[i].MSE[k]); !(d < 1e-8) {
						t.Errorf("λ=%g: errors %v and %v", report.Path[i].Lambda, report.Path[i].MSE, primal.Path[i].MSE)
					}
				}
			}
			for k := range 2 {
				if report.Lambda[k] != primal.Lambda[k] || relative(report.RMSE[k], primal.RMSE[k]) > 1e-6 {
					t.Errorf("λ %v and %v, rmse %v and %v", report.Lambda, primal.Lambda, report.RMSE, primal.RMSE)
				}
			}
			a, b := got.Coefficients()
			c, d := want.Coefficients()
			tol := 120 * 0x1p-52 * primal.Solved.Condition * mat.Max(absolute{c})
			if e := maxDiff(a, c); e > tol || relative(b[0], d[0]) > 1e-6 {
				t.Errorf("coefficients differ by %g > %g, intercepts %v %v", e, tol, b, d)
			}
		}
	}
}

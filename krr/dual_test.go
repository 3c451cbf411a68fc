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
		for _, s := range []krr.Settings{{Lambdas: []float64{1e-4}}, {Lambdas: grid, PerTarget: true}, {Lambdas: grid[2:5]}} {
			got, report, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			s.Uncertainty = "variance" // which takes the primal
			want, primal, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Fatal(err)
			}
			if !krr.InfoOf(report).Solved.Dual() || krr.InfoOf(primal).Solved.Dual() {
				t.Fatalf("solved %+v, %+v", krr.InfoOf(report).Solved, krr.InfoOf(primal).Solved)
			}
			for i := range report.Path {
				for k := range 2 {
					if d := relative(report.Path[i].Error[k], primal.Path[i].Error[k]); !(d < 1e-8) {
						t.Errorf("λ=%g: errors %v and %v", report.Path[i].Lambda, report.Path[i].Error, primal.Path[i].Error)
					}
				}
			}
			for k := range 2 {
				if krr.InfoOf(report).Lambda[k] != krr.InfoOf(primal).Lambda[k] || relative(report.Train.RMSE[k], primal.Train.RMSE[k]) > 1e-6 {
					t.Errorf("λ %v and %v, rmse %v and %v", krr.InfoOf(report).Lambda, krr.InfoOf(primal).Lambda, report.Train.RMSE, primal.Train.RMSE)
				}
			}
			a, b := got.Coefficients()
			c, d := want.Coefficients()
			tol := 120 * 0x1p-52 * krr.InfoOf(primal).Solved.Condition * mat.Max(absolute{c})
			if e := maxDiff(a, c); e > tol || relative(b[0], d[0]) > 1e-6 {
				t.Errorf("coefficients differ by %g > %g, intercepts %v %v", e, tol, b, d)
			}
		}
	}
}

// In float32 the dual is that of float64 to the rounding of features and their products,
// of 2⁻²³ each and its square root at random: times the condition. Where that would be
// more than the ridge, the products are of float64 and the dual stays definite.
func TestDualFloat32(t *testing.T) {
	r := synthetic(3, 90, 3, 2, 0.1)
	m := gaussianMap(t, 1, 3, 120, 1.5)
	for _, lambda := range []float64{1e-1, 1e-2, 1e-3} {
		exact, of64 := mustFit(t, m, r, krr.Settings{Lambdas: []float64{lambda}})
		got, of32 := mustFit(t, m, r, krr.Settings{Lambdas: []float64{lambda}, Precision: krr.Float32})
		if !krr.InfoOf(of64).Solved.Dual() || !krr.InfoOf(of32).Solved.Dual() {
			t.Fatal("not the dual")
		}
		a, _ := got.Coefficients()
		b, _ := exact.Coefficients()
		if d, tol := maxDiff(a, b), 4*0x1p-23*krr.InfoOf(of64).Solved.Condition*mat.Max(absolute{b}); !(d <= tol) {
			t.Errorf("λ=%g: coefficients differ by %g > %g", lambda, d, tol)
		}
	}
	if _, report := mustFit(t, m, r, krr.Settings{Lambdas: []float64{1e-10}, Precision: krr.Float32}); krr.InfoOf(report).Solved.Jitter != 0 {
		t.Errorf("λ=1e-10: %v", krr.InfoOf(report).Solved)
	}
}

// A fit of fewer rows than features counts on no more memory than one of as many, to a
// tenth.
func TestDualMemory(t *testing.T) {
	const s, d = 4096, 14
	enough := func(rows int64, p krr.Precision, have float64) bool {
		defer krr.SetAvailable(int64(have))()
		return krr.CheckMemory(krr.Sized(d, 1, rows), s, nil, krr.Settings{Lambdas: []float64{1e-3}, Precision: p}) == nil
	}
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		most := 8.0 * s * s
		for !enough(s, p, most) {
			most *= 1.01
		}
		for rows := int64(256); rows < s; rows += 16 {
			if !enough(rows, p, 1.1*most) {
				t.Fatalf("%v: %d rows need more than a tenth above the %.0f MB of %d", p, rows, most/1e6, s)
			}
		}
	}
}

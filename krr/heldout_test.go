package krr_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	coding "github.com/rffgo/rff/internal/classes"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/krr/internal/holdout"
)

// leaveFoldsOut predicts every row by the model of the rows of other folds.
func leaveFoldsOut(t *testing.T, m *rff.Map, r *rows, folds int, seed uint64, lambda float64) *mat.Dense {
	t.Helper()
	n := r.x.Rows
	out := mat.NewDense(n, r.y.Cols, nil)
	for fold := range folds {
		g := krr.NewGram(m, r.y.Cols, krr.GramSettings{})
		for i := range n {
			if r.fold(seed, i, folds) == fold {
				continue
			}
			if err := g.Add(t.Context(), rff.Batch{First: int64(i), X: r.x.RowRange(i, i+1), Y: r.y.RowRange(i, i+1)}); err != nil {
				t.Fatal(err)
			}
		}
		model, err := g.Solve(t.Context(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if r.fold(seed, i, folds) == fold {
				if err := model.PredictRow(out.RawRowView(i), r.x.Row(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return out
}

// The measures of a fit on held-out rows are those of models that were fitted
// without each fold, for the primal and the dual, chosen and given λ.
func TestHeldOut(t *testing.T) {
	const n, d, folds, seed = 260, 3, 4, 7
	for _, features := range []int{32, 400} {
		m := gaussianMap(t, 3, d, features, 1.5)
		for _, s := range []krr.Settings{{Lambdas: []float64{1e-3, 1e-2, 1e-1}}, {Lambdas: []float64{1e-8, 3e-3, 10}}, {Lambdas: []float64{1e-2}}} {
			s.HeldOut, s.Folds, s.Seed = true, folds, seed
			numbers := synthetic(5, n, d, 2, 0.3)
			_, report, err := krr.Fit(t.Context(), m, numbers, s)
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.Index(s.Lambdas, krr.InfoOf(report).Lambda[0]); s.Lambdas != nil && s.Lambdas[0] == 1e-8 && at != 1 {
				t.Errorf("%d features: λ %v is not in the middle of the grid", features, krr.InfoOf(report).Lambda)
			}
			h := report.HeldOut
			if h == nil || h.Rows != n || len(h.RMSE) != 2 {
				t.Fatalf("%d features: %+v", features, h)
			}
			f := leaveFoldsOut(t, m, numbers, folds, seed, krr.InfoOf(report).Lambda[0])
			for k := range 2 {
				var mean, ss, rss, abs float64
				for i := range n {
					mean += numbers.y.Row(i)[k] / n
				}
				for i := range n {
					e := numbers.y.Row(i)[k] - f.At(i, k)
					rss, abs, ss = rss+e*e, abs+math.Abs(e), ss+math.Pow(numbers.y.Row(i)[k]-mean, 2)
				}
				// Coefficients agree to n·eps/λ.
				const tol = n * 0x1p-50 / 1e-3
				if math.Abs(h.RMSE[k]-math.Sqrt(rss/n)) > tol || math.Abs(h.MAE[k]-abs/n) > tol || math.Abs(h.R2[k]-(1-rss/ss)) > tol {
					t.Errorf("%d features, target %d: %+v, want RMSE %v, MAE %v, R² %v", features, k, h, math.Sqrt(rss/n), abs/n, 1-rss/ss)
				}
			}
			for _, labels := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
				c := classes(6, n, d, labels...)
				_, report, err := krr.Fit(t.Context(), m, c, s)
				if err != nil {
					t.Fatal(err)
				}
				f := leaveFoldsOut(t, m, c, folds, seed, krr.InfoOf(report).Lambda[0])
				right := 0.0
				for i := range n {
					best := 0
					for k, v := range f.RawRowView(i) {
						if v > f.At(i, best) {
							best = k
						}
					}
					if len(labels) == 2 {
						best = 0
						if f.At(i, 0) >= 0 {
							best = 1
						}
					}
					if best == c.class[i] {
						right++
					}
				}
				if h := report.HeldOut; h == nil || h.Rows != n || math.Abs(h.Accuracy-right/n) > 1e-12 || h.RMSE != nil {
					t.Errorf("%d features, %d classes: %+v, want accuracy %v", features, len(labels), h, right/n)
				}
			}
		}
	}
}

// Classes of scores with a λ of their own each are measured together.
func TestHeldOutPerTarget(t *testing.T) {
	const n, folds, seed = 400, 4, 24
	differ := false
	for _, features := range []int{24, 600} {
		m, c := gaussianMap(t, 1, 3, features, 1), unbalanced(5, n, "a", "b", "c")
		_, report, err := krr.Fit(t.Context(), m, c, krr.Settings{Lambdas: []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1}, PerTarget: true, HeldOut: true, Folds: folds, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var f [3]*mat.Dense
		for k, l := range krr.InfoOf(report).Lambda {
			f[k] = leaveFoldsOut(t, m, c, folds, seed, l)
		}
		right := 0.0
		for i := range n {
			best := 0
			for k := range f {
				if f[k].At(i, k) > f[best].At(i, best) {
					best = k
				}
			}
			if best == c.class[i] {
				right++
			}
		}
		if h := report.HeldOut; h == nil || h.Rows != n || math.Abs(h.Accuracy-right/n) > 1e-12 {
			t.Errorf("%d features: λ %v, %+v, want accuracy %v", features, krr.InfoOf(report).Lambda, h, right/n)
		}
		differ = differ || slices.Min(krr.InfoOf(report).Lambda) < slices.Max(krr.InfoOf(report).Lambda)
	}
	if !differ {
		t.Error("all targets have the same λ: nothing tells them apart")
	}
}

// Measuring changes no bit of the model where λ is chosen on folds anyway.
func TestHeldOutSameBits(t *testing.T) {
	m := gaussianMap(t, 3, 3, 32, 1.5)
	r := synthetic(5, 700, 3, 1, 0.3)
	var coef [2]*mat.Dense
	var intercept [2][]float64
	for i, held := range []bool{false, true} {
		model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{HeldOut: held})
		if err != nil {
			t.Fatal(err)
		}
		coef[i], intercept[i] = model.Coefficients()
	}
	if !mat.Equal(coef[0], coef[1]) || !slices.Equal(intercept[0], intercept[1]) {
		t.Error("the models differ")
	}
}

// The sample of rows is bounded, and the same however they come.
func TestHeldOutSample(t *testing.T) {
	const n, most = 5000, 300
	x := blas.NewGeneral[float64](n, 1)
	for i := range n {
		x.Row(i)[0] = float64(i)
	}
	var first []float64
	for _, batch := range []int{1, 7, 504, n} {
		sample := holdout.NewSample(2, most, 1, 1)
		for i := 0; i < n; i += batch {
			b := x.RowRange(i, min(i+batch, n))
			sample.Add(rff.Batch{First: int64(i), X: b, Y: b}, nil, func(rff.Batch, int) (int, int64) { return 0, 0 })
		}
		rows := sample.Inputs()
		if len(rows) > most || len(rows) < most/3 {
			t.Fatalf("%d rows are kept, bound %d", len(rows), most)
		}
		if first == nil {
			first = rows
			var mean float64
			for _, v := range rows {
				mean += v / float64(len(rows))
			}
			// A uniform sample of k rows has its mean within 5 n/√(12k) of the middle.
			if math.Abs(mean-n/2) > 5*n/math.Sqrt(12*float64(len(rows))) {
				t.Errorf("mean index %v of %d", mean, n)
			}
		}
		for i, v := range rows {
			if v != first[i] {
				t.Fatalf("batches of %d rows: row %v is sampled in place of %v", batch, v, first[i])
			}
		}
	}
}

// With leave-one-out and no folds the measures are those of every row, predicted from the
// others with the ridge nλ of all rows, whatever the number of classes; rows of no weight
// do not count.
func TestHeldOutOneByOne(t *testing.T) {
	const n, d = 90, 2
	m := gaussianMap(t, 4, d, 24, 1)
	for _, c := range []*rows{synthetic(8, n, d, 2, 0.3), classes(9, n, d, "a", "b"), classes(9, n, d, "a", "b", "c")} {
		for i := range n {
			c.w = append(c.w, float64(i%3))
			if c.classes != nil && i%8 == 1 { // rows of another cluster
				c.class[i] = (c.class[i] + 1) % len(c.classes)
			}
		}
		if c.classes != nil {
			c.y = krr.ClassTargets(c.class, len(c.classes))
		}
		_, report, err := krr.Fit(t.Context(), m, c, krr.Settings{Criterion: krr.LeaveOneOut})
		if err != nil {
			t.Fatal(err)
		}
		targets := c.y.Cols
		var sum, right float64
		abs, rss, mean, ss := make([]float64, targets), make([]float64, targets), make([]float64, targets), make([]float64, targets)
		for i, w := range c.w {
			sum += w
			for k, y := range c.y.Row(i) {
				mean[k] += w * y
			}
		}
		for i, w := range c.w {
			if w == 0 {
				continue
			}
			train := subset(c, func(j int) bool { return j != i })
			coef, b := reference(features(t, m, train.x), train.y, train.w, krr.InfoOf(report).Lambda[0]*sum/(sum-w))
			var p mat.Dense
			p.Mul(features(t, m, c.x.RowRange(i, i+1)), coef)
			scores := p.RawRowView(0)
			for k := range scores {
				scores[k] += b[k]
				e := c.y.Row(i)[k] - scores[k]
				abs[k], rss[k], ss[k] = abs[k]+w*math.Abs(e)/sum, rss[k]+w*e*e/sum, ss[k]+w*math.Pow(c.y.Row(i)[k]-mean[k]/sum, 2)/sum
			}
			if c.classes != nil && coding.Decode(scores) == c.class[i] {
				right += w / sum
			}
		}
		h := report.HeldOut
		if h == nil || h.Rows != n-n/3 {
			t.Fatalf("%+v", h)
		}
		if c.classes != nil {
			if math.Abs(h.Accuracy-right) > 1e-12 || right > 0.99 || len(h.Recall) != len(c.classes) || (h.AUC > 0) != (targets == 1) {
				t.Errorf("%d classes: %+v, refits are right in %v", len(c.classes), h, right)
			}
			continue
		}
		for k := range targets {
			// As in TestLeaveOneOutAgainstRefits; a root doubles nothing.
			if relative(h.RMSE[k], math.Sqrt(rss[k])) > 1e-8 || relative(h.MAE[k], abs[k]) > 1e-8 || math.Abs(h.R2[k]-1+rss[k]/ss[k]) > 1e-8 || relative(hook.Numbers(h)[k].Spread, math.Sqrt(ss[k])) > 1e-8 {
				t.Errorf("target %d: %+v, refits have RMSE %v, MAE %v, R² %v", k, h, math.Sqrt(rss[k]), abs[k], 1-rss[k]/ss[k])
			}
		}
	}
}

// A model keeps what its fit measured, each under its name; of λ whose errors differ by
// rounding alone the largest is chosen.
func TestRecordedMeasures(t *testing.T) {
	m := gaussianMap(t, 3, 2, 32, 1.5)
	model, report, err := krr.Fit(t.Context(), m, synthetic(5, 200, 2, 1, 0.3), krr.Settings{HeldOut: true})
	if err != nil {
		t.Fatal(err)
	}
	h, prov := report.HeldOut, model.Info().Provenance
	for name, want := range map[string]float64{"held-out RMSE": h.RMSE[0], "held-out MAE": h.MAE[0], "held-out R²": h.R2[0]} {
		if got, err := strconv.ParseFloat(prov[name], 64); err != nil || relative(got, want) > 1e-5 {
			t.Errorf("%s is %q, want %v", name, prov[name], want)
		}
	}
	// Errors are var(y)·(1 − O(1/λ)): less for the smaller λ, by 10⁻¹² at most.
	if _, report, err := krr.Fit(t.Context(), m, synthetic(6, 200, 2, 1, 0), krr.Settings{Lambdas: []float64{1e12, 1e15}}); err != nil || krr.InfoOf(report).Lambda[0] != 1e15 || !(krr.TotalOf(report.Path[0]) < krr.TotalOf(report.Path[1])) {
		t.Errorf("λ = %v of %+v, %v", krr.InfoOf(report).Lambda, report.Path, err)
	}
}

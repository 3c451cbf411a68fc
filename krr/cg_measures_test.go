package krr_test

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// withoutFold returns the rows of fold 0 and their scores by QR from the others, with a λ
// per target.
func withoutFold(t *testing.T, z *mat.Dense, r *rows, seed uint64, folds int, lambda []float64) (at []int, scores *mat.Dense) {
	t.Helper()
	in := func(i int) bool { return r.fold(seed, i, folds) != 0 }
	train := subset(r, in)
	var zTrain []float64
	for i := range r.x.Rows {
		if in(i) {
			zTrain = append(zTrain, z.RawRowView(i)...)
		} else {
			at = append(at, i)
		}
	}
	_, s := z.Dims()
	scores = mat.NewDense(len(at), len(lambda), nil)
	for k, l := range lambda {
		coef, b := reference(mat.NewDense(len(zTrain)/s, s, zTrain), train.y, train.w, l)
		for to, i := range at {
			scores.Set(to, k, b[k]+mat.Dot(z.RowView(i), coef.ColView(k)))
		}
	}
	return at, scores
}

// Conjugate gradients choose a λ per target, measure and calibrate on the fold that they
// leave out: here with models by QR.
func TestIterativeMeasures(t *testing.T) {
	const n, folds, seed = 600, 3, 24
	grid := []float64{1e-4, 1e-3, 1e-2, 1e-1}
	m := gaussianMap(t, 1, 3, 24, 1)
	s := krr.Settings{Passes: &krr.Passes{Tolerance: 1e-10}, Folds: folds, Seed: seed, HeldOut: true, PerTarget: true, Lambdas: grid}
	numbers := synthetic(5, n, 3, 2, 0.3)
	for i := range n {
		numbers.y.Row(i)[1] = math.Sin(float64(100 * i)) // noise
	}
	model, report, err := krr.Fit(t.Context(), m, numbers, s)
	if err != nil {
		t.Fatal(err)
	}
	z := features(t, m, numbers.x)
	for k, l := range krr.InfoOf(report).Lambda {
		least, best, abs := math.Inf(1), 0.0, 0.0
		for _, lambda := range grid {
			at, f := withoutFold(t, z, numbers, seed, folds, []float64{lambda, lambda})
			var ss, sum float64
			for to, i := range at {
				e := numbers.y.Row(i)[k] - f.At(to, k)
				ss, sum = ss+e*e/float64(len(at)), sum+math.Abs(e)/float64(len(at))
			}
			if ss < least {
				least, best, abs = ss, lambda, sum
			}
		}
		// The predictions are within 10⁻¹⁰ deviations of the targets.
		if h := report.HeldOut; l != best || math.Abs(h.RMSE[k]-math.Sqrt(least)) > 1e-8 || math.Abs(h.MAE[k]-abs) > 1e-8 || h.Rows < n/4 || h.Rows > n/2 {
			t.Errorf("target %d: λ %v, %+v; want λ %v, RMSE %v, MAE %v", k, l, h, best, math.Sqrt(least), abs)
		}
		coef, _ := reference(z, numbers.y, nil, l)
		got, _ := model.Coefficients()
		for j := range 24 {
			if d := math.Abs(coef.At(j, k) - got.At(j, k)); d > 1e-6 {
				t.Fatalf("target %d: a coefficient differs by %g", k, d)
			}
		}
	}
	if krr.InfoOf(report).Lambda[0] == krr.InfoOf(report).Lambda[1] {
		t.Errorf("both targets have λ %v: nothing tells them apart", krr.InfoOf(report).Lambda)
	}
	for _, labels := range [][]string{{"n", "y"}, {"a", "b", "c"}} {
		for _, lambdas := range [][]float64{grid, {1e-2}} { // chosen, and given
			c := unbalanced(5, n, labels...)
			for i := n / 2; i < n; i++ { // rows that others are copies of, one to three times
				copy(c.x.Row(i), c.x.Row((i-n/2)/2))
			}
			s := s
			s.PerTarget, s.Probabilities, s.Lambdas = false, true, lambdas
			model, report, err := krr.Fit(t.Context(), m, c, s)
			if err != nil {
				t.Fatal(err)
			}
			at, f := withoutFold(t, features(t, m, c.x), c, seed, folds, krr.InfoOf(report).Lambda)
			var class, part []int
			parts := map[[3]float64]int{} // of rows and their copies
			for _, i := range at {
				x := [3]float64(c.x.Row(i))
				if _, known := parts[x]; !known {
					parts[x] = len(parts) % 5
				}
				class, part = append(class, c.class[i]), append(part, parts[x])
			}
			scores := blas.General[float64]{Rows: len(at), Cols: c.y.Cols, Stride: c.y.Cols, Data: slices.Clone(f.RawMatrix().Data)}
			want, h, err := krr.Calibrate(scores, class, part, 5, nil, len(labels))
			if err != nil {
				t.Fatal(err)
			}
			if got := report.HeldOut; got.Rows != int64(len(at)) || got.Accuracy != h.Accuracy || math.Abs(got.Loss[0]-h.Loss[0]) > 1e-6 || (report.Path == nil) != (len(lambdas) == 1) {
				t.Errorf("%v: %+v, want %+v", labels, got, h)
			}
			p, q := make([]float64, len(labels)), make([]float64, len(labels))
			for i := range at {
				model.ProbabilitiesOf(p, scores.Row(i))
				want.ProbabilitiesOf(q, scores.Row(i))
				if math.Abs(p[0]-q[0]) > 1e-5 {
					t.Fatalf("%v: probabilities %v, want %v", labels, p, q)
				}
			}
		}
	}
}

// A rule's solutions by conjugate gradients are those by Cholesky factors, of rows that are
// kept in memory and of rows that every pass reads.
func TestIterativeRule(t *testing.T) {
	t.Parallel()
	m, r := gaussianMap(t, 1, 3, 32, 2), classes(4, 5000, 3, "a", "b", "c")
	for i := 0; i < 5000; i += 5 {
		r.class[i] = (r.class[i] + 1) % 3
	}
	r.y = krr.ClassTargets(r.class, 3)
	s := krr.Settings{Lambdas: []float64{1e-3}, Loss: "hard:4", Probabilities: true}
	want, direct, err := krr.Fit(t.Context(), m, r, s)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := want.Coefficients()
	s.Passes = &krr.Passes{Tolerance: 1e-10}
	for _, tight := range []bool{false, true} {
		if tight { // the least memory that is accepted, of which a quarter at most is for 280 KB of rows
			const unit = 16 << 10
			s.Passes.Memory = unit * int64(sort.Search(1<<30/unit, func(i int) bool {
				one := s
				one.Passes = &krr.Passes{Memory: unit * int64(i+1), Tolerance: 1} // as little work as possible
				_, _, err := krr.Fit(t.Context(), m, r, one)
				return err == nil
			})+1)
		}
		got, report, err := krr.Fit(t.Context(), m, r, s)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := got.Coefficients()
		if d := maxDiff(a, b); d > 1e-6*mat.Max(absolute{a}) || krr.HardOf(report) != krr.HardOf(direct) || krr.HardOf(report) == 0 || report.HeldOut == nil {
			t.Errorf("coefficients differ by %g of %g, %d rows count more, want %d", d, mat.Max(absolute{a}), krr.HardOf(report), krr.HardOf(direct))
		}
	}
}

package krr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// Few λ are solved with the landmarks' kernel as penalty, and with variances by a
// congruence: the same path, λ, measures of held-out rows, fit and predictions.
func TestNystromOfFewLambdas(t *testing.T) {
	const n, d, m = 900, 4, 140
	x, y := waves(n, d, 21)
	fresh, _ := waves(60, d, 22)
	for _, kernel := range []rff.Kernel{rff.NewGaussian(1.5), rff.NewMatern(0.5, 3)} {
		features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: kernel, Dim: d, Features: m, Data: rowsOf(t, x, y), Rand: rand.NewPCG(2, 1)})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []krr.Settings{{Lambdas: []float64{1e-5}}, {Lambdas: []float64{1e-6, 1e-4, 1e-2}, HeldOut: true, PerTarget: true}} {
			few, a, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), s)
			if err != nil {
				t.Fatal(err)
			}
			s.Uncertainty = "variance"
			folded, b, err := krr.Fit(context.Background(), features, rowsOf(t, x, y), s)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(krr.InfoOf(a).Lambda) != fmt.Sprint(krr.InfoOf(b).Lambda) || krr.InfoOf(a).Solved.Iterations != 0 {
				t.Fatalf("%v: λ %v and %v, %v", kernel, krr.InfoOf(a).Lambda, krr.InfoOf(b).Lambda, krr.InfoOf(a).Solved)
			}
			for k := range 2 {
				nearTo(t, "R²", a.Train.R2[k], b.Train.R2[k], 1e-8)
				nearTo(t, "RMSE", a.Train.RMSE[k], b.Train.RMSE[k], 1e-8)
				for i := range a.Path {
					nearTo(t, fmt.Sprintf("error at λ = %g", a.Path[i].Lambda), a.Path[i].Error[k], b.Path[i].Error[k], 1e-7*b.Path[i].Error[k])
				}
				if s.HeldOut {
					nearTo(t, "error of rows left out", a.HeldOut.MAE[k], b.HeldOut.MAE[k], 1e-7)
				}
			}
			var p, q mat.Dense
			if few.Predict(&p, fresh) != nil || folded.Predict(&q, fresh) != nil {
				t.Fatal("no prediction")
			}
			for i := range 60 {
				for k := range 2 {
					nearTo(t, fmt.Sprintf("%v: prediction %d", kernel, i), p.At(i, k), q.At(i, k), 1e-7)
				}
			}
		}
	}
}

// Probabilities come from the folds' coefficients of sections as from those of features.
func TestNystromProbabilitiesOfFewLambdas(t *testing.T) {
	const n, d, m = 800, 3, 50
	x, y := waves(n, d, 23)
	labels := mat.NewDense(n, 1, nil)
	for i := range n {
		labels.Set(i, 0, math.Copysign(1, y.At(i, 0)-30))
	}
	features, err := sampling.Nystrom{}.Sample(context.Background(), rff.Request{Kernel: rff.NewGaussian(1), Dim: d, Features: m, Data: rowsOf(t, x, labels), Rand: rand.NewPCG(2, 1)})
	if err != nil {
		t.Fatal(err)
	}
	labelled := rowsOf(t, x, labels)
	schema := labelled.Schema()
	schema.Target.Classes = []string{"low", "high"}
	if labelled, err = rff.WithSchema(labelled, schema); err != nil {
		t.Fatal(err)
	}
	var all [2]mat.Dense
	for i := range all {
		s := krr.Settings{Lambdas: []float64{1e-5, 1e-3}, Probabilities: true, Uncertainty: uncertainty(i == 1)}
		model, _, err := krr.Fit(context.Background(), features, labelled, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Probabilities(&all[i], x); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		nearTo(t, "probability", all[0].At(i, 1), all[1].At(i, 1), 1e-6)
	}
}

// A row that is a landmark but for the sign of a zero is that landmark: the fit needs the
// kernel matrix alone.
func TestZerosOfLandmarksAreEqual(t *testing.T) {
	x, y := waves(90, 3, 7)
	c := mat.DenseCopyOf(x)
	for i := range 90 {
		if i%2 == 0 {
			x.Set(i, 1, math.Copysign(0, -1))
			c.Set(i, 1, 0)
		}
	}
	m, err := rff.Nystrom(rff.NewGaussian(1), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, report, err := krr.Fit(t.Context(), m, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{1e-3}}); err != nil || !krr.InfoOf(report).Solved.Dual() {
		t.Errorf("%v, %v", report, err)
	}
}

// Few rows without noise are fitted with a λ far below what rounding errors of sums of kernel sections
// would hide, also where variances need sums: predictions and variances are those by singular values
// of the features, whose rounding errors are those of the features and not of their squares.
func TestVarianceOfFewRowsWithoutNoise(t *testing.T) {
	const n, lambda = 49, 1e-11
	x, fresh := mat.NewDense(n, 2, nil), mat.NewDense(200, 2, nil)
	rng := rand.New(rand.NewPCG(3, 1))
	for _, m := range []*mat.Dense{x, fresh} {
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
	}
	y := mat.NewDense(n, 1, nil)
	y.Apply(func(i, _ int, _ float64) float64 { return math.Sin(x.At(i, 0)) + x.At(i, 1)*x.At(i, 1)/4 }, y)
	features, err := rff.Nystrom(rff.NewGaussian(3), x)
	if err != nil {
		t.Fatal(err)
	}
	model, report, err := krr.Fit(t.Context(), features, rowsOf(t, x, y), krr.Settings{Lambdas: []float64{lambda}, Uncertainty: "variance"})
	if err != nil || krr.InfoOf(report).Solved.Jitter > 0 {
		t.Fatalf("%v, %v", err, krr.InfoOf(report).Solved)
	}
	var z, zf, p, v mat.Dense
	if features.Transform(&z, x) != nil || features.Transform(&zf, fresh) != nil || model.Predict(&p, fresh) != nil || model.Variance(&v, fresh) != nil {
		t.Fatal("no prediction")
	}
	for j := range n {
		mean := mat.Sum(z.ColView(j)) / n
		for i := range n {
			z.Set(i, j, z.At(i, j)-mean)
		}
		for i := range 200 {
			zf.Set(i, j, zf.At(i, j)-mean)
		}
	}
	mean := mat.Sum(y) / n
	y.Apply(func(_, _ int, v float64) float64 { return v - mean }, y)
	var svd mat.SVD
	if !svd.Factorize(&z, mat.SVDFull) {
		t.Fatal("no singular values")
	}
	var left, right, uy, turned mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	uy.Mul(left.T(), y)
	turned.Mul(&zf, &right)
	noise := krr.InfoOf(report).Noise[0]
	for i := range 200 {
		f, form := mean, 1./n
		for k, s := range svd.Values(nil) {
			c := s*s + n*lambda
			f += turned.At(i, k) * s / c * uy.At(k, 0)
			form += turned.At(i, k) * turned.At(i, k) / c
		}
		// Rounding errors of n² = 2,401 products of at most 1 are 2,401·2⁻⁵² = 5.3e-13 or less, 1.1e-3 of nλ.
		// So much of a variance may change and, since the ridge of the solution is at most ‖y‖², so much of
		// ‖y‖ times the root of a form in a prediction.
		nearTo(t, "prediction", p.At(i, 0), f, 1.1e-3*math.Sqrt(form)*mat.Norm(y, 2))
		nearTo(t, "variance", v.At(i, 0), noise*form, 1.1e-3*noise*form)
	}
}

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

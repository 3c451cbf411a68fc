package krr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// A Gram with ClipPredictions makes the model of a fit with it: far away from the rows,
// where both reach the range of the targets, and near them, to rounding.
func TestGramClips(t *testing.T) {
	r := synthetic(1, 600, 2, 1, 0.1)
	m, err := rff.New(rff.NewGaussian(1), 2, 32, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	const lambda = 1e-9
	fit, _, err := krr.Fit(t.Context(), m, r, krr.Settings{Lambdas: []float64{lambda}, ClipPredictions: true})
	if err != nil {
		t.Fatal(err)
	}
	halves := []*krr.Gram{krr.NewGram(m, 1, krr.GramSettings{ClipPredictions: true}), krr.NewGram(m, 1, krr.GramSettings{})}
	for b, err := range r.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.X.Rows {
			row := rff.Batch{First: int64(i), X: b.X.RowRange(i, i+1), Y: b.Y.RowRange(i, i+1)}
			if err := halves[i%2].Add(t.Context(), row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := halves[0].Merge(halves[1]); err != nil {
		t.Fatal(err)
	}
	sum, err := halves[0].Solve(t.Context(), lambda)
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := blas.NewGeneral[float64](200, 2), blas.NewGeneral[float64](200, 1), blas.NewGeneral[float64](200, 1)
	random := rand.New(rand.NewPCG(2, 2))
	for i := range x.Data {
		x.Data[i] = 5 * random.NormFloat64()
	}
	if err := krr.PredictBatch(fit, y, x); err != nil {
		t.Fatal(err)
	}
	if err := krr.PredictBatch(sum, z, x); err != nil {
		t.Fatal(err)
	}
	low, high := fit.Info().Schema.Target.Range[0][0], fit.Info().Schema.Target.Range[0][1]
	ends := 0
	for i, v := range y.Data {
		if v == low || v == high {
			ends++
		}
		if math.Abs(v-z.Data[i]) > 1e-6 { // rounding of 600 rows over λ, 1e-16·600/1e-9, but for a small constant
			t.Errorf("row %d: %v of the fit, %v of the sums", i, v, z.Data[i])
		}
	}
	if ends == 0 {
		t.Error("no prediction was confined: the test shows nothing")
	}
}

package krr_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// A fit of rows whose columns are bent is that of the bent rows, and so are its
// predictions, also those of the model read back.
func TestBentColumns(t *testing.T) {
	const d = 3
	train, test := synthetic(1, 300, d, 1, 0.1), synthetic(2, 50, d, 1, 0)
	s := rff.Scaling{Scale: []float64{2, 1, 0.5},
		From: [][]float64{{-1, 1}, nil, {-1, 0, 2}}, To: [][]float64{{-1, 1}, nil, {-0.5, 0, 4}}}
	bent := func(x blas.General[float64]) blas.General[float64] {
		out := blas.NewGeneral[float64](x.Rows, d)
		for i := range x.Rows {
			v, w := x.Row(i), out.Row(i)
			w[0] = min(max(v[0], -1), 1) / 2
			w[1] = v[1]
			switch { // slopes ½ and 2, from (−1, −½) to (2, 4)
			case v[2] < -1:
				w[2] = -1
			case v[2] < 0:
				w[2] = v[2]
			default:
				w[2] = 4 * min(v[2], 2)
			}
		}
		return out
	}
	m := gaussianMap(t, 1, d, 64, 1)
	fit := func(x blas.General[float64], scaling rff.Scaling) *krr.Model {
		model, _, err := krr.Fit(context.Background(), m, &rows{x: x, y: train.y, batch: 100}, krr.Settings{Lambdas: []float64{1e-3}, Scaling: scaling})
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	predict := func(m *krr.Model, x blas.General[float64]) *mat.Dense {
		var p mat.Dense
		if err := m.Predict(&p, dense(x)); err != nil {
			t.Fatal(err)
		}
		return &p
	}
	test.x.Row(0)[0], test.x.Row(1)[2] = math.MaxFloat64, -math.MaxFloat64 // no value is too far for a bent column
	model := fit(train.x, s)
	want := predict(fit(bent(train.x), rff.Scaling{}), bent(test.x))
	// The two scalings round differently, by eps, and a ridge of 10⁻³ amplifies that
	// by at most its inverse.
	if diff := maxDiff(predict(model, test.x), want); !(diff < 1e-12) {
		t.Errorf("predictions differ by %g", diff)
	}
	data, err := model.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back krr.Model
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(predict(&back, test.x), predict(model, test.x)) {
		t.Error("the model read back predicts something else")
	}
}

func TestScalingPoints(t *testing.T) {
	for name, s := range map[string]rff.Scaling{
		"too few columns": {From: [][]float64{{1, 2}}, To: [][]float64{{1, 2}}},
		"no to":           {From: [][]float64{{1, 2}, nil}},
		"not ascending":   {From: [][]float64{{1, 1}, nil}, To: [][]float64{{1, 2}, nil}},
		"not finite":      {From: [][]float64{{1, 2}, nil}, To: [][]float64{{1, math.Inf(1)}, nil}},
		"uneven":          {From: [][]float64{{1, 2}, nil}, To: [][]float64{{1}, nil}},
	} {
		if inside.CheckScaling(s, 2) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

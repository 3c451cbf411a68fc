package fits_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/cmd/rff/fits"
	"github.com/rffgo/rff/krr"
)

// Of y = 2x₁ + x₂ with independent inputs of variance 1 the variance is 5: 4 from one input, 1
// from the other, nothing from the third.
func TestEffects(t *testing.T) {
	const n, d = 2000, 3
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		if i == 0 { // whose prediction is far from the mean
			x.SetRow(i, []float64{3, 0, 0})
		}
		y.Set(i, 0, 2*x.At(i, 0)+x.At(i, 1))
	}
	m, err := rff.New(rff.NewGaussian(4), d, 200, rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	fit := func(y *mat.Dense) *krr.Model {
		data, err := rff.FromMatrix(x, y)
		if err != nil {
			t.Fatal(err)
		}
		model, _, err := krr.Fit(context.Background(), m, data, krr.Settings{Lambdas: []float64{1e-8}})
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	model := fit(y)
	rows := blas.General[float64]{Rows: n, Cols: d, Stride: d, Data: x.RawMatrix().Data}
	effects, err := fits.EffectsOf(model, rows)
	if err != nil || effects.Rows != 1000 || effects.Why != "" {
		t.Fatalf("%+v, %v", effects, err)
	}
	// Squares of normal differences have a standard error of √(2/n), and every row is in two.
	for j, want := range []float64{0.8, 0.2, 0} {
		if math.Abs(effects.Of[j]-want) > 4*2/math.Sqrt(1000)*want+0.001 {
			t.Errorf("input %d has an effect of %g, of %g", j, effects.Of[j], want)
		}
	}
	for why, ask := range map[string]func() (fits.Effects, error){
		"10 rows are too few":  func() (fits.Effects, error) { return fits.EffectsOf(model, rows.RowRange(0, 10)) },
		"the same in all rows": func() (fits.Effects, error) { return fits.EffectsOf(fit(mat.NewDense(n, 1, nil)), rows) },
		"3000 inputs with 2000 features are too many": func() (fits.Effects, error) {
			const wide = 3000
			m, err := rff.New(rff.NewGaussian(4), wide, 2000, rand.NewPCG(3, 4))
			if err != nil {
				t.Fatal(err)
			}
			x, y := mat.NewDense(30, wide, nil), mat.NewDense(30, 1, nil)
			y.Set(0, 0, 1)
			data, err := rff.FromMatrix(x, y)
			if err != nil {
				t.Fatal(err)
			}
			model, _, err := krr.Fit(context.Background(), m, data, krr.Settings{Lambdas: []float64{1}})
			if err != nil {
				t.Fatal(err)
			}
			return fits.EffectsOf(model, blas.General[float64]{Rows: 30, Cols: wide, Stride: wide, Data: x.RawMatrix().Data})
		},
	} {
		if effects, err := ask(); effects.Of != nil || err != nil || !strings.Contains(effects.Why, why) {
			t.Errorf("%s: %+v, %v", why, effects, err)
		}
	}
}

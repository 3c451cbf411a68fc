package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// An input that the map does not resolve is refused by row and column, at fit and at
// predict, as the file has it; the largest that it does resolve is not.
func TestUnresolvedInput(t *testing.T) {
	ctx := context.Background()
	scaling := rff.Scaling{Shift: []float64{1e6, 0, -3}, Scale: []float64{1e3, 1, 0.5}}
	for _, p := range []krr.Precision{krr.Float64, krr.Float32, "int12", "int8"} {
		// All frequencies of column 2 are 2, so that limits are exact: 2π·2⁵² or 2π·2²³.
		w := blas.NewGeneral[float64](32, 3)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range w.Rows {
			w.Row(i)[0], w.Row(i)[1], w.Row(i)[2] = rng.NormFloat64(), 2, rng.NormFloat64()
		}
		weight := make([]float64, 64)
		for i := range weight {
			weight[i] = 1 / math.Sqrt(32)
		}
		m, err := inside.New(&blas.Spec{Dim: 3, W: w, Func: asm.CosSin, Weight: weight}, nil)
		if err != nil {
			t.Fatal(err)
		}
		limit := 2 * math.Pi * 0x1p52 / 2
		if p != krr.Float64 { // integers are rounded from float32
			limit = 2 * math.Pi * 0x1p23 / 2
		}
		s := krr.Settings{Precision: p, Scaling: scaling, Lambdas: []float64{1e-3}}
		fit := func(n int, v float64, s krr.Settings) (*krr.Model, error) {
			r := synthetic(1, n, 3, 1, 0.1)
			for i := range n {
				r.x.Row(i)[0] = 1e6 + 1e3*r.x.Row(i)[0]
			}
			r.x.Row(11)[1] = v
			r.names = []string{"height", "age", "mass"}
			model, _, err := krr.Fit(ctx, m, r, s)
			return model, err
		}
		cg := s
		cg.Passes = new(krr.Passes)
		var model *krr.Model
		for _, n := range []int{20, 300} {
			for _, s := range []krr.Settings{s, cg} {
				if s.Passes != nil && p[0] == 'i' {
					continue // which have no passes
				}
				if model, err = fit(n, 0.999*limit, s); err != nil {
					t.Errorf("%v, %d rows, just inside: %v", p, n, err)
				}
				for _, v := range []float64{1.001 * limit, -1.001 * limit, 1e308} {
					_, err := fit(n, v, s)
					var row *rff.ValueError
					if !errors.As(err, &row) || row.Row != 11 || row.Value != v || !strings.Contains(err.Error(), `row 12, column "age" is `+fmt.Sprintf("%g", v)) {
						t.Errorf("%v, %d rows, %g: %v", p, n, v, err)
					}
				}
			}
		}
		dst, x := []float64{77}, []float64{1e6, -1.001 * limit, 0}
		var row *rff.ValueError
		if err := model.PredictRow(dst, x); !errors.As(err, &row) || row.Row != 0 || row.Value != x[1] || dst[0] != 77 {
			t.Errorf("%v: predicted %v: %v", p, dst, err)
		}
		x[1] = -0.999 * limit
		if err := model.PredictRow(dst, x); err != nil || dst[0]-dst[0] != 0 {
			t.Errorf("%v: predicted %v: %v", p, dst, err)
		}
		// The scaling moves the limits of column 1: what counts is how far it is from 1e6.
		x[1], x[0] = 0, 1e6+1e3*limit/2
		if err := model.PredictRow(dst, x); err != nil {
			t.Errorf("%v: %v", p, err)
		}
		if x[0] = 1e308; !errors.As(model.PredictRow(dst, x), &row) {
			t.Errorf("%v: predicted %v of 1e308", p, dst)
		}
		g := krr.NewGram(m, 1, krr.GramSettings{Precision: p, Scaling: scaling})
		b := rff.Batch{First: 1000, X: blas.NewGeneral[float64](5, 3), Y: blas.NewGeneral[float64](5, 1)}
		b.X.Row(3)[1] = 1e308
		if err := g.Add(ctx, b); !errors.As(err, &row) || row.Row != 1003 || row.Column != "input 2" || g.Rows() != 0 {
			t.Errorf("Gram: %v", err)
		}
		if model, err = fit(300, 0, krr.Settings{Precision: p, Scaling: scaling, Lambdas: []float64{1e-3}, Uncertainty: "variance"}); err != nil {
			t.Fatal(err)
		}
		if err := model.Variance(new(mat.Dense), mat.NewDense(1, 3, x)); !errors.As(err, &row) || row.Column != `column "height"` {
			t.Errorf("Variance: %v", err)
		}
		// Far from 0 and near the shift is near, and the other way round.
		far := krr.NewGram(m, 1, krr.GramSettings{Precision: p, Scaling: rff.Scaling{Shift: []float64{1e20, 0, 0}, Scale: []float64{1e3, 1, 1}}})
		b.X.Row(3)[1] = 0
		if err := far.Add(ctx, b); !errors.As(err, &row) || row.Column != "input 1" {
			t.Errorf("%v: 0 for a shift of 1e20: %v", p, err)
		}
		for i := range 5 {
			b.X.Row(i)[0] = 1e20
		}
		if err := far.Add(ctx, b); err != nil {
			t.Errorf("%v: 1e20 for a shift of 1e20: %v", p, err)
		}
		two := mat.NewDense(2, 3, nil)
		two.Set(1, 1, 1e308)
		var y mat.Dense
		if err := model.Predict(&y, two); !errors.As(err, &row) || row.Row != 1 {
			t.Errorf("Predict: %v", err)
		}
	}
}

// Every kind of map refuses a value of 1e308 and gives finite scores for one that is
// merely far away, a thousand times the others.
func TestUnresolvedByAnyMap(t *testing.T) {
	ctx := context.Background()
	for name, s := range map[string]rff.Sampler{
		"mc": sampling.MonteCarlo{}, "bias": sampling.MonteCarlo{Form: rff.CosBias}, "sorf": sampling.SORF{},
		"fastfood": sampling.Fastfood{}, "compact": sampling.Compact{}, "arccos": sampling.MonteCarlo{},
	} {
		var k rff.Kernel = rff.NewLaplacian(1)
		if name != "mc" && name != "bias" {
			k = rff.NewGaussian(2)
		}
		if name == "arccos" {
			k = rff.NewArcCosine(2)
		}
		m, err := s.Sample(ctx, rff.Request{Kernel: k, Dim: 5, Features: 32, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
			model, _, err := krr.Fit(ctx, m, synthetic(1, 100, 5, 1, 0.1), krr.Settings{Lambdas: []float64{1e-3}, Precision: p})
			if err != nil {
				t.Fatal(name, err)
			}
			dst, x := make([]float64, 1), []float64{0, 0, 1000, 0, 0}
			if err := model.PredictRow(dst, x); err != nil || dst[0]-dst[0] != 0 {
				t.Errorf("%s, %v: %v, %v", name, p, dst, err)
			}
			var row *rff.ValueError
			x[2] = 1e308
			if err := model.PredictRow(dst, x); !errors.As(err, &row) || row.Column != "input 3" {
				t.Errorf("%s, %v: %v, %v", name, p, dst, err)
			}
			// Whatever is let through has a score.
			for e := 3; e < 308; e++ {
				x[2] = math.Pow(10, float64(e))
				if err := model.PredictRow(dst, x); err == nil && dst[0]-dst[0] != 0 {
					t.Errorf("%s, %v: %g has the score %v", name, p, x[2], dst)
				}
			}
		}
	}
}

// In Auto a value that leaves the scaled numbers is named as the file has it.
func TestAutoUnresolved(t *testing.T) {
	r := synthetic(3, 300, 2, 1, 0.1)
	r.x.Row(123)[1] = 1e308
	var row *rff.ValueError
	_, _, err := krr.Auto(context.Background(), r, krr.AutoSettings{})
	if !errors.As(err, &row) || row.Row != 123 || row.Value != 1e308 || row.Column != "input 2" {
		t.Errorf("%v", err)
	}
}

package krr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/krr"
)

// pinball returns the sum of the losses of levels at scores.
func pinball(levels, score []float64, y float64) (sum float64) {
	for k, level := range levels {
		sum += max(level*(y-score[k]), (1-level)*(score[k]-y))
	}
	return sum
}

// Quantiles never cross: predictions are the scores of every level in order, whose loss is
// no larger, of each target of its own; a file keeps them.
func TestQuantilesInOrder(t *testing.T) {
	levels := []float64{0.2, 0.4, 0.5, 0.6, 0.8}
	r := synthetic(4, 60, 2, 2, 2)
	m := gaussianMap(t, 1, 2, 64, 2)
	model, report := mustFit(t, m, r, krr.Settings{Loss: "quantile:0.2,0.4,0.5,0.6,0.8", Lambdas: []float64{1e-6}})
	if got := model.Info().Schema.Target.Quantiles; !slices.Equal(got, levels) || len(krr.InfoOf(report).Lambda) != 10 {
		t.Errorf("quantiles %g, λ %g", got, krr.InfoOf(report).Lambda)
	}
	fresh := synthetic(5, 500, 2, 2, 2)
	var f, raw mat.Dense
	if err := model.Predict(&f, dense(fresh.x)); err != nil {
		t.Fatal(err)
	}
	coef, b := model.Coefficients()
	raw.Mul(features(t, m, fresh.x), coef)
	crossed := 0
	for i := range 500 {
		for k, v := range b {
			raw.Set(i, k, raw.At(i, k)+v)
		}
		for target := range 2 {
			own, score := f.RawRowView(i)[5*target:][:5], raw.RawRowView(i)[5*target:][:5]
			if !slices.IsSorted(score) {
				crossed++
			}
			y := fresh.y.Row(i)[target]
			if before, after := pinball(levels, score, y), pinball(levels, own, y); after > before*(1+1e-12) {
				t.Errorf("row %d: a loss of %g in order, %g as they are", i, after, before)
			}
			slices.Sort(score)
			for k, v := range own {
				if math.Abs(v-score[k]) > 1e-9*max(1, math.Abs(v)) {
					t.Errorf("row %d: %g, want %g", i, own, score)
				}
			}
		}
	}
	if crossed == 0 {
		t.Error("no scores cross: the data are no test")
	}
	data, err := model.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back krr.Model
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !models(t, model, &back) || !slices.Equal(back.Info().Schema.Target.Quantiles, levels) {
		t.Error("another model after loading")
	}
}

// Quantiles of targets in another unit are those times it, with the λ that Fit chooses, and
// shares of the rows that are the levels lie below.
func TestQuantilesUnit(t *testing.T) {
	m := gaussianMap(t, 1, 3, 32, 2)
	fit := func(unit float64) *mat.Dense {
		r := synthetic(4, 400, 3, 1, 0.5)
		for i := range r.y.Data {
			r.y.Data[i] = unit * (r.y.Data[i] + 100)
		}
		model, _ := mustFit(t, m, r, krr.Settings{Loss: "quantile:0.1,0.7"})
		var f mat.Dense
		if err := model.Predict(&f, dense(r.x)); err != nil {
			t.Fatal(err)
		}
		for k, level := range []float64{0.1, 0.7} {
			below := 0.
			for i, y := range r.y.Data {
				if y < f.At(i, k) {
					below += 1. / 400
				}
			}
			// The intercept asks for this but for the rows that are met, at most 33.
			if math.Abs(below-level) > 33./400 {
				t.Errorf("unit %g: %g of the targets are below the quantile of %g", unit, below, level)
			}
		}
		return &f
	}
	want := fit(1)
	for _, unit := range []float64{1e-5, 1e6} {
		got := fit(unit)
		got.Scale(1/unit, got)
		// The tolerance allows differences that change the loss by 10⁻⁶ of it.
		if d := maxDiff(got, want); !(d < 0.05) {
			t.Errorf("unit %g: quantiles differ by %g", unit, d)
		}
	}
}

// oddTargets are rows whose quantiles are hard to fit.
func oddTargets() map[string]*rows {
	far, ties, weighted, same := synthetic(3, 200, 3, 1, 0.1), synthetic(3, 200, 3, 1, 0.1), synthetic(3, 200, 3, 1, 0.1), synthetic(3, 200, 3, 1, 0.1)
	weighted.w = make([]float64, 200)
	for i := range 200 {
		if i%9 == 0 {
			far.y.Data[i] += 1e6
		}
		ties.y.Data[i] = max(0, ties.y.Data[i]-2)
		same.y.Data[i] = 7
		if i%4 > 0 {
			weighted.w[i] = 1
		}
	}
	return map[string]*rows{"far": far, "ties": ties, "zero weights": weighted, "constant": same, "few": synthetic(3, 12, 3, 1, 0.1)}
}

// Outliers of 10⁶ deviations, targets most of which are 0, rows of weight 0, a constant
// target and levels of .001 have finite quantiles.
func TestQuantilesHard(t *testing.T) {
	m := gaussianMap(t, 1, 3, 64, 2)
	for name, r := range oddTargets() {
		for _, s := range []krr.Settings{{Lambdas: []float64{1e-5}}, {HeldOut: true, Lambdas: []float64{1e-5, 1e-3}}, {Lambdas: []float64{1e-3}, Precision: krr.Float32}} {
			s.Loss = "quantile:0.001,0.5,0.999"
			model, _, err := krr.Fit(context.Background(), m, r, s)
			if err != nil {
				t.Errorf("%s, %+v: %v", name, s, err)
				continue
			}
			var f mat.Dense
			if err := model.Predict(&f, dense(r.x)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for i := range f.RawMatrix().Rows {
				row := f.RawRowView(i)
				if !(row[0] <= row[1] && row[1] <= row[2]) || math.IsInf(row[2]-row[0], 0) {
					t.Fatalf("%s, %+v: %g", name, s, row)
				}
				if name == "constant" && (row[0] != 7 || row[2] != 7) {
					t.Errorf("quantiles %g of a constant target of 7", row)
				}
			}
		}
	}
	r := synthetic(1, 50, 3, 1, 0.1)
	r.y.Data[7] = math.NaN()
	var value *rff.ValueError
	if _, _, err := krr.Fit(context.Background(), m, r, krr.Settings{Loss: "quantile:0.5"}); !errors.As(err, &value) || value.Row != 7 {
		t.Errorf("a target of NaN: %v", err)
	}
	for _, text := range []string{"quantile", "quantile:", "quantile:0.5,0.1", "quantile:0.5,0.5", "quantile:1", "quantile:0.1,x"} {
		var p *rff.ParameterError
		if _, _, err := krr.Fit(context.Background(), m, synthetic(1, 50, 3, 1, 0.1), krr.Settings{Loss: text}); !errors.As(err, &p) || p.Name != "loss" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The rows that streams read again, and samples of many rows, have the same quantiles.
func TestQuantilesOfManyRows(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(1, 1))
	r := &rows{x: blas.NewGeneral[float64](n, 2), y: blas.NewGeneral[float64](n, 1), batch: 700}
	for i := range n {
		x := r.x.Row(i)
		x[0], x[1] = rng.Float64(), rng.Float64()
		r.y.Data[i] = x[0] + (0.2+x[1])*rng.NormFloat64()
	}
	m := gaussianMap(t, 1, 2, 16, 1)
	var want *mat.Dense
	for _, memory := range []int64{0, 59 << 20} {
		model, _ := mustFit(t, m, r, krr.Settings{Loss: "quantile:0.05,0.95", Lambdas: []float64{1e-5}, Passes: &krr.Passes{Memory: memory}})
		coef, _ := model.Coefficients()
		if want == nil {
			want = coef
		} else if !mat.Equal(coef, want) {
			t.Error("other bits of rows that are read again")
		}
		var f mat.Dense
		if err := model.Predict(&f, mat.NewDense(2, 2, []float64{0.5, 0.1, 0.5, 0.9})); err != nil {
			t.Fatal(err)
		}
		for i, sd := range []float64{0.3, 1.1} {
			// A quantile of 6,000 rows, of some 20 degrees of freedom, has an error of some 5 % of sd.
			for k, z := range []float64{-1.645, 1.645} {
				if d := f.At(i, k) - 0.5 - z*sd; math.Abs(d) > 0.25*sd {
					t.Errorf("row %d: quantile %d is %g, off by %g", i, k, f.At(i, k), d)
				}
			}
		}
	}
}

// The reader in docs predicts the same quantiles, sorted, of two targets.
func TestQuantilesNumPy(t *testing.T) {
	t.Parallel()
	python := numpy(t)
	model, _ := mustFit(t, gaussianMap(t, 1, 2, 32, 2), synthetic(4, 60, 2, 2, 2), krr.Settings{Loss: "quantile:0.3,0.5,0.6", Lambdas: []float64{1e-6}})
	path := filepath.Join(t.TempDir(), "m")
	if err := model.Save(path); err != nil {
		t.Fatal(err)
	}
	fresh := synthetic(5, 40, 2, 1, 0).x
	var lines []string
	for i := range 40 {
		lines = append(lines, line(fresh.Row(i), 0, 1))
	}
	var f mat.Dense
	if err := model.Predict(&f, dense(fresh)); err != nil {
		t.Fatal(err)
	}
	got := readModel(t, python, path, lines)
	if got[0][1] != "predicted 0.5" || got[0][5] != "predicted 0.6" {
		t.Errorf("header %q", got[0])
	}
	for i := range 40 {
		near(t, fmt.Sprint("row ", i), got[1+i], f.RawRowView(i))
	}
}

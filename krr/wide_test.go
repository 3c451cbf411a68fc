package krr_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/krr"
)

// A fit of rows with many inputs, which makes features before it deals rows to folds, has the
// bits of one that keeps the inputs. One with a checkpoint keeps them.
func TestWideRows(t *testing.T) {
	const n, d, s = 1201, 700, 24
	m := gaussianMap(t, 3, d, s, 20)
	for _, zeros := range []int{0, 1, 40, d} { // one input in so many is not 0; 0: all
		rng := rand.New(rand.NewPCG(4, uint64(zeros)))
		data := synthetic(5, n, d, 2, 0.1)
		for i := range data.x.Data {
			if zeros > 1 && rng.IntN(zeros) > 0 {
				data.x.Data[i] = 0
			}
		}
		for i := range 60 { // more than a Maker keeps
			if zeros == d {
				clear(data.x.Row(i))
			}
		}
		for range n {
			data.w = append(data.w, float64(rng.IntN(3)))
		}
		scaling := rff.Scaling{Shift: make([]float64, d), Scale: make([]float64, d)}
		for j := range d {
			scaling.Scale[j] = 1 + rng.Float64()
			if zeros == 0 {
				scaling.Shift[j] = rng.NormFloat64()
			}
		}
		for _, c := range []krr.Settings{
			{Folds: 3}, {Lambdas: []float64{1e-3}}, {Folds: 3, Precision: krr.Float32, Engine: rff.Engine{Backend: "native", Workers: 2}}, {Folds: 3, Precision: "int12"},
		} {
			if zeros == 1 || c.Precision == "int12" {
				data := *data
				data.w = nil
				sameFits(t, fmt.Sprint(zeros, c), m, &data, c)
				continue
			}
			c.Scaling = scaling
			sameFits(t, fmt.Sprint(zeros, c.Precision, c.Lambdas), m, data, c)
		}
	}
}

// Hard rows are added to the sums of wide rows a second time. A fit with a checkpoint adds all
// rows again, to the same coefficients up to rounding.
func TestWideHardRows(t *testing.T) {
	const d = 700
	m, data := gaussianMap(t, 3, d, 24, 20), classes(7, 610, d, "a", "b", "c")
	var coef [2]*mat.Dense
	for i, path := range []string{"", filepath.Join(t.TempDir(), "checkpoint")} {
		model, _, err := krr.Fit(context.Background(), m, data, krr.Settings{Loss: "hard:3", Lambdas: []float64{1e-3}, Checkpoint: krr.Checkpoint{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		coef[i], _ = model.Coefficients()
	}
	if d := maxDiff(coef[0], coef[1]); d > 1e-9*mat.Max(absolute{coef[0]}) {
		t.Error("coefficients differ by", d)
	}
}

// sameFits compares the models with and without a checkpoint.
func sameFits(t *testing.T, name string, m *rff.Map, data rff.Source, c krr.Settings) {
	if c.Engine.Backend == "" {
		c.Engine.Backend = "native" // whose bits are defined
	}
	t.Helper()
	var texts [2]bytes.Buffer
	for i := range texts {
		if i == 1 {
			c.Checkpoint.Path = filepath.Join(t.TempDir(), "checkpoint")
		}
		model, _, err := krr.Fit(context.Background(), m, data, c)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := model.WriteTo(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error(name, ": another model")
	}
}

package krr_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/require"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// long is a source of many rows made on the way, one of which is bad.
type long struct{ rows, bad int64 }

func (long) Schema() rff.Schema { return numbers(1, 1) }

// numbers is the schema of so many columns without names.
func numbers(in, targets int) rff.Schema {
	return rff.Schema{Inputs: make([]rff.Column, in), Target: rff.Target{Columns: targets}}
}

func (l long) Batches(context.Context) iter.Seq2[rff.Batch, error] {
	return func(yield func(rff.Batch, error) bool) {
		const n = 5000
		x, y := blas.NewGeneral[float64](n, 1), blas.NewGeneral[float64](n, 1)
		for first := int64(0); first < l.rows; first += n {
			for i := range n {
				x.Data[i] = float64(i%17) - 8
				y.Data[i] = math.Abs(x.Data[i])
			}
			if i := l.bad - first; i >= 0 && i < n {
				x.Data[i] = math.NaN()
			}
			if !yield(rff.Batch{First: first, X: x, Y: y}, nil) {
				return
			}
		}
	}
}

func TestNaNInRowOneMillion(t *testing.T) {
	_, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 1, 4, 1), long{1_100_000, 999_999}, krr.Settings{Lambdas: []float64{1e-3}})
	var bad *rff.ValueError
	if !errors.As(err, &bad) || bad.Row != 999_999 || bad.Column != "input 1" {
		t.Errorf("%v", err)
	}
}

func TestEdges(t *testing.T) {
	ctx := context.Background()
	m := gaussianMap(t, 1, 2, 16, 1)
	fit := func(r *rows) (*krr.Model, error) {
		model, _, err := krr.Fit(ctx, m, r, krr.Settings{Lambdas: []float64{1e-3}})
		return model, err
	}
	predict := func(model *krr.Model, r *rows) *mat.Dense {
		var p mat.Dense
		if err := model.Predict(&p, dense(r.x)); err != nil {
			t.Fatal(err)
		}
		return &p
	}
	one := synthetic(1, 1, 2, 1, 0)
	model, err := fit(one)
	if err != nil || predict(model, one).At(0, 0) != one.y.Data[0] {
		t.Errorf("one row: %v", err)
	}
	constant := synthetic(1, 100, 2, 1, 0)
	for i := range constant.y.Data {
		constant.y.Data[i] = 7
		constant.x.Row(i)[0] = 3
	}
	model, err = fit(constant)
	if err != nil {
		t.Fatal(err)
	}
	// Centred targets are zero to rounding of sums of 100 sevens.
	if p := predict(model, constant).At(5, 0); math.Abs(p-7) > 1e-12 {
		t.Errorf("constant target and column: %g", p)
	}
	_, report, err := krr.Fit(ctx, m, constant, krr.Settings{})
	if err != nil || krr.InfoOf(report).Lambda[0] != 1e-1 {
		t.Errorf("all λ tie, so the largest: %v, %v", krr.InfoOf(report).Lambda, err)
	}
	zero := synthetic(1, 50, 2, 1, 0)
	zero.w = make([]float64, 50)
	var empty *rff.DegenerateDataError
	if _, err := fit(zero); !errors.As(err, &empty) {
		t.Errorf("all weights zero: %v", err)
	}
	zero.w[7] = -1
	var row *rff.ValueError
	if _, err := fit(zero); !errors.As(err, &row) || row.Row != 7 || row.Column != "weight" {
		t.Errorf("negative weight: %v", err)
	}
	zero.w = nil
	zero.y.Data[30] = math.Inf(1)
	if _, err := fit(zero); !errors.As(err, &row) || row.Row != 30 || row.Column != "target 1" {
		t.Errorf("infinite target: %v", err)
	}
	var mismatch *rff.ParameterError
	if _, err := fit(synthetic(1, 50, 3, 1, 0)); !errors.As(err, &mismatch) {
		t.Errorf("wrong number of inputs: %v", err)
	}
	var shape *rff.ShapeError
	if err := model.PredictRow(make([]float64, 1), make([]float64, 3)); !errors.As(err, &shape) {
		t.Errorf("row of 3: %v", err)
	}
	var finite *rff.ValueError
	if err := model.PredictRow(make([]float64, 1), []float64{1, math.NaN()}); !errors.As(err, &finite) {
		t.Errorf("NaN: %v", err)
	}
	var setting *rff.ParameterError
	for _, s := range []krr.Settings{{Folds: 1}, {Lambdas: []float64{0}}, {Lambdas: []float64{math.NaN()}},
		{Probabilities: true}, {Passes: &krr.Passes{}, Uncertainty: "variance"}, {Criterion: "aic"}, {Uncertainty: "interval"}, {Uncertainty: "intervals:"}, {Uncertainty: "variance:a"}, {Precision: "float16"}} {
		if _, _, err := krr.Fit(ctx, m, synthetic(1, 50, 2, 1, 0), s); !errors.As(err, &setting) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	unknown := krr.Settings{Precision: "float16"}
	_, _, err = krr.Auto(ctx, synthetic(1, 50, 2, 1, 0), krr.AutoSettings{Fit: unknown})
	for _, err := range []error{err, krr.CheckMemory(krr.Sized(2, 1, 50), 64, nil, unknown)} {
		if !errors.As(err, &setting) || !slices.Equal(setting.Known, []string{"f64", "float64", "f32", "float32", "int12", "int8"}) {
			t.Errorf("an unknown precision: %v", err)
		}
	}
}

// One row is predicted without allocating on the native backend, by many
// goroutines at once.
func TestPredictRow(t *testing.T) {
	for _, p := range []krr.Precision{krr.Float64, krr.Float32} {
		model, r := fitted(t, p)
		model, err := model.On(rff.Engine{Backend: "native", Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, 2)
		if n := testing.AllocsPerRun(100, func() {
			if err := model.PredictRow(dst, r.x.Row(0)); err != nil {
				t.Fatal(err)
			}
		}); n > 0 && !require.Race {
			t.Errorf("%v: %g allocations per row", p, n)
		}
		var want mat.Dense
		if err := model.Predict(&want, dense(r.x)); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				dst := make([]float64, 2)
				for i := g; i < r.x.Rows; i += 4 {
					if err := model.PredictRow(dst, r.x.Row(i)); err != nil || dst[0] != want.At(i, 0) || dst[1] != want.At(i, 1) {
						t.Errorf("row %d: %v, want %v (%v)", i, dst, want.RawRowView(i), err)
						return
					}
				}
			}()
		}
		wg.Wait()
	}
}

// Two writers on one file: one of them wins whole.
func TestTwoWriters(t *testing.T) {
	a, _ := fitted(t, krr.Float64)
	b, _ := fitted(t, krr.Float64, "n", "y")
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 10 {
				if err := []*krr.Model{a, b}[i%2].Save(path); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if _, err := krr.Load(path); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left %v", files)
	}
}

// What is saved with probabilities and variance comes back; without them it is smaller.
func TestSaveEverything(t *testing.T) {
	r := classes(1, 400, 3, "a", "b", "c")
	model, _, err := krr.Fit(context.Background(), gaussianMap(t, 1, 3, 32, 2), r, krr.Settings{Probabilities: true, Uncertainty: "variance"})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := model.MarshalBinary()
	var back krr.Model
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(*krr.Model, *mat.Dense) error{
		"probabilities": func(m *krr.Model, d *mat.Dense) error { return m.Probabilities(d, dense(r.x)) },
		"variance":      func(m *krr.Model, d *mat.Dense) error { return m.Variance(d, dense(r.x)) },
	} {
		var x, y mat.Dense
		if err := f(model, &x); err != nil {
			t.Fatal(err)
		}
		if err := f(&back, &y); err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(&x, &y) || mat.Min(&x) < 0 {
			t.Errorf("%s differ after loading, or are negative", name)
		}
	}
	plain := *r
	lean, _, err := krr.Fit(t.Context(), model.Map(), &plain, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	less, _ := lean.MarshalBinary()
	if len(less) > len(data)-8*32*32 {
		t.Errorf("%d bytes without variance, %d with", len(less), len(data))
	}
	var setting *rff.ParameterError
	if err := lean.Variance(new(mat.Dense), dense(r.x)); !errors.As(err, &setting) {
		t.Error(err)
	}
}

// An engine that is not there is a parameter that cannot be used, whatever asks for it.
func TestUnknownEngines(t *testing.T) {
	m, r := gaussianMap(t, 1, 2, 8, 1), synthetic(1, 20, 2, 1, .1)
	model, _, err := krr.Fit(t.Context(), m, r, krr.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]rff.Engine{"workers": {Workers: -1}, "backend": {Backend: "nativ"}} {
		_, onMap := m.On(e)
		_, onModel := model.On(e)
		_, _, fit := krr.Fit(t.Context(), m, r, krr.Settings{Engine: e})
		_, _, auto := krr.Auto(t.Context(), r, krr.AutoSettings{Budget: -1, Fit: krr.Settings{Engine: e}})
		_, sample := sampling.ORF{}.Sample(t.Context(), rff.Request{Kernel: m.Kernel(), Dim: 2, Features: 8, Rand: rand.NewPCG(1, 2), Engine: e})
		for by, err := range map[string]error{"Map.On": onMap, "Model.On": onModel, "Fit": fit, "Auto": auto, "Sample": sample} {
			var wrong *rff.ParameterError
			if !errors.As(err, &wrong) || wrong.Name != name {
				t.Errorf("%s, %s: %v", by, name, err)
			}
		}
	}
}

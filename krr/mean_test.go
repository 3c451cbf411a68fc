package krr_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/inside/hook"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// several returns models of the same rows, whose features, scalings and precisions differ, with
// weights. The last one is of that precision.
func several(t *testing.T, data rff.Source, last krr.Precision) ([]*krr.Model, []float64) {
	t.Helper()
	in, _ := data.Schema().Dims()
	var all []*krr.Model
	for _, c := range []struct {
		by     rff.Sampler
		kernel rff.Kernel
		s      krr.Settings
	}{
		{sampling.MonteCarlo{}, rff.NewGaussian(1.5), krr.Settings{}},
		{sampling.Nystrom{}, rff.NewLaplacian(3), krr.Settings{Scaling: rff.Scaling{Shift: []float64{1, 0, -1}, Scale: []float64{1, 2, 0.5},
			From: [][]float64{{-1, 1}, nil, nil}, To: [][]float64{{-1, 2}, nil, nil}}}},
		{sampling.SORF{}, rff.NewMatern(1.5, 2), krr.Settings{Precision: last}},
	} {
		m, err := c.by.Sample(t.Context(), rff.Request{Kernel: c.kernel, Dim: in, Features: 24, Data: data, Rand: rand.NewPCG(1, 2), Engine: native()})
		if err != nil {
			t.Fatal(err)
		}
		c.s.Lambdas, c.s.Provenance, c.s.Engine = []float64{1e-4}, goldenProvenance(), native()
		model, _, err := krr.Fit(t.Context(), m, data, c.s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, model)
	}
	return all, []float64{0.5, 0.3, 0.2}
}

// The scores of a mean are the weighted sum of those of its models, for many rows and for one. Its
// file brings it back to the bit, for the reader in NumPy as well.
func TestMeanOfModels(t *testing.T) {
	f := func(x []float64) float64 { return math.Sin(x[0]) + math.Abs(x[1]) - x[2] }
	models, weight := several(t, planted(1, 200, 3, 0.1, f), krr.Float32)
	mean := krr.MeanOf(models, weight)
	x := dense(planted(2, 30, 3, 0, f).x)
	var got, one mat.Dense
	if err := mean.Predict(&got, x); err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(30, 1, nil)
	for i, m := range models {
		one.Reset()
		if err := m.Predict(&one, x); err != nil {
			t.Fatal(err)
		}
		one.Scale(weight[i], &one)
		want.Add(want, &one)
	}
	for i := range 30 {
		// The third model is in float32, whose 24 coefficients have rounding errors of 2⁻²⁴.
		if e := math.Abs(got.At(i, 0) - want.At(i, 0)); e > 24*24*0x1p-24 {
			t.Errorf("row %d: %v is %g off", i, got.At(i, 0), e)
		}
		var y [1]float64
		if err := mean.PredictRow(y[:], x.RawRowView(i)); err != nil || y[0] != got.At(i, 0) {
			t.Errorf("row %d alone: %v, %v; %v", i, y, got.At(i, 0), err)
		}
	}
	if n := testing.AllocsPerRun(10, func() { mean.PredictRow(make([]float64, 1), x.RawRowView(0)) }); n > 1 {
		t.Errorf("a row takes %v allocations", n)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := mean.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := krr.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if back, err = back.On(native()); err != nil {
		t.Fatal(err)
	}
	var again mat.Dense
	if err := back.Predict(&again, x); err != nil || !mat.Equal(&again, &got) {
		t.Errorf("after saving: %v", err)
	}
	var a, b bytes.Buffer
	mean.WriteTo(&a)
	if back.WriteTo(&b); !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the file of the file differs")
	}
	var lines []string
	for i := range 30 {
		lines = append(lines, line(x.RawRowView(i), 0, 1, 2))
	}
	for i, r := range readModel(t, numpy(t), path, lines)[1:] {
		if v, err := strconv.ParseFloat(r[0], 64); err != nil || math.Abs(v-got.At(i, 0)) > 24*24*0x1p-24 {
			t.Errorf("row %d: NumPy has %v for %v", i, r, got.At(i, 0))
		}
	}
}

// The files of means are the same everywhere, with trees and without. Other readers of such files are
// tested with them; `go test ./krr -run MeanFile -update` writes them.
func TestMeanFile(t *testing.T) {
	data := planted(1, 200, 3, 0.1, func(x []float64) float64 { return math.Sin(x[0]) + math.Abs(x[1]) - x[2] })
	models, weight := several(t, data, krr.Float64)
	grown, _, err := krr.Fit(t.Context(), boosted(t, data, 3, 20, false), data, krr.Settings{Lambdas: []float64{1e-4}, Scaling: rff.Scaling{Scale: []float64{2, 1, 0.5}},
		Provenance: goldenProvenance(), Engine: native()})
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for path, file := range map[string]*krr.Model{"testdata/trees.rff": krr.MeanOf([]*krr.Model{models[0], grown}, []float64{0.4, 0.6}), "testdata/mean.rff": krr.MeanOf(models, weight)} {
		have, err := file.MarshalBinary()
		if err == nil && flag.Lookup("update").Value.String() == "true" {
			err = os.WriteFile(path, have, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		is, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(have, is) {
			t.Errorf("%s has other bits: %v", path, err)
		}
		if path == "testdata/mean.rff" {
			want = is
		}
	}
	const edge = `"beside.1.coefficients":{"dtype":"F64","shape":[24,`
	bad := bytes.Replace(want, []byte(edge+"1]"), []byte(edge+"2]"), 1)
	if _, err := krr.ReadModel(bytes.NewReader(krr.Seal(bad))); err == nil || bytes.Equal(bad, want) {
		t.Errorf("a file with another coefficient is read: %v", err)
	}
}

// A mean keeps the rules for cells, and a file of more models than a mean has is refused.
func TestMeanWithRules(t *testing.T) {
	data := planted(1, 200, 3, 0.1, func(x []float64) float64 { return math.Sin(x[0]) })
	schema := data.Schema()
	schema.Missing, schema.Inputs = rff.MissingDrop, []rff.Column{{Name: "a"}, {Name: "hour", Time: &rff.Time{Clock: true}}, {Name: "c"}}
	source, err := rff.WithSchema(data, schema)
	if err != nil {
		t.Fatal(err)
	}
	models, weight := several(t, source, krr.Float64)
	read := func(m *krr.Model) (*krr.Model, error) {
		var file bytes.Buffer
		if _, err := m.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		return krr.ReadModel(&file)
	}
	back, err := read(krr.MeanOf(models, weight))
	if err != nil {
		t.Fatal(err)
	}
	if s := back.Info().Schema; s.Missing != rff.MissingDrop || len(s.Inputs) != 3 || s.Inputs[1].Time == nil {
		t.Errorf("the schema is %+v", s)
	}
	for range 16 {
		models, weight = append(models, models[0]), append(weight, 0)
	}
	if _, err := read(krr.MeanOf(models, weight)); err == nil {
		t.Error("a file of 19 models is read")
	}
}

// A row that the map of one of the models does not resolve is refused.
func TestMeanRefusesRows(t *testing.T) {
	f := func(x []float64) float64 { return x[0] }
	models, weight := several(t, planted(1, 200, 3, 0.1, f), krr.Float32)
	models[0], models[2] = models[2], models[0] // float32 comes first, and then last
	far := mat.NewDense(1, 3, []float64{0, 1e12, 0})
	for range 2 {
		if err := krr.MeanOf(models, weight).Predict(&mat.Dense{}, far); err == nil {
			t.Error("a mean predicts a row that float32 does not resolve")
		}
		models[0], models[2] = models[2], models[0]
	}
}

// kinked has a wave and kinks along one input, so that smooth kernels and such of the ℓ₁ distance
// are wrong in different places.
func kinked(x []float64) float64 {
	return math.Sin(3*x[0]+x[1]) + 2*math.Abs(x[2]) + math.Abs(x[3]-0.5)
}

// Auto ends in a mean of fits of different kinds where that is better than the best of them, and
// the model says so. Its held-out error is nearer to that of new rows than zero and twice that.
func TestAutoMean(t *testing.T) {
	t.Parallel()
	train, test := planted(1, 400, 4, 0.2, kinked), planted(2, 2000, 4, 0, kinked)
	set := krr.AutoSettings{Budget: 310 * time.Millisecond, Steps: anyNumber, Fit: krr.Settings{HeldOut: true, Engine: native()}}
	m, r := auto(t, train, set)
	var mean hook.Step
	for _, s := range krr.StepsOf(r) {
		if s.Name == "mean" {
			mean = s
		}
	}
	if !mean.Kept || !strings.Contains(m.Info().Provenance["mean"], "; ") {
		t.Fatalf("the step is %+v of %+v", mean, krr.StepsOf(r))
	}
	one := set
	one.Fit.Uncertainty = "variance" // of one model
	alone, _ := auto(t, train, one)
	if alone.Info().Provenance["mean"] != "" {
		t.Error("a mean of several has variances")
	}
	for name, change := range map[string]func(s *krr.Settings){
		"a loss": func(s *krr.Settings) { s.Loss = "huber:1" }, "one λ": func(s *krr.Settings) { s.Lambdas = []float64{1e-4} },
		"a λ per target": func(s *krr.Settings) { s.PerTarget = true },
	} {
		other := set
		change(&other.Fit)
		if m, _ := auto(t, train, other); m.Info().Provenance["mean"] != "" {
			t.Errorf("%s is asked for, and the model is a mean: %s", name, m.Info().Provenance["mean"])
		}
	}
	scores := func(m *krr.Model) (p []float64) {
		var out mat.Dense
		if err := m.Predict(&out, dense(test.x)); err != nil {
			t.Fatal(err)
		}
		return out.RawMatrix().Data
	}
	// A mean is for the model that the search would end at without it, its first, which it has to improve on. That
	// has its weight in its coefficients and not its own intercept: a line through the targets, which only helps it,
	// brings both back.
	c := stat.Correlation(scores(krr.PartsOf(m)[0]), test.y.Data, nil)
	if all, first, own := relativeRMSE(t, m, test), math.Sqrt(1-c*c), relativeRMSE(t, alone, test); !(all < first && all < own) {
		t.Errorf("the error is %v, that of its first model alone %v, and without a mean %v", all, first, own)
	}
	if h := r.HeldOut; h == nil || len(h.RMSE) != 1 || h.Rows != int64(mean.HeldOut) {
		t.Errorf("measured as %+v", h)
	}
	if r.Train.RMSE != nil {
		t.Error("the error on training rows is that of a part")
	}
	set.Fit.Engine.Workers = 1
	other, _ := auto(t, train, set)
	x := dense(test.x)
	var a, b mat.Dense
	if err := m.Predict(&a, x); err != nil {
		t.Fatal(err)
	}
	if err := other.Predict(&b, x); err != nil || !mat.Equal(&a, &b) {
		t.Errorf("one worker predicts otherwise: %v", err)
	}
}

// What is left of a budget goes into further trainings of the features, and the model is the mean of
// all. It says so, and has the same bits with one worker.
func TestAutoTrainings(t *testing.T) {
	t.Parallel()
	waves := func(x []float64) (y float64) {
		for _, v := range x {
			y += math.Sin(2 * v) // no metric suits a sum over inputs, and trained frequencies do
		}
		return y
	}
	train, test := planted(1, 500, 5, 0.1, waves), planted(2, 500, 5, 0, waves)
	set := krr.AutoSettings{Budget: 500 * time.Millisecond, Steps: anyNumber, Kernels: []rff.Stationary{rff.NewGaussian()}, Fit: krr.Settings{Engine: native()}}
	m, r := auto(t, train, set)
	var last hook.Step
	for _, s := range krr.StepsOf(r) {
		if s.Name == "trainings" {
			last = s
		}
	}
	text := m.Info().Provenance["mean"]
	if !last.Kept || last.Candidates < 2 || !strings.Contains(text, "; ") {
		t.Fatalf("%q, the step is %+v", text, last)
	}
	if parts := krr.PartsOf(m); len(parts) <= last.Candidates || len(parts) > 8 || !strings.Contains(text, fmt.Sprintf("; %d times 0.", last.Candidates)) {
		t.Errorf("%d models, %q, the step is %+v", len(parts), text, last)
	}
	x := dense(test.x)
	var a, b mat.Dense
	if err := m.Predict(&a, x); err != nil {
		t.Fatal(err)
	}
	set.Fit.Engine.Workers = 1
	other, _ := auto(t, train, set)
	if err := other.Predict(&b, x); err != nil || !mat.Equal(&a, &b) {
		t.Errorf("one worker predicts otherwise: %v", err)
	}
}

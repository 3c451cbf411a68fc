package krr_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
)

// boosted returns a map of trees that are grown on data.
func boosted(t testing.TB, data rff.Source, depth, trees int, own bool) *rff.Map {
	t.Helper()
	in, _ := data.Schema().Dims()
	m, err := boost.Sampler{Depth: depth, Trees: trees, Own: own}.Sample(t.Context(), rff.Request{Dim: in, Features: trees, Data: data, Rand: rand.NewPCG(1, 2), Engine: native()})
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return m
}

// steps are rows of a number, a word and a number, and two targets with steps.
func steps(t testing.TB, n int, words []string) (x, y *mat.Dense, data rff.Source) {
	random := rand.New(rand.NewPCG(3, 4))
	x, y = mat.NewDense(n, 2+len(words), nil), mat.NewDense(n, 2, nil)
	for i := range n {
		a, b, k := random.NormFloat64(), random.NormFloat64(), random.IntN(len(words))
		x.Set(i, 0, a)
		x.Set(i, 1+k, 1)
		x.Set(i, 1+len(words), b)
		y.SetRow(i, []float64{math.Round(2*a) + float64(k) + b, math.Round(b) * float64(k)})
	}
	data, err := rff.FromMatrix(x, y)
	if err != nil {
		t.Fatal(err)
	}
	schema := data.Schema()
	schema.Inputs = []rff.Column{{Name: "a"}, {Name: "colour", Words: words}, {Name: "b"}}
	if data, err = rff.WithSchema(data, schema); err != nil {
		t.Fatal(err)
	}
	return x, y, data
}

// The reader in docs takes the rows of tables that Predict takes, alone and in a mean, for values at
// thresholds and next to them as well.
func TestNumPyReaderOfTrees(t *testing.T) {
	t.Parallel() // with other tests that wait for Python
	python := numpy(t)
	words := []string{"blue", "green", "red"}
	const trees = 40
	x, y, data := steps(t, 300, words)
	spec := inside.Spec(boosted(t, data, 3, trees, true)).Clone()
	spec.Blocks = append(spec.Blocks, spec.Clone().Blocks[0])
	spec.Blocks[1].Trees.Tanh, spec.Weight = true, append(spec.Weight, 5, 6)
	if spec.Blocks[0].Trees.Width == nil {
		t.Fatal("the test needs nodes with thresholds of their own")
	}
	spec.Blocks[0].Scale, spec.Blocks[1].Scale = []float64{0.5, 3}, []float64{1, 2}
	features, err := inside.New(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(m *rff.Map, s krr.Settings) *krr.Model {
		s.Lambdas, s.Engine = []float64{1e-6}, native()
		model, _, err := krr.Fit(t.Context(), m, data, s)
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	doubled := krr.Settings{Scaling: rff.Scaling{Scale: []float64{2, 1, 1, 1, 0.5}}} // without rounding
	rounded := doubled
	rounded.Precision = krr.Float32
	// The rows of the fit, and such whose scaled numbers are thresholds or next to them. The
	// sum of 10⁻¹² is more than the threshold, but not in float32.
	at := append([]float64{}, x.RawMatrix().Data...)
	of := spec.Blocks[0].Trees
	for i, j := range of.Input {
		for k, v := range []float64{of.Threshold[i], math.Nextafter(of.Threshold[i], 9), math.Nextafter(of.Threshold[i], -9), of.Threshold[i] + 1e-12} {
			if j == 0 || j == 4 {
				row := slices.Clone(x.RawRowView(i + k))
				row[j] = v * doubled.Scaling.Scale[j]
				at = append(at, row...)
			}
		}
	}
	var lines []string
	for v := range slices.Chunk(at, 5) {
		word := words[int(v[2]+2*v[3])]
		lines = append(lines, fmt.Sprintf("%s,%s,%s", line(v, 0), word, line(v, 4)))
	}
	smooth := krr.Settings{Scaling: rff.Scaling{Shift: []float64{1, 0, 0, 0, 2}}}
	most := max(math.Abs(mat.Max(y)), math.Abs(mat.Min(y)))
	for name, c := range map[string]struct {
		model *krr.Model
		eps   float64
	}{
		"alone":   {fit(features, doubled), 0x1p-52},
		"float32": {fit(features, rounded), 0x1p-23},
		"a mean":  {krr.MeanOf([]*krr.Model{fit(gaussianMap(t, 2, 5, 32, 1), smooth), fit(features, doubled), fit(features, rounded)}, []float64{0.5, 0.25, 0.25}), 0x1p-23},
	} {
		path := filepath.Join(t.TempDir(), "model.rff")
		if err := c.model.Save(path); err != nil {
			t.Fatal(err)
		}
		var want mat.Dense
		if err := c.model.Predict(&want, mat.NewDense(len(lines), 5, at)); err != nil {
			t.Fatal(err)
		}
		// A sum of so many numbers, each at most twice the targets, has no more rounding errors. The
		// mean adds 64 features in float64.
		bound := 2 * trees * most * c.eps
		for i, r := range readModel(t, python, path, lines)[1:] {
			for k, text := range r {
				if v, err := strconv.ParseFloat(text, 64); err != nil || !(math.Abs(v-want.At(i, k)) <= bound) {
					t.Errorf("%s, row %s: NumPy %s, ours %v (%v)", name, lines[i], text, want.At(i, k), err)
				}
			}
		}
	}
}

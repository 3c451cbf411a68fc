package onnx

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/boost"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/krr"
	"github.com/rffgo/rff/sampling"
)

// kindOf is a model of one kind with raw rows to predict: a cell is a float64, a string or nil, which
// is missing. Rows without a prediction are refused by the model.
type kindOf struct {
	name  string
	model *krr.Model
	rows  [][]any
}

// columns of the data of tests: numbers, and words where these are asked for.
var (
	numbers = []rff.Column{{Name: "a"}, {Name: "b"}, {Name: "c c"}, {Name: "y"}}
	worded  = []rff.Column{{Name: "a"}, {Name: "colour", Words: []string{"blue", "green", "1e+06", "red"}}, {Name: "size", Words: []string{"1", "2.5", "10"}}, {Name: "when", Time: &rff.Time{Hour: true, Weekday: true}}}
	sized   = []rff.Column{{Name: "a"}, {Name: "size", Words: []string{"0.1", "1", "2.5"}}, {Name: "b"}}
)

// data returns n raw rows of columns and their targets. All numbers are float32.
func data(columns []rff.Column, n int, seed uint64) (rows [][]any, y []float64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for range n {
		var row []any
		sum := 0.0
		for j, c := range columns {
			v := float64(float32(random.NormFloat64() * float64(j+1)))
			sum += math.Sin(v/float64(j+1) + float64(j))
			switch {
			case c.Words != nil:
				k := random.IntN(len(c.Words))
				sum += float64(k) / 3
				row = append(row, c.Words[k])
			case c.Time != nil:
				row = append(row, 40+math.Floor(4*v)/8) // days: every hour is exact in float32
			default:
				row = append(row, v)
			}
		}
		rows, y = append(rows, row), append(y, sum)
	}
	return rows, y
}

// fitted fits a model of columns of the data.
func fitted(t testing.TB, name string, sampler rff.Sampler, kernel rff.Kernel, s rff.Schema, settings krr.Settings, classes int) kindOf {
	t.Helper()
	rows, y := data(s.Inputs, 300, 1)
	if s.Missing == rff.MissingMean {
		for i := range s.Inputs {
			c := &s.Inputs[i]
			c.Fill = slices.Repeat([]float64{0.25}, len(s.InputNames()))[:max(1, len(c.Words))]
			if c.Time != nil {
				c.Fill = []float64{41, 12, 3}
			}
		}
	}
	encode, err := s.Encoder()
	if err != nil {
		t.Fatal(name, err)
	}
	in, _ := s.Dims()
	x := mat.NewDense(len(rows), in, nil)
	for i, row := range rows {
		if err := encode(x.RawRowView(i), keyed(s, row)); err != nil {
			t.Fatal(name, err)
		}
	}
	targets := mat.NewDense(len(y), 1, slices.Clone(y))
	switch {
	case classes == 2:
		s.Target.Classes = []string{"no", "yes"}
		for i, v := range y {
			targets.Set(i, 0, math.Copysign(1, v-1))
		}
	case classes > 2:
		s.Target.Classes = []string{"1", "two", "three"}
		targets = mat.NewDense(len(y), 3, slices.Repeat([]float64{-1}, 3*len(y)))
		for i, v := range y {
			targets.Set(i, min(2, max(0, int(v))), 1)
		}
	case settings.Loss == "poisson":
		for i, v := range y {
			targets.Set(i, 0, math.Floor(max(0, v+1)))
		}
	}
	if classes < 2 && settings.Loss == "" {
		targets = mat.NewDense(len(y), 2, nil)
		for i, v := range y {
			targets.SetRow(i, []float64{v, 10 * v * v})
		}
	}
	source, err := rff.FromMatrix(x, targets)
	if err != nil {
		t.Fatal(name, err)
	}
	_, s.Target.Columns = targets.Dims()
	if source, err = rff.WithSchema(source, s); err != nil {
		t.Fatal(name, err)
	}
	m, err := sampler.Sample(t.Context(), rff.Request{Kernel: kernel, Dim: in, Features: 64, Data: source, Rand: rand.NewPCG(1, 1)})
	if err != nil {
		t.Fatal(name, err)
	}
	settings.Lambdas = []float64{1e-4}
	model, _, err := krr.Fit(t.Context(), m, source, settings)
	if err != nil {
		t.Fatal(name, err)
	}
	test, _ := data(s.Inputs, 60, 2)
	test = append(test, rows[:20]...)
	for j, c := range s.Inputs { // rows that lack a value, and with others that the fit has not seen
		row := slices.Clone(test[0])
		row[j] = nil
		test = append(test, row)
		if c.Words != nil {
			for _, w := range []string{"3000", "1000000", "1000000.0", "10.0"} {
				row = slices.Clone(row)
				row[j] = w
				test = append(test, row)
			}
		}
	}
	return kindOf{name, model, test}
}

// keyed is a row by the names of its columns.
func keyed(s rff.Schema, row []any) map[string]any {
	m := map[string]any{}
	for i, c := range s.Inputs {
		m[c.Name] = row[i]
	}
	return m
}

// forest makes a map of trees between the projections of a block of Hadamard matrices, and of the same trees with the
// tangents of their sums. Every other threshold
// is a number of float32, so that rows of both precisions can have it.
type forest struct{ trees *blas.Trees }

func (f *forest) Sample(ctx context.Context, r rff.Request) (*rff.Map, error) {
	m, err := boost.Sampler{Depth: 3, Trees: 30, Own: true}.Sample(ctx, r)
	if err != nil {
		return nil, err
	}
	smooth, err := sampling.SORF{}.Sample(ctx, rff.Request{Kernel: r.Kernel, Dim: r.Dim, Features: 16, Rand: r.Rand})
	if err != nil {
		return nil, err
	}
	s := inside.Spec(m).Clone()
	f.trees = s.Blocks[0].Trees
	for i := 0; i < len(f.trees.Threshold); i += 2 {
		f.trees.Threshold[i] = float64(float32(f.trees.Threshold[i]))
	}
	s.Blocks[0].Scale = []float64{0.5, 3}
	waves := inside.Spec(smooth).Blocks[0]
	tangents := s.Clone().Blocks[0]
	tangents.Trees.Tanh, tangents.Scale = true, []float64{4, 0.25}
	s.Blocks = []blas.Block{waves, s.Blocks[0], waves, tangents}
	s.Weight = slices.Repeat([]float64{0.5}, s.Frequencies())
	return inside.New(s, nil)
}

// atThresholds adds rows to k whose numbers are thresholds, and next to them in float32. In a model of
// float32 a number is not more than a threshold that it is rounded to.
func (f *forest) atThresholds(k kindOf) kindOf {
	for i, j := range f.trees.Input {
		v := float32(f.trees.Threshold[i])
		all := []float64{float64(v), float64(math.Nextafter32(v, 99)), float64(math.Nextafter32(v, -99))}
		if k.model.Info().Precision == krr.Float32 {
			all = append(all, float64(v)+1e-12)
		}
		for _, v := range all {
			row := slices.Clone(k.rows[i%60])
			row[j] = v
			k.rows = append(k.rows, row)
		}
	}
	return k
}

// kinds returns a model of every kind.
func kinds(t testing.TB) (all []kindOf) {
	gaussian := rff.Kernel(rff.NewGaussian(1.5))
	plain := rff.Schema{Inputs: numbers}
	add := func(name string, sampler rff.Sampler, kernel rff.Kernel) {
		all = append(all, fitted(t, name, sampler, kernel, plain, krr.Settings{}, 0))
	}
	add("cossin", sampling.MonteCarlo{}, gaussian)
	add("cos", sampling.MonteCarlo{Form: rff.CosBias}, rff.NewMatern(1.5, 2))
	add("arccos0", sampling.MonteCarlo{}, rff.NewArcCosine(0))
	add("arccos1", sampling.MonteCarlo{}, rff.NewArcCosine(1))
	add("arccos2", sampling.MonteCarlo{}, rff.NewArcCosine(2))
	add("linear", sampling.MonteCarlo{}, rff.NewLinear())
	add("sorf", sampling.SORF{}, gaussian)
	add("fastfood", sampling.Fastfood{}, gaussian)
	add("compact (walsh)", sampling.Compact{}, gaussian)
	add("tefm (product)", sampling.TEFM{}, gaussian)
	add("metric", sampling.Metric{Fast: true}, gaussian)
	add("gaussian section", sampling.Nystrom{}, gaussian)
	add("l1 section", sampling.Nystrom{}, rff.NewLaplacian(2))
	add("l3/2 section", sampling.Nystrom{}, rff.NewExponentialPower(1.5, 1.5, 2))
	add("exponential section", sampling.Nystrom{}, rff.NewMatern(0.5, 2))
	add("matern 3/2 section", sampling.Nystrom{}, rff.NewMatern(1.5, 2))
	add("matern 5/2 section", sampling.Nystrom{}, rff.NewMatern(2.5, 2))
	all = append(all, fitted(t, "cauchy section", sampling.Nystrom{}, rff.NewCauchy(1.7), rff.Schema{Inputs: numbers[:1]}, krr.Settings{Scaling: rff.Scaling{Shift: []float64{0.3}, Scale: []float64{1.7}}}, 0))
	add("cauchy", sampling.MonteCarlo{}, rff.NewCauchy(2))
	add("trees", boost.Sampler{Depth: 4, Trees: 1500}, gaussian)
	add("trees of own thresholds", boost.Sampler{Depth: 4, Trees: 1500, Own: true}, gaussian)
	for _, precision := range []krr.Precision{krr.Float64, krr.Float32} {
		f := &forest{}
		all = append(all, f.atThresholds(fitted(t, fmt.Sprintf("trees at thresholds, %s", precision), f, gaussian, plain, krr.Settings{Precision: precision}, 0)))
	}
	all = append(all, fitted(t, "trees on words", boost.Sampler{Depth: 3, Trees: 40}, gaussian, rff.Schema{Inputs: slices.Clone(worded), Missing: rff.MissingMean, Unseen: "zero"}, krr.Settings{Probabilities: true}, 3))
	bent := rff.Scaling{Shift: []float64{1, 0, -1, .5}, Scale: []float64{1, 2, .5, 4},
		From: [][]float64{{-1, 1}, nil, {-1, 0, 2, 2.5}, {0.5}}, To: [][]float64{{-1, 1}, nil, {-0.5, 0, 4, 3}, {0.5}}}
	more := func(name string, s rff.Schema, settings krr.Settings, classes int) {
		all = append(all, fitted(t, name, sampling.MonteCarlo{}, gaussian, s, settings, classes))
	}
	more("bent and held columns", plain, krr.Settings{Scaling: bent}, 0)
	more("clipped predictions", plain, krr.Settings{ClipPredictions: true, Precision: krr.Float32}, 0)
	more("int12", plain, krr.Settings{Precision: "int12"}, 0)
	more("int8", plain, krr.Settings{Precision: "int8"}, 0)
	more("log link", plain, krr.Settings{Loss: "poisson"}, 0)
	more("quantiles", plain, krr.Settings{Loss: "quantile:0.1,0.5,0.9"}, 0)
	more("words, times, mean", rff.Schema{Inputs: slices.Clone(worded), Missing: rff.MissingMean, Unseen: "zero"}, krr.Settings{}, 0)
	more("words, times, drop", rff.Schema{Inputs: slices.Clone(worded), Missing: rff.MissingDrop}, krr.Settings{}, 3)
	more("words of numbers", rff.Schema{Inputs: slices.Clone(sized), Missing: rff.MissingMean}, krr.Settings{}, 0)
	more("two classes", plain, krr.Settings{}, 2)
	more("three classes", plain, krr.Settings{}, 3)
	more("calibrated, two classes", plain, krr.Settings{Probabilities: true}, 2)
	more("calibrated, three classes", plain, krr.Settings{Probabilities: true}, 3)
	files, err := filepath.Glob(filepath.Join("..", "krr", "testdata", "*.rff"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		m, err := krr.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		in, _ := m.Dims()
		rows, _ := data(make([]rff.Column, in), 60, 3)
		all = append(all, kindOf{"file " + strings.TrimSuffix(filepath.Base(path), ".rff"), m, rows})
	}
	return all
}

// want returns what the model says of the rows: NaN where it has no prediction.
func (k *kindOf) want(t testing.TB) (y [][]float64, labels []string, probabilities [][]float64) {
	s := k.model.Info().Schema
	encode, err := s.Encoder()
	if err != nil {
		t.Fatal(k.name, err)
	}
	in, targets := k.model.Dims()
	for _, row := range k.rows {
		x, v := make([]float64, in), make([]float64, targets)
		var given any = keyed(s, row)
		if s.Names() == nil {
			var list []float64
			for _, c := range row {
				list = append(list, c.(float64))
			}
			given = list
		}
		if err := encode(x, given); err == nil {
			if err := k.model.PredictRow(v, x); err != nil {
				t.Fatal(k.name, err)
			}
		} else {
			v = slices.Repeat([]float64{math.NaN()}, targets)
		}
		y = append(y, v)
		if c := s.Target.Classes; c != nil {
			label, p := "", slices.Repeat([]float64{math.NaN()}, len(c))
			if v[0] == v[0] {
				label = c[k.model.ClassOf(v)]
				if k.model.Info().Probabilities {
					k.model.ProbabilitiesOf(p, v)
				}
			}
			labels, probabilities = append(labels, label), append(probabilities, p)
		}
	}
	return y, labels, probabilities
}

// given returns the inputs of the graph for the rows: texts or numbers, row-major.
func (k *kindOf) given(t testing.TB) (names []string, columns map[string]*tensor) {
	m, err := read(k.model)
	if err != nil {
		t.Fatal(k.name, err)
	}
	columns = map[string]*tensor{}
	s := k.model.Info().Schema
	n := len(k.rows)
	all := empty(float64s, []int{n, len(m.cells)})
	at := 0
	for j, c := range s.Inputs {
		cell := m.cells[at]
		if cell.texts {
			v := empty(utf8s, []int{n, 1})
			for i, row := range k.rows {
				if row[j] != nil {
					v.s[i] = row[j].(string)
				}
			}
			names, columns[cell.name] = append(names, cell.name), v
			at++
			continue
		}
		width := 1
		if c.Time != nil {
			width = 3
		}
		for part := range width {
			v := empty(float64s, []int{n, 1})
			for i, row := range k.rows {
				v.f[i] = math.NaN()
				switch r := row[j].(type) {
				case float64:
					days := math.Floor(r)
					v.f[i] = []float64{r, 24 * (r - days), math.Mod(days+3, 7)}[part]
				case string:
					fmt.Sscan(r, &v.f[i])
				}
				all.f[i*len(m.cells)+at] = v.f[i]
			}
			names, columns[m.cells[at].name] = append(names, m.cells[at].name), v
			at++
		}
	}
	if !m.texts {
		return []string{"x"}, map[string]*tensor{"x": all}
	}
	return names, columns
}

// A graph has NaN for the rows that the model refuses, since its map does not resolve them, and a
// number for the others; what it says of its columns has their own names, also that of an output.
func TestRowsThatAreNotResolved(t *testing.T) {
	for _, k := range kinds(t) {
		if !slices.Contains([]string{"cossin", "arccos2", "l1 section", "bent and held columns", "int12", "int8", "clipped predictions"}, k.name) {
			continue
		}
		m, err := read(k.model)
		if err != nil {
			t.Fatal(k.name, err)
		}
		if !strings.Contains(m.columns(), `{"name":"y"}`) {
			t.Errorf("%s: columns %s", k.name, m.columns())
		}
		in, targets := k.model.Dims()
		var rows []float64
		for _, far := range []float64{1, 1e6, 1e9, -1e12, 1e15, 1e18, -1e80, 1e160, -1e300} {
			for j := range in {
				row := make([]float64, in)
				row[j] = far
				rows = append(rows, row...)
			}
		}
		x := empty(float64s, []int{len(rows) / in, in})
		copy(x.f, rows)
		y := evaluate(graphOf(m, float64s, float64s), map[string]*tensor{"x": x})["y"]
		refused, v := 0, make([]float64, targets)
		for i := range x.shape[0] {
			err := k.model.PredictRow(v, x.f[i*in:(i+1)*in])
			if err != nil {
				refused++
			}
			if (err != nil) != math.IsNaN(y.f[i*targets]) {
				t.Errorf("%s: the graph has %v for the row %v, and the model %v", k.name, y.f[i*targets], x.f[i*in:(i+1)*in], err)
			}
		}
		if refused == 0 || refused == x.shape[0] {
			t.Errorf("%s: %d rows of %d are refused", k.name, refused, x.shape[0])
		}
	}
}

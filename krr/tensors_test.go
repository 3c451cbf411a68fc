package krr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/safetensors"
)

// oneOfEach returns a model and a Gram whose files have every tensor, or none
// that is not needed.
func oneOfEach(t *testing.T, full bool) (*Model, *Gram) {
	t.Helper()
	const n, d, k = 90, 3, 3
	rng := rand.New(rand.NewPCG(1, 2))
	m, err := rff.New(rff.NewGaussian(2), d, 4, rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	x, class := blas.NewGeneral[float64](n, d), make([]int, n)
	for i := range n {
		class[i] = i % k
		for j := range d {
			x.Row(i)[j] = rng.NormFloat64() + float64(class[i])
		}
	}
	y := ClassTargets(class, k)
	data, err := rff.FromMatrix(mat.NewDense(x.Rows, x.Cols, x.Data), mat.NewDense(y.Rows, y.Cols, y.Data))
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Lambdas: []float64{1e-3}, ClipPredictions: true}
	schema := data.Schema()
	schema.Inputs, schema.Target.Name = rff.Columns("a", "b", "c"), "y"
	if full {
		s.Scaling = rff.Scaling{Shift: []float64{1, 2, 3}, Scale: []float64{1, 2, 4}}
		schema.Target.Classes, s.Probabilities, s.Uncertainty = []string{"x", "y", "z"}, true, "intervals"
		schema.Missing, schema.Unseen = rff.MissingMean, "zero"
		schema.Inputs = []rff.Column{{Name: "a", Words: []string{"u", "v"}, Fill: []float64{0.25, 0.75}}, {Name: "c", Number: 3, Fill: []float64{1}, Range: []float64{-1, 2}}}
	}
	if data, err = rff.WithSchema(data, schema); err != nil {
		t.Fatal(err)
	}
	model, _, err := Fit(context.Background(), m, data, s)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGram(m, k, GramSettings{Scaling: s.Scaling, Schema: schema})
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5
	}
	if err := g.Add(context.Background(), rff.Batch{X: x, Y: y, Weight: w}); err != nil {
		t.Fatal(err)
	}
	return model, g
}

// TestEveryTensor makes every tensor of every file one element longer, one
// shorter, of another type or number of dimensions, and leaves it out, with all
// else in order: each is refused, but for what a file need not have.
func TestEveryTensor(t *testing.T) {
	optional := []string{"scaling.shift", "scaling.scale", "map.phase", "calibration.slope", "variance.of", "interval.weight", "columns.fill"}
	for _, full := range []bool{false, true} {
		model, g := oneOfEach(t, full)
		for what, c := range map[string]struct {
			file func() *tensors
			read func([]byte) error
		}{
			"model": {model.tensors, func(b []byte) error { return new(Model).UnmarshalBinary(b) }},
			"gram":  {g.tensors, func(b []byte) error { return new(Gram).UnmarshalBinary(b) }},
		} {
			try := func(name string, f *tensors, may bool) {
				t.Helper()
				b, err := f.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				var fe *FileError
				if err := c.read(b); err == nil && !may || err != nil && !errors.As(err, &fe) {
					t.Errorf("%s, full %v, %s: %v", what, full, name, err)
				}
			}
			try("as it is", c.file(), true)
			b, _ := c.file().Bytes()
			if err := c.read(b); err != nil {
				t.Fatal(err)
			}
			for i, p := range c.file().List {
				change := func(how string, may bool, f func(p *safetensors.Tensor)) {
					t.Helper()
					all := c.file()
					f(&all.List[i])
					try(p.Name+" "+how, all, may)
				}
				// The elements in one piece, and sizes of their own.
				flat := func(p *safetensors.Tensor) {
					p.Shape = slices.Clone(p.Shape)
					if p.I64 == nil {
						p.F64 = [][]float64{slices.Concat(p.F64...)}
					}
				}
				resize := func(p *safetensors.Tensor, dim, by int) {
					flat(p)
					p.Shape[dim] += by
					n := 1
					for _, s := range p.Shape {
						n *= s
					}
					if p.I64 != nil {
						p.I64 = append(slices.Clone(p.I64), make([]int, 100)...)[:n]
					} else {
						p.F64[0] = append(p.F64[0], make([]float64, 1000)...)[:n]
					}
				}
				for dim := range p.Shape {
					change(fmt.Sprint("longer ", dim), false, func(p *safetensors.Tensor) { resize(p, dim, 1) })
					if p.Shape[dim] > 0 {
						change(fmt.Sprint("shorter ", dim), false, func(p *safetensors.Tensor) { resize(p, dim, -1) })
					}
				}
				change("with one dimension more", false, func(p *safetensors.Tensor) { flat(p); p.Shape = append(p.Shape, 1) })
				change("of another type", false, func(p *safetensors.Tensor) {
					if p.I64 != nil {
						p.F64, p.I64 = [][]float64{make([]float64, len(p.I64))}, nil
					} else {
						n := 0
						for _, v := range p.F64 {
							n += len(v)
						}
						p.F64, p.I64 = nil, make([]int, n)
					}
				})
				may := slices.Contains(optional, p.Name)
				change("by another name", may, func(p *safetensors.Tensor) { p.Name = "else" })
				all := c.file()
				all.List = slices.Delete(slices.Clone(all.List), i, i+1)
				try("without "+p.Name, all, may)
			}
			for key, bad := range map[string][]string{
				"inputs":          {`["a"]`, `["a","b","c","d"]`, `[]`, `"a"`},
				"precision":       {"", "float16"},
				"map.fingerprint": {"", strings.Repeat("0", 64)},
				"map.func":        {"", "sin"},
				"map.inputs":      {"2", "4", "-1", "x"},
				"classes":         {`["x"]`, `["x","y"]`, `["x","y","z","w"]`, `[1,2,3]`},
				"format":          {"", "rff checkpoint", "gguf"},
				"version":         {"", "0", "2", "11", "01"},
			} {
				for _, v := range bad {
					f := c.file()
					f.Meta[key] = v
					try(key+" "+v, f, false)
				}
			}
		}
	}
}

// A file of another format version is refused by its name, with what to do.
func TestOtherVersion(t *testing.T) {
	model, g := oneOfEach(t, false)
	path := filepath.Join(t.TempDir(), "file")
	for what, c := range map[string]struct {
		file *tensors
		load func() error
	}{
		"model": {model.tensors(), func() error { _, err := Load(path); return err }},
		"gram":  {g.tensors(), func() error { _, err := LoadGram(path); return err }},
	} {
		c.file.Meta["version"] = "2"
		if err := writeFile(path, what, c.file); err != nil {
			t.Fatal(err)
		}
		var fe *FileError
		want := path + " is not a usable " + what + `: it has format version "2" and this program reads version 1: use the version of rff that wrote it`
		if err := c.load(); !errors.As(err, &fe) || fe.Path != path || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A map on blocks has all of its tensors too.
func TestEveryTensorOfBlocks(t *testing.T) {
	spec := &blas.Spec{Dim: 3, Func: asm.CosSin}
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) (v []float64) {
		for range n {
			v = append(v, rng.NormFloat64())
		}
		return v
	}
	for range 2 {
		spec.Blocks = append(spec.Blocks, blas.Block{Size: 4, Keep: 2, D: [][]float64{draw(4), draw(4)}, Perm: []int{2, 0, 3, 1}, Scale: draw(2)})
	}
	spec.Blocks = append(spec.Blocks, blas.Block{Size: 4, Keep: 1, Scale: draw(1), Trees: &blas.Trees{Depth: 2, Input: []int{2, 0}, Threshold: draw(2),
		Value: blas.General[float64]{Rows: 4, Cols: 1, Stride: 1, Data: draw(4)}}})
	spec.Phase, spec.Weight = draw(5), draw(10)
	spec.Product = blas.General[float64]{Rows: 10, Cols: 5, Stride: 5, Data: draw(50)}
	m, err := inside.New(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGram(m, 1, GramSettings{})
	want, err := g.tensors().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var h Gram
	if err := h.UnmarshalBinary(want); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.tensors().Bytes(); !bytes.Equal(got, want) || h.Map().Fingerprint() != m.Fingerprint() {
		t.Error("the map is another one after reading")
	}
	for i := range g.tensors().List {
		f := g.tensors()
		if !strings.HasPrefix(f.List[i].Name, "map.") {
			continue
		}
		name := f.List[i].Name
		f.List = slices.Delete(slices.Clone(f.List), i, i+1)
		b, _ := f.Bytes()
		var fe *FileError
		if err := new(Gram).UnmarshalBinary(b); !errors.As(err, &fe) {
			t.Errorf("without %s: %v", name, err)
		}
		f = g.tensors()
		if p := &f.List[i]; p.I64 != nil {
			p.I64 = slices.Clone(p.I64)
			p.I64[0], p.I64[1] = p.I64[1], p.I64[0]
		} else {
			p.F64 = [][]float64{slices.Concat(p.F64...)}
			p.F64[0][0]++
		}
		b, _ = f.Bytes()
		if err := new(Gram).UnmarshalBinary(b); !errors.As(err, &fe) || !strings.Contains(err.Error(), "fingerprint") {
			t.Errorf("%s changed: %v", name, err)
		}
	}
}

// A map of trees that no program has written is refused for a reason, and takes no memory, whatever its
// sizes.
func TestTreesOfFiles(t *testing.T) {
	spec := &blas.Spec{Dim: 3, Func: asm.Linear, Weight: []float64{1}, Blocks: []blas.Block{{Size: 4, Keep: 1, Scale: []float64{1}, Trees: &blas.Trees{Depth: 2,
		Width: []int{1, 2, 1, 1}, Input: []int{2, 0, 1, 1, 1}, Threshold: []float64{0, 1, 2, 3, 1}, Value: blas.General[float64]{Rows: 8, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4, 5, 6, 7, 8}}}}}}
	m, err := inside.New(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(20, 3, nil)
	for i := range 20 {
		x.SetRow(i, []float64{float64(i % 5), float64(i % 3), float64(i % 2)})
	}
	data, err := rff.FromMatrix(x, x.Slice(0, 20, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	model, _, err := Fit(t.Context(), m, data, Settings{Lambdas: []float64{1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	if n := model.Info().Provenance["trees"]; n != "2" {
		t.Errorf("the model says that it has %q trees", n)
	}
	g := NewGram(m, 1, GramSettings{})
	block := func(text string) func(*tensors) {
		return func(f *tensors) { f.Meta["map.blocks"] = "[{" + text + "}]" }
	}
	tensor := func(name string, change func(*safetensors.Tensor)) func(*tensors) {
		return func(f *tensors) {
			i := slices.IndexFunc(f.List, func(p safetensors.Tensor) bool { return p.Name == "map.blocks.0.trees."+name })
			p := &f.List[i]
			p.Shape, p.I64, p.F64 = slices.Clone(p.Shape), slices.Clone(p.I64), [][]float64{slices.Concat(p.F64...)}
			if p.I64 != nil {
				p.F64 = nil
			}
			change(p)
		}
	}
	for what, c := range map[string]struct {
		need   string
		change func(*tensors)
	}{
		"as it is":           {"", func(*tensors) {}},
		"depth 0":            {"has 0 diagonals", block(`"Size":4,"Keep":1,"Depth":0`)},
		"depth −1":           {"Trees.Depth is -1", block(`"Size":4,"Keep":1,"Depth":-1`)},
		"depth 13":           {"Trees.Depth is 13", block(`"Size":4,"Keep":1,"Depth":13`)},
		"depth 2⁶²":          {"must be in 1..12", block(`"Size":4,"Keep":1,"Depth":4611686018427387904`)},
		"depth 3":            {"Trees.Width is 4", block(`"Size":4,"Keep":1,"Depth":3`)},
		"depth 4":            {"Trees.Value is 8", block(`"Size":4,"Keep":1,"Depth":4`)},
		"depth and diagonal": {"or none and trees", block(`"Size":4,"Keep":1,"Depth":2,"Diagonals":1`)},
		"size 2³⁰":           {"Size is 1073741824", block(`"Size":1073741824,"Keep":1,"Depth":2`)},
		"size 3":             {"Size is 3", block(`"Size":3,"Keep":1,"Depth":2`)},
		"keep 2":             {"blocks.0.scale", block(`"Size":4,"Keep":2,"Depth":2`)},
		"keep −1":            {"Keep is -1", block(`"Size":4,"Keep":-1,"Depth":2`)},
		"2³⁰ inputs": {"Dim is 1073741824", func(f *tensors) {
			f.Meta["map.inputs"] = "1073741824"
			block(`"Size":1073741824,"Keep":1,"Depth":2`)(f)
		}},
		"width 3":       {"Trees.Width[1] is 3", tensor("width", func(p *safetensors.Tensor) { p.I64[1] = 3 })},
		"width −1":      {"Trees.Width[0] is -1", tensor("width", func(p *safetensors.Tensor) { p.I64[0] = -1 })},
		"another width": {"fingerprint", tensor("width", func(p *safetensors.Tensor) { p.I64 = []int{1, 1, 1, 2} })},
		"a width less":  {"Trees.Input is 5: must have 4 elements", tensor("width", func(p *safetensors.Tensor) { p.I64[1] = 1 })},
		"input 3":       {"Trees.Input[1] is 3", tensor("input", func(p *safetensors.Tensor) { p.I64[1] = 3 })},
		"input −1":      {"Trees.Input[3] is -1", tensor("input", func(p *safetensors.Tensor) { p.I64[3] = -1 })},
		"no trees":      {"Trees.Input is 0", tensor("input", func(p *safetensors.Tensor) { p.Shape[0], p.I64 = 0, []int{} })},
		"threshold NaN": {"Trees.Threshold[2] is NaN", tensor("threshold", func(p *safetensors.Tensor) { p.F64[0][2] = math.NaN() })},
		"threshold ∞":   {"Trees.Threshold[0] is +Inf", tensor("threshold", func(p *safetensors.Tensor) { p.F64[0][0] = math.Inf(1) })},
		"value NaN":     {"is NaN", tensor("value", func(p *safetensors.Tensor) { p.F64[0][7] = math.NaN() })},
		"another value": {"fingerprint", tensor("value", func(p *safetensors.Tensor) { p.F64[0][7]++ })},
	} {
		for kind, read := range map[*tensors]func([]byte) error{model.tensors(): new(Model).UnmarshalBinary, g.tensors(): new(Gram).UnmarshalBinary} {
			c.change(kind)
			b, err := kind.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err = read(b)
			runtime.ReadMemStats(&after)
			var fe *FileError
			if c.need == "" && err != nil || c.need != "" && (!errors.As(err, &fe) || !strings.Contains(err.Error(), c.need)) {
				t.Errorf("%s: %v, want %q", what, err, c.need)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("%s: reading takes %d bytes", what, took)
			}
		}
	}
}

// Variances that are not finite, or negative, and levels that are none of quantiles are refused:
// intervals of the first never ended, and the second ended in a panic.
func TestPosteriorAndLevelsOfFiles(t *testing.T) {
	levels := map[string]string{"no levels": "[]", "level 1": "[1]", "descending": "[0.5,0.4,0.6]"}
	for name, spoil := range map[string]func(*posterior){
		"sound":          func(*posterior) {},
		"mean":           func(p *posterior) { p.mean[0] = math.NaN() },
		"noise":          func(p *posterior) { p.noise[0] = math.Inf(1) },
		"negative noise": func(p *posterior) { p.noise[0] = -1 },
		"factor":         func(p *posterior) { p.factors[0].Data[1] = math.NaN() },
		"weight":         func(p *posterior) { p.weight = math.Inf(1) },
		"no levels":      func(*posterior) {},
		"level 1":        func(*posterior) {},
		"descending":     func(*posterior) {},
	} {
		m, _ := oneOfEach(t, true)
		spoil(m.post)
		to := m.tensors()
		if text := levels[name]; text != "" {
			to.Meta["link"], to.Meta["quantiles"] = sorted, text
		}
		var b bytes.Buffer
		if _, err := to.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		_, err := ReadModel(&b)
		if _, refused := err.(*FileError); refused == (name == "sound") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ranges with an end that is NaN, or beyond the other, are refused: predictions that are confined to
// them would all be NaN or one number, and columns would lose theirs without a word.
func TestRangesOfFiles(t *testing.T) {
	nan := math.NaN()
	for _, ends := range [][2]float64{{nan, 1}, {0, nan}, {nan, nan}, {1, 0}, {math.Inf(1), math.Inf(-1)}, {1, 1}} {
		for _, full := range []bool{false, true} {
			m, _ := oneOfEach(t, full)
			if full {
				m.schema.Inputs[1].Range = ends[:]
			} else {
				m.lo[0], m.hi[0] = ends[0], ends[1]
			}
			var b bytes.Buffer
			if _, err := m.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			_, err := ReadModel(&b)
			sound := ends[0] <= ends[1] || full && ends[0] != ends[0] && ends[1] != ends[1]
			if _, refused := err.(*FileError); refused == sound {
				t.Errorf("%v, of columns %v: %v", ends, full, err)
			}
		}
	}
}

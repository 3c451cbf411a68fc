package mapfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
	"github.com/rffgo/rff/internal/safetensors"
	"github.com/rffgo/rff/sampling"
)

// A product of features, as compact maps have it.
func productMap(t *testing.T) *rff.Map {
	t.Helper()
	s := &blas.Spec{Dim: 1, Func: asm.Cos, W: blas.General[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 2}},
		Phase: []float64{0.5, 1}, Weight: []float64{3, 4}, Product: blas.General[float64]{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 2, 3, 4, 5, 6}}}
	m, err := inside.New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A block of two trees, of classes or not, beside one of Hadamard matrices.
func treesMap(t *testing.T, classes bool) *rff.Map {
	t.Helper()
	s := &blas.Spec{Dim: 2, Func: asm.Linear, Weight: []float64{1, 2, 3}, Blocks: []blas.Block{
		{Size: 2, Keep: 1, D: [][]float64{{1, -1}}, Scale: []float64{2}},
		{Size: 2, Keep: 2, Scale: []float64{1, 3}, Trees: &blas.Trees{Depth: 1, Tanh: classes, Input: []int{1, 0}, Threshold: []float64{0.5, -1},
			Value: blas.General[float64]{Rows: 4, Cols: 2, Stride: 2, Data: []float64{1, 2, 3, 4, 5, 6, 7, 8}}}}}}
	m, err := inside.New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMapsComeBackFromTensors(t *testing.T) {
	all := map[string]*rff.Map{"product": productMap(t), "trees": treesMap(t, false), "trees of classes": treesMap(t, true)}
	for name, s := range map[string]rff.Sampler{"dense": sampling.MonteCarlo{}, "phases": sampling.MonteCarlo{Form: rff.CosBias},
		"walsh": sampling.Compact{}, "sorf": sampling.SORF{}, "fastfood": sampling.Fastfood{}, "arc-cosine": sampling.MonteCarlo{}} {
		var k rff.Kernel = rff.NewMatern(2.5, 2)
		if name == "arc-cosine" {
			k = rff.NewArcCosine(0)
		}
		m, err := s.Sample(t.Context(), rff.Request{Kernel: k, Dim: 5, Features: 24, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(name, err)
		}
		all[name] = m
	}
	for name, m := range all {
		got, err := mapfile.Map(stored(t, m, func(*safetensors.Writer) {}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Fingerprint() != m.Fingerprint() || fmt.Sprint(got.Kernel()) != fmt.Sprint(m.Kernel()) {
			t.Errorf("%s: another map, of kernel %v", name, got.Kernel())
		}
		// Without an array, with one of another size or type, or a text changed, it is no map.
		bad := func(what string, change func(w *safetensors.Writer)) {
			var r *refused
			if m, err := mapfile.Map(stored(t, m, change)); !errors.As(err, &r) || m != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		var whole safetensors.Writer
		whole.Meta = map[string]string{}
		mapfile.Add(&whole, m)
		for i, a := range whole.List {
			bad("without "+a.Name, func(w *safetensors.Writer) { w.List = slices.Delete(w.List, i, i+1) })
			bad(a.Name+" longer", func(w *safetensors.Writer) {
				more := 1
				for _, n := range a.Shape[1:] {
					more *= n
				}
				w.List[i].Shape = slices.Clone(a.Shape)
				w.List[i].Shape[0]++
				if a.I64 != nil {
					w.List[i].I64 = append(slices.Clone(a.I64), 0)
				} else {
					w.List[i].F64 = append(slices.Clone(a.F64), make([]float64, more))
				}
			})
			bad(a.Name+" in dimensions", func(w *safetensors.Writer) { w.List[i].Shape = append(slices.Clone(a.Shape), 1) })
			bad(a.Name+" of other type", func(w *safetensors.Writer) {
				if a.I64 != nil {
					w.List[i].I64, w.List[i].F64 = nil, [][]float64{make([]float64, len(a.I64))}
				} else {
					w.List[i].I64, w.List[i].F64 = make([]int, len(slices.Concat(a.F64...))), nil
				}
			})
		}
		for key, values := range map[string][]string{"func": {"", "sin"}, "inputs": {"", "x", "-1", "7"}, "fingerprint": {"", "0"}, "kernel": {"rbf"},
			"blocks": {"{}", "[{}]", `[{"Size":8,"Keep":8,"Diagonals":1000000}]`, `[{"Size":1073741824,"Keep":1,"Diagonals":1}]`}} {
			for _, v := range values {
				bad(key+" "+v, func(w *safetensors.Writer) { w.Meta["map."+key] = v })
			}
		}
	}
}

// refused is the error of the tests' files.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }

// stored returns the file of a map, changed.
func stored(t *testing.T, m *rff.Map, change func(w *safetensors.Writer)) *safetensors.File {
	t.Helper()
	w := safetensors.Writer{Meta: map[string]string{}}
	mapfile.Add(&w, m)
	change(&w)
	b, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f := safetensors.Format{Accept: func(map[string]string) error { return nil }, Refuse: func(why string) error { return &refused{why} }}
	p, err := f.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whoever has a file with a kernel or a function of a later version reads what to do.
func TestNewerMap(t *testing.T) {
	m, err := rff.New(rff.NewGaussian(1), 3, 8, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kernel", "func"} {
		_, err := mapfile.Map(stored(t, m, func(w *safetensors.Writer) { w.Meta["map."+key] = "multiquadric" }))
		if err == nil || !strings.Contains(err.Error(), `"multiquadric": if a newer program wrote the file, use that`) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// own is a kernel that no text names.
type own struct{ rff.Stationary }

func (own) String() string { return "my own" }

func TestTensorsLeaveOutAKernelWithoutName(t *testing.T) {
	m, err := rff.New(own{rff.NewGaussian()}, 2, 4, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	got, err := mapfile.Map(stored(t, m, func(*safetensors.Writer) {}))
	if err != nil || got.Kernel() != nil {
		t.Errorf("%v, %v", got.Kernel(), err)
	}
	x := mat.NewDense(1, 2, []float64{1, 2})
	var a, b mat.Dense
	if err := errors.Join(m.Transform(&a, x), got.Transform(&b, x)); err != nil || !mat.Equal(&a, &b) {
		t.Errorf("%v, %v", mat.Formatted(&b), err)
	}
}

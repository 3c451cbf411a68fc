package mapfile_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/mapfile"
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

func TestMapsComeBackFromTensors(t *testing.T) {
	all := map[string]*rff.Map{"product": productMap(t)}
	for name, s := range map[string]rff.Sampler{"dense": sampling.MonteCarlo{}, "phases": sampling.MonteCarlo{Form: rff.CosBias},
		"walsh": sampling.Compact{}, "sorf": sampling.SORF{}, "fastfood": sampling.Fastfood{}, "arc-cosine": sampling.ArcCosine{}} {
		m, err := s.Sample(t.Context(), rff.Request{Kernel: inside.KernelFor(s, rff.NewMatern(2.5, 2)), Dim: 5, Features: 24, Rand: rand.NewPCG(1, 2)})
		if err != nil {
			t.Fatal(name, err)
		}
		all[name] = m
	}
	for name, m := range all {
		texts, arrays := mapfile.Of(m)
		got, err := mapfile.Map(texts, arrays)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Fingerprint() != m.Fingerprint() || fmt.Sprint(got.Kernel()) != fmt.Sprint(m.Kernel()) {
			t.Errorf("%s: another map, of kernel %v", name, got.Kernel())
		}
		// Without an array, with one of another size or type, or a text changed, it is no map.
		bad := func(what string, texts map[string]string, arrays []mapfile.Tensor) {
			var p *rff.ParameterError
			if m, err := mapfile.Map(texts, arrays); !errors.As(err, &p) || m != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		for i, a := range arrays {
			bad("without "+a.Name, texts, slices.Delete(slices.Clone(arrays), i, i+1))
			for what, f := range map[string]func(a *mapfile.Tensor){
				"longer":        func(a *mapfile.Tensor) { a.Shape[0]++ },
				"negative":      func(a *mapfile.Tensor) { a.Shape[0] = -1 },
				"immense":       func(a *mapfile.Tensor) { a.Shape[0] = math.MaxInt },
				"in dimensions": func(a *mapfile.Tensor) { a.Shape = append(a.Shape, 1) },
				"of other type": func(a *mapfile.Tensor) {
					if a.Int != nil {
						a.Int, a.Float = nil, [][]float64{make([]float64, len(a.Int))}
					} else {
						a.Int, a.Float = make([]int, len(slices.Concat(a.Float...))), nil
					}
				},
			} {
				changed := slices.Clone(arrays)
				changed[i].Shape = slices.Clone(a.Shape)
				f(&changed[i])
				bad(a.Name+" "+what, texts, changed)
			}
		}
		for key, values := range map[string][]string{"func": {"", "sin"}, "inputs": {"", "x", "-1", "7"}, "fingerprint": {"", "0"}, "kernel": {"rbf"},
			"blocks": {"{}", "[{}]", `[{"Size":8,"Keep":8,"Diagonals":1000000}]`, `[{"Size":1073741824,"Keep":1,"Diagonals":1}]`}} {
			for _, v := range values {
				changed := maps.Clone(texts)
				changed[key] = v
				bad(key+" "+v, changed, arrays)
			}
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
	texts, arrays := mapfile.Of(m)
	got, err := mapfile.Map(texts, arrays)
	if err != nil || got.Kernel() != nil {
		t.Errorf("%v, %v", got.Kernel(), err)
	}
	x := mat.NewDense(1, 2, []float64{1, 2})
	var a, b mat.Dense
	if err := errors.Join(m.Transform(&a, x), got.Transform(&b, x)); err != nil || !mat.Equal(&a, &b) {
		t.Errorf("%v, %v", mat.Formatted(&b), err)
	}
}

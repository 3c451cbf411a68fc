// Package mapfile turns feature maps into texts and arrays of numbers, as files of
// any format hold them, and back.
package mapfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/limit"
)

// Tensor is a named array of numbers, as files hold them.
type Tensor struct {
	Name  string
	Shape []int       // one or two dimensions, row-major
	Float [][]float64 // its elements in pieces that follow each other, or
	Int   []int       // integers
}

// funcNames are the feature functions by what the texts call them.
var funcNames = [...]string{asm.Cos: "cos", asm.CosSin: "cossin", asm.Linear: "linear",
	asm.ArcCos0: "arccos0", asm.ArcCos1: "arccos1", asm.ArcCos2: "arccos2",
	asm.SectionGaussian: "gaussian section", asm.SectionExponential: "exponential section",
	asm.SectionMatern3: "matern 3/2 section", asm.SectionMatern5: "matern 5/2 section", asm.SectionCauchy: "cauchy section"}

// ofL1 stands before the function of a section of an ℓ₁ distance.
const ofL1 = "l1 "

// blockText is what the texts hold of a structured block.
type blockText struct{ Size, Keep, Diagonals int }

// maxDiagonals of a block that is read; the samplers use three.
const maxDiagonals = 16

// Of returns what m is, never how it was drawn: texts under keys, and arrays. Map
// makes the map of them. A kernel that rff.ParseKernel cannot read is left out.
func Of(m *rff.Map) (texts map[string]string, arrays []Tensor) {
	s := inside.Spec(m)
	texts = map[string]string{"func": funcNames[s.Func], "fingerprint": m.Fingerprint(), "inputs": fmt.Sprint(s.Dim)}
	if k := m.Kernel(); k != nil {
		name := fmt.Sprint(k)
		if _, err := rff.ParseKernel(name); err == nil {
			texts["kernel"] = name
		}
	}
	vector := func(name string, v []float64) {
		if v != nil {
			arrays = append(arrays, Tensor{Name: name, Shape: []int{len(v)}, Float: [][]float64{v}})
		}
	}
	matrix := func(name string, a blas.General[float64]) {
		t := Tensor{Name: name, Shape: []int{a.Rows, a.Cols}}
		for i := range a.Rows {
			t.Float = append(t.Float, a.Row(i))
		}
		arrays = append(arrays, t)
	}
	if s.L1 {
		texts["func"] = ofL1 + texts["func"]
	}
	switch {
	case s.Func.Section():
		matrix("landmarks", s.W)
		vector("shift", s.Shift)
		vector("scale", s.Scale)
	case len(s.Blocks) == 0:
		matrix("frequencies", s.W)
	default:
		blocks := make([]blockText, len(s.Blocks))
		for i := range s.Blocks {
			b := &s.Blocks[i]
			blocks[i] = blockText{b.Size, b.Keep, len(b.D)}
			name := fmt.Sprintf("blocks.%d.", i)
			for j, d := range b.D {
				vector(name+fmt.Sprintf("d.%d", j), d)
			}
			if b.Perm != nil {
				arrays = append(arrays, Tensor{Name: name + "permutation", Shape: []int{len(b.Perm)}, Int: b.Perm})
			}
			vector(name+"scale", b.Scale)
		}
		text, err := json.Marshal(blocks)
		if err != nil {
			panic(err) // three integers each
		}
		texts["blocks"] = string(text)
	}
	vector("phase", s.Phase)
	vector("weight", s.Weight)
	if s.Product.Data != nil {
		matrix("product", s.Product)
	}
	if s.Walsh != nil {
		vector("walsh.d", s.Walsh.D)
		arrays = append(arrays, Tensor{Name: "walsh.columns", Shape: []int{len(s.Walsh.Columns)}, Int: s.Walsh.Columns})
	}
	return texts, arrays
}

// Map returns the map that Of turned into these texts and arrays; the arrays become
// part of it and must not be modified. Others than the map's do not matter. The
// error, a *rff.ParameterError, says what is missing, inconsistent
// or not what the fingerprint among the texts says.
func Map(texts map[string]string, arrays []Tensor) (*rff.Map, error) {
	r := tensorReader{texts, map[string]*Tensor{}, nil}
	for i := range arrays {
		r.arrays[arrays[i].Name] = &arrays[i]
	}
	s := r.spec()
	var kernel rff.Kernel
	if name := texts["kernel"]; name != "" && r.err == nil {
		kernel, r.err = rff.ParseKernel(name)
	}
	if r.err != nil {
		return nil, r.err
	}
	m, err := inside.New(s, kernel)
	if err != nil {
		return nil, err
	}
	if f := m.Fingerprint(); f != texts["fingerprint"] {
		return nil, &rff.ParameterError{Name: "map.fingerprint", Value: texts["fingerprint"], Need: "must be " + f + ", that of the map's numbers"}
	}
	return m, nil
}

// tensorReader takes a specification out of tensors and keeps the first error.
type tensorReader struct {
	texts  map[string]string
	arrays map[string]*Tensor
	err    error
}

func (r *tensorReader) spec() *blas.Spec {
	s := &blas.Spec{}
	name, l1 := strings.CutPrefix(r.texts["func"], ofL1)
	f := slices.Index(funcNames[:], name)
	s.L1 = l1
	if f < 0 {
		r.fail("func", r.texts["func"], "is not a known function")
	}
	s.Func = asm.Func(max(f, 0))
	r.json("inputs", &s.Dim)
	if r.has("frequencies") {
		s.W = r.matrix("frequencies", -1, s.Dim)
	}
	if s.Func.Section() {
		s.W = r.matrix("landmarks", -1, s.Dim)
		s.Shift, s.Scale = r.vector("shift", s.Dim), r.vector("scale", s.Dim)
	}
	var blocks []blockText
	r.json("blocks", &blocks)
	for i, b := range blocks {
		if b.Diagonals < 1 || b.Diagonals > maxDiagonals {
			r.fail(fmt.Sprintf("blocks[%d].Diagonals", i), b.Diagonals, fmt.Sprintf("must be from 1 to %d", maxDiagonals))
		}
		if r.err != nil {
			return nil
		}
		name := fmt.Sprintf("blocks.%d.", i)
		out := blas.Block{Size: b.Size, Keep: b.Keep}
		for j := range b.Diagonals {
			out.D = append(out.D, r.vector(name+fmt.Sprintf("d.%d", j), b.Size))
		}
		if r.has(name + "permutation") {
			out.Perm = r.integers(name+"permutation", b.Size)
		}
		out.Scale = r.vector(name+"scale", b.Keep)
		s.Blocks = append(s.Blocks, out)
	}
	if r.has("phase") {
		s.Phase = r.vector("phase", -1)
	}
	s.Weight = r.vector("weight", -1)
	if r.has("product") {
		s.Product = r.matrix("product", len(s.Weight), -1)
	}
	if r.has("walsh.d") || r.has("walsh.columns") {
		s.Walsh = &blas.Walsh{D: r.vector("walsh.d", len(s.Weight)), Columns: r.integers("walsh.columns", -1)}
	}
	return s
}

func (r *tensorReader) fail(name string, v any, need string) {
	if r.err == nil {
		r.err = &rff.ParameterError{Name: "map." + name, Value: v, Need: need}
	}
}

func (r *tensorReader) has(name string) bool { return r.arrays[name] != nil }

// json reads a text; a missing one leaves v as it is.
func (r *tensorReader) json(key string, v any) {
	if text, ok := r.texts[key]; ok {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			r.fail(key, "unreadable", err.Error())
		}
	}
}

// get returns the array of that name and shape, where −1 stands for any size.
func (r *tensorReader) get(name string, integers bool, shape ...int) *Tensor {
	t := r.arrays[name]
	if t == nil {
		r.fail(name, "missing", "must be among the arrays")
		return nil
	}
	fits := len(t.Shape) == len(shape) && (t.Int != nil) == integers
	size := 1
	for i := 0; fits && i < len(shape); i++ {
		c := t.Shape[i]
		fits = (shape[i] < 0 || c == shape[i]) && c >= 0 && (c == 0 || size <= limit.Elements/c)
		size *= c
	}
	n := len(t.Int)
	for _, v := range t.Float {
		n += len(v)
	}
	if !fits || n != size {
		r.fail(name, t.Shape, fmt.Sprintf("must be an array of shape %v (−1: any), of integers: %v", shape, integers))
		return nil
	}
	return t
}

func (r *tensorReader) vector(name string, n int) []float64 {
	t := r.get(name, false, n)
	if t == nil {
		return nil
	}
	return t.joined()
}

func (r *tensorReader) matrix(name string, rows, cols int) (a blas.General[float64]) {
	t := r.get(name, false, rows, cols)
	if t == nil {
		return a
	}
	return blas.General[float64]{Rows: t.Shape[0], Cols: t.Shape[1], Stride: t.Shape[1], Data: t.joined()}
}

func (r *tensorReader) integers(name string, n int) []int {
	t := r.get(name, true, n)
	if t == nil {
		return nil
	}
	return t.Int
}

// joined returns the elements in one piece, without a copy if they are.
func (t *Tensor) joined() []float64 {
	if len(t.Float) == 1 {
		return t.Float[0]
	}
	return slices.Concat(t.Float...)
}

// Package mapfile stores feature maps in files of tensors.
package mapfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/inside"
	"github.com/rffgo/rff/internal/safetensors"
)

// prefix stands before the names of a map's metadata and tensors.
const prefix = "map."

// funcNames are the feature functions by what the texts call them.
var funcNames = [...]string{asm.Cos: "cos", asm.CosSin: "cossin", asm.Linear: "linear",
	asm.ArcCos0: "arccos0", asm.ArcCos1: "arccos1", asm.ArcCos2: "arccos2",
	asm.SectionGaussian: "gaussian section", asm.SectionExponential: "exponential section",
	asm.SectionMatern3: "matern 3/2 section", asm.SectionMatern5: "matern 5/2 section", asm.SectionCauchy: "cauchy section"}

// termNames stand before the functions of sections by what these add up.
var termNames = [...]string{asm.Products: "", asm.Differences: "l1 ", asm.ThreeHalves: "l3/2 "}

// blockText is what the texts hold of a structured block.
type blockText struct {
	Size, Keep, Diagonals int
	Depth                 int  `json:",omitempty"` // of its trees
	Tanh                  bool `json:",omitempty"` // of their sums
}

// maxDiagonals of a block that is read; the samplers use three.
const maxDiagonals = 16

// Add stores what m is, never how it was drawn. A kernel that rff.ParseKernel cannot read is
// left out.
func Add(t *safetensors.Writer, m *rff.Map) {
	s := inside.Spec(m)
	t.Meta[prefix+"func"], t.Meta[prefix+"fingerprint"], t.Meta[prefix+"inputs"] = termNames[s.Terms]+funcNames[s.Func], m.Fingerprint(), fmt.Sprint(s.Dim)
	if k := m.Kernel(); k != nil {
		name := fmt.Sprint(k)
		if _, err := rff.ParseKernel(name); err == nil {
			t.Meta[prefix+"kernel"] = name
		}
	}
	switch {
	case s.Func.Section():
		t.AddMatrix(prefix+"landmarks", s.W)
		t.Add(prefix+"shift", s.Shift)
		t.Add(prefix+"scale", s.Scale)
	case len(s.Blocks) == 0:
		t.AddMatrix(prefix+"frequencies", s.W)
	default:
		blocks := make([]blockText, len(s.Blocks))
		for i := range s.Blocks {
			b := &s.Blocks[i]
			blocks[i] = blockText{Size: b.Size, Keep: b.Keep, Diagonals: len(b.D)}
			name := fmt.Sprintf(prefix+"blocks.%d.", i)
			if of := b.Trees; of != nil {
				blocks[i].Depth, blocks[i].Tanh = of.Depth, of.Tanh
				t.AddInts(name+"trees.width", of.Width)
				t.AddInts(name+"trees.input", of.Input)
				t.Add(name+"trees.threshold", of.Threshold)
				t.AddMatrix(name+"trees.value", of.Value)
			}
			for j, d := range b.D {
				t.Add(name+fmt.Sprintf("d.%d", j), d)
			}
			t.AddInts(name+"permutation", b.Perm)
			t.Add(name+"scale", b.Scale)
		}
		t.SetJSON(prefix+"blocks", blocks)
	}
	t.Add(prefix+"phase", s.Phase)
	t.Add(prefix+"weight", s.Weight)
	if s.Product.Data != nil {
		t.AddMatrix(prefix+"product", s.Product)
	}
	if s.Walsh != nil {
		t.Add(prefix+"walsh.d", s.Walsh.D)
		t.AddInts(prefix+"walsh.columns", s.Walsh.Columns)
	}
}

// Map returns the map that Add stored. The error is one of p: it says what is missing,
// inconsistent or not what the fingerprint says.
func Map(p *safetensors.File) (*rff.Map, error) {
	s := spec(p)
	var kernel rff.Kernel
	var err error
	if name := p.Meta[prefix+"kernel"]; name != "" {
		if kernel, err = rff.ParseKernel(name); err != nil {
			return nil, p.Bad("this program does not know its kernel %.64q: if a newer program wrote the file, use that", name)
		}
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	m, err := inside.New(s, kernel)
	if err != nil {
		return nil, p.Bad("its feature map is not valid: %v", err)
	}
	if f := m.Fingerprint(); f != p.Meta[prefix+"fingerprint"] {
		return nil, p.Bad("its feature map has the fingerprint %s, and not %.64q: it is damaged", f, p.Meta[prefix+"fingerprint"])
	}
	return m, nil
}

// spec reads a specification.
func spec(p *safetensors.File) *blas.Spec {
	s := &blas.Spec{}
	name := p.Meta[prefix+"func"]
	for terms, before := range termNames[1:] {
		if after, ok := strings.CutPrefix(name, before); ok {
			name, s.Terms = after, asm.Terms(terms+1)
			break
		}
	}
	f := slices.Index(funcNames[:], name)
	if f < 0 {
		p.Bad("this program does not know its function of features %.64q: if a newer program wrote the file, use that", name)
		return s
	}
	s.Func = asm.Func(f)
	p.JSON(prefix+"inputs", &s.Dim)
	if p.Has(prefix + "frequencies") {
		s.W = p.Matrix(prefix+"frequencies", -1, s.Dim)
	}
	if s.Func.Section() {
		s.W = p.Matrix(prefix+"landmarks", -1, s.Dim)
		s.Shift, s.Scale = p.Vector(prefix+"shift", s.Dim), p.Vector(prefix+"scale", s.Dim)
	}
	var blocks []blockText
	p.JSON(prefix+"blocks", &blocks)
	for i, b := range blocks {
		trees := b.Depth != 0
		if b.Diagonals > maxDiagonals || (b.Diagonals < 1) != trees {
			p.Bad("block %d of its feature map has %d diagonals: there are 1 to %d, or none and trees", i, b.Diagonals, maxDiagonals)
		}
		if p.Err() != nil {
			return s
		}
		name := fmt.Sprintf(prefix+"blocks.%d.", i)
		out := blas.Block{Size: b.Size, Keep: b.Keep}
		for j := range b.Diagonals {
			out.D = append(out.D, p.Vector(name+fmt.Sprintf("d.%d", j), b.Size))
		}
		if p.Has(name + "permutation") {
			out.Perm = p.Ints(name+"permutation", b.Size)
		}
		out.Scale = p.Vector(name+"scale", b.Keep)
		if trees {
			out.Trees = &blas.Trees{Depth: b.Depth, Input: p.Ints(name+"trees.input", -1), Threshold: p.Vector(name+"trees.threshold", -1),
				Value: p.Matrix(name+"trees.value", -1, b.Keep), Tanh: b.Tanh}
			if p.Has(name + "trees.width") {
				out.Trees.Width = p.Ints(name+"trees.width", -1)
			}
		}
		s.Blocks = append(s.Blocks, out)
	}
	s.Phase = p.Optional(prefix+"phase", -1)
	s.Weight = p.Vector(prefix+"weight", -1)
	if p.Has(prefix + "product") {
		s.Product = p.Matrix(prefix+"product", len(s.Weight), -1)
	}
	if p.Has(prefix+"walsh.d") || p.Has(prefix+"walsh.columns") {
		s.Walsh = &blas.Walsh{D: p.Vector(prefix+"walsh.d", len(s.Weight)), Columns: p.Ints(prefix+"walsh.columns", -1)}
	}
	return s
}

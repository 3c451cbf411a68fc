package krr

import (
	"fmt"

	"github.com/rffgo/rff"
	"github.com/rffgo/rff/blas"
)

var funcNames = map[blas.Func]string{
	blas.Cos: "cos", blas.CosSin: "cossin", blas.Linear: "linear",
	blas.ArcCos0: "arccos0", blas.ArcCos1: "arccos1", blas.ArcCos2: "arccos2",
}

// addMap stores what a map is, never how it was drawn.
func (t *tensors) addMap(m *rff.Map) {
	s := m.Spec()
	t.Meta["map.func"] = funcNames[s.Func]
	t.Meta["map.fingerprint"] = m.Fingerprint().String()
	t.SetJSON("map.inputs", s.Dim)
	if k := m.Kernel(); k != nil {
		if name := fmt.Sprint(k); isKernel(name) {
			t.Meta["map.kernel"] = name
		}
	}
	if len(s.Blocks) == 0 {
		t.AddMatrix("map.frequencies", s.W)
	}
	type block struct{ Size, Keep, Diagonals int }
	var blocks []block
	for i := range s.Blocks {
		b := &s.Blocks[i]
		blocks = append(blocks, block{b.Size, b.Keep, len(b.D)})
		name := fmt.Sprintf("map.blocks.%d.", i)
		for j, d := range b.D {
			t.Add(name+fmt.Sprintf("d.%d", j), d)
		}
		t.AddInts(name+"permutation", b.Perm)
		t.Add(name+"scale", b.Scale)
	}
	if blocks != nil {
		t.SetJSON("map.blocks", blocks)
	}
	t.Add("map.phase", s.Phase)
	t.Add("map.weight", s.Weight)
	if s.Product.Data != nil {
		t.AddMatrix("map.product", s.Product)
	}
}

// isKernel reports whether a description is that of a kernel that can be read
// back; a kernel of the caller's own may not be.
func isKernel(name string) bool {
	_, err := rff.ParseKernel(name)
	return err == nil
}

// readMap rebuilds a map and checks it against its fingerprint.
func (p *parsed) readMap() (*rff.Map, error) {
	s := &blas.Spec{}
	found := false
	for f, name := range funcNames {
		if name == p.Meta["map.func"] {
			s.Func, found = f, true
		}
	}
	if !found {
		return nil, p.Bad("unknown feature function %q", p.Meta["map.func"])
	}
	if err := p.JSON("map.inputs", &s.Dim); err != nil {
		return nil, err
	}
	var err error
	if p.Has("map.frequencies") {
		if s.W, err = p.Matrix("map.frequencies", -1, s.Dim); err != nil {
			return nil, err
		}
	}
	var blocks []struct{ Size, Keep, Diagonals int }
	if err := p.JSON("map.blocks", &blocks); err != nil {
		return nil, err
	}
	for i, b := range blocks {
		name := fmt.Sprintf("map.blocks.%d.", i)
		out := blas.Block{Size: b.Size, Keep: b.Keep}
		if b.Diagonals < 1 || b.Diagonals > 16 {
			return nil, p.Bad("block %d has %d diagonals", i, b.Diagonals)
		}
		for j := range b.Diagonals {
			d, err := p.Vector(name+fmt.Sprintf("d.%d", j), b.Size)
			if err != nil {
				return nil, err
			}
			out.D = append(out.D, d)
		}
		if p.Has(name + "permutation") {
			if out.Perm, err = p.Ints(name+"permutation", b.Size); err != nil {
				return nil, err
			}
		}
		if out.Scale, err = p.Vector(name+"scale", b.Keep); err != nil {
			return nil, err
		}
		s.Blocks = append(s.Blocks, out)
	}
	if s.Phase, err = p.Optional("map.phase", -1); err != nil {
		return nil, err
	}
	if s.Weight, err = p.Vector("map.weight", -1); err != nil {
		return nil, err
	}
	if p.Has("map.product") {
		if s.Product, err = p.Matrix("map.product", len(s.Weight), -1); err != nil {
			return nil, err
		}
	}
	var kernel rff.Kernel
	if name := p.Meta["map.kernel"]; name != "" {
		if kernel, err = rff.ParseKernel(name); err != nil {
			return nil, p.Bad("%v", err)
		}
	}
	m, err := rff.FromSpec(s, kernel)
	if err != nil {
		return nil, p.Bad("its feature map is not valid: %v", err)
	}
	if f := m.Fingerprint().String(); f != p.Meta["map.fingerprint"] {
		return nil, p.Bad("its feature map has fingerprint %s, not %s", f, p.Meta["map.fingerprint"])
	}
	return m, nil
}

// addScaling stores an input scaling.
func (t *tensors) addScaling(s rff.Scaling) {
	t.Add("scaling.shift", s.Shift)
	t.Add("scaling.scale", s.Scale)
}

func (p *parsed) readScaling(dim int) (s rff.Scaling, err error) {
	if s.Shift, err = p.Optional("scaling.shift", dim); err != nil {
		return s, err
	}
	if s.Scale, err = p.Optional("scaling.scale", dim); err != nil {
		return s, err
	}
	if err := s.Check(dim); err != nil {
		return s, p.Bad("%v", err)
	}
	return s, nil
}

func parsePrecision(s string) (Precision, bool) {
	switch s {
	case "float64":
		return Float64, true
	case "float32":
		return Float32, true
	}
	return 0, false
}

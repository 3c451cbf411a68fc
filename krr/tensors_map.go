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
	t.meta["map.func"] = funcNames[s.Func]
	t.meta["map.fingerprint"] = m.Fingerprint().String()
	t.setJSON("map.inputs", s.Dim)
	if k := m.Kernel(); k != nil {
		if name := fmt.Sprint(k); isKernel(name) {
			t.meta["map.kernel"] = name
		}
	}
	if len(s.Blocks) == 0 {
		t.addMatrix("map.frequencies", s.W)
	}
	type block struct{ Size, Keep, Diagonals int }
	var blocks []block
	for i := range s.Blocks {
		b := &s.Blocks[i]
		blocks = append(blocks, block{b.Size, b.Keep, len(b.D)})
		name := fmt.Sprintf("map.blocks.%d.", i)
		for j, d := range b.D {
			t.add(name+fmt.Sprintf("d.%d", j), d)
		}
		t.addInts(name+"permutation", b.Perm)
		t.add(name+"scale", b.Scale)
	}
	if blocks != nil {
		t.setJSON("map.blocks", blocks)
	}
	t.add("map.phase", s.Phase)
	t.add("map.weight", s.Weight)
	if s.Product.Data != nil {
		t.addMatrix("map.product", s.Product)
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
		if name == p.meta["map.func"] {
			s.Func, found = f, true
		}
	}
	if !found {
		return nil, p.bad("unknown feature function %q", p.meta["map.func"])
	}
	if err := p.json("map.inputs", &s.Dim); err != nil {
		return nil, err
	}
	var err error
	if p.has("map.frequencies") {
		if s.W, err = p.matrix("map.frequencies", -1, s.Dim); err != nil {
			return nil, err
		}
	}
	var blocks []struct{ Size, Keep, Diagonals int }
	if err := p.json("map.blocks", &blocks); err != nil {
		return nil, err
	}
	for i, b := range blocks {
		name := fmt.Sprintf("map.blocks.%d.", i)
		out := blas.Block{Size: b.Size, Keep: b.Keep}
		if b.Diagonals < 1 || b.Diagonals > 16 {
			return nil, p.bad("block %d has %d diagonals", i, b.Diagonals)
		}
		for j := range b.Diagonals {
			d, err := p.vector(name+fmt.Sprintf("d.%d", j), b.Size)
			if err != nil {
				return nil, err
			}
			out.D = append(out.D, d)
		}
		if p.has(name + "permutation") {
			if out.Perm, err = p.ints(name+"permutation", b.Size); err != nil {
				return nil, err
			}
		}
		if out.Scale, err = p.vector(name+"scale", b.Keep); err != nil {
			return nil, err
		}
		s.Blocks = append(s.Blocks, out)
	}
	if s.Phase, err = p.optional("map.phase", -1); err != nil {
		return nil, err
	}
	if s.Weight, err = p.vector("map.weight", -1); err != nil {
		return nil, err
	}
	if p.has("map.product") {
		if s.Product, err = p.matrix("map.product", len(s.Weight), -1); err != nil {
			return nil, err
		}
	}
	var kernel rff.Kernel
	if name := p.meta["map.kernel"]; name != "" {
		if kernel, err = rff.ParseKernel(name); err != nil {
			return nil, p.bad("%v", err)
		}
	}
	m, err := rff.FromSpec(s, kernel)
	if err != nil {
		return nil, p.bad("its feature map is not valid: %v", err)
	}
	if f := m.Fingerprint().String(); f != p.meta["map.fingerprint"] {
		return nil, p.bad("its feature map has fingerprint %s, not %s", f, p.meta["map.fingerprint"])
	}
	return m, nil
}

// addScaling stores an input scaling.
func (t *tensors) addScaling(s rff.Scaling) {
	t.add("scaling.shift", s.Shift)
	t.add("scaling.scale", s.Scale)
}

func (p *parsed) readScaling(dim int) (s rff.Scaling, err error) {
	if s.Shift, err = p.optional("scaling.shift", dim); err != nil {
		return s, err
	}
	if s.Scale, err = p.optional("scaling.scale", dim); err != nil {
		return s, err
	}
	if err := s.Check(dim); err != nil {
		return s, p.bad("%v", err)
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

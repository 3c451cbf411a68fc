package rff

import (
	"github.com/rffgo/rff/blas"
	"github.com/rffgo/rff/internal/basis"
)

// split is internal/inside.Split.
func (m *Map) split() (base *Map, c *basis.Change) {
	if m.made().base == nil {
		return m, nil
	}
	return &Map{kernel: m.kernel, engine: m.engine, packed: m.base}, m.change
}

// pack returns the map of a specification. Kernel sections times a triangle are a map with a
// base, the sections alone, and a change of basis. It costs less to multiply the rows by any
// other product.
func pack(s *blas.Spec) *packed {
	if s.Func.Section() && s.Product.Data != nil {
		if c := basis.Of(s.Product); c != nil {
			plain := *s
			plain.Product = blas.General[float64]{}
			return changed(&packed{spec: &plain}, c)
		}
	}
	return &packed{spec: s}
}

// changed returns the map of the features of base in another basis.
func changed(base *packed, c *basis.Change) *packed {
	return &packed{spec: base.spec, base: base, change: c}
}

// full returns the specification of m, with the change of its basis as product.
func (m *Map) full() *blas.Spec {
	if m.made().base == nil {
		return m.spec
	}
	s := *m.spec
	s.Product = m.change.P()
	return &s
}

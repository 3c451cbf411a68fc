package blas

import "github.com/rffgo/rff/asm"

// rowForm is a Spec as row-major matrices of T.
type rowForm[T Float] struct {
	shared[T]
	w, product General[T]
	distances  *form[T] // for Terms other than Products: native kernels make all but Product
}

// newRowForm lays out s with its angles times unit.
func newRowForm[T Float](s *Spec, unit float64) *rowForm[T] {
	n := s.Frequencies()
	f := &rowForm[T]{shared: newShared[T](s, unit, n)}
	switch {
	case f.stacks != nil:
	case s.Terms != asm.Products:
		plain := *s
		plain.Product = General[float64]{}
		f.distances = newForm(&plain, asm.Native[T]())
	case f.section != nil:
		f.w = NewGeneral[T](n, f.section.width(s.Dim))
		scratch := make([]T, f.w.Cols)
		for j := range n {
			f.phase[j] = f.section.frequency(f.w.Row(j), scratch, s.W.Row(j))
		}
	default:
		f.w = convert[T](s.W, unit)
	}
	if s.Product.Data != nil {
		f.product = convert[T](s.Product, 1)
	}
	return f
}

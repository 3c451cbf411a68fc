package blas

import "github.com/rffgo/rff/asm"

// rowForm is a Spec as row-major matrices of T.
type rowForm[T Float] struct {
	w, product             General[T]
	phase, weight, weight2 []T
	stacks                 []hadamardStack[T]
	section                *sectionInput[T]
	walsh                  *walsh[T]
	distances              *form[T] // for L1, which no product can make: native kernels make all but Product
}

// newRowForm lays out s with its angles times unit.
func newRowForm[T Float](s *Spec, unit float64) *rowForm[T] {
	n := s.Frequencies()
	f := &rowForm[T]{phase: make([]T, n), weight: make([]T, n)}
	for j, p := range s.Phase {
		f.phase[j] = T(p * unit)
	}
	for j := range n {
		f.weight[j] = T(s.Weight[j])
	}
	if s.Func == asm.CosSin {
		f.weight2 = make([]T, n)
		for j := range n {
			f.weight2[j] = T(s.Weight[n+j])
		}
	}
	f.section = newSectionInput[T](s)
	switch {
	case len(s.Blocks) > 0:
		f.stacks = newHadamardStacks[T](s.Blocks, unit)
	case s.L1:
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
	if s.Walsh != nil {
		f.walsh = newWalsh[T](s.Walsh)
	}
	return f
}

package blas

// rowForm is a Spec as row-major matrices of T.
type rowForm[T Float] struct {
	w, product             General[T]
	phase, weight, weight2 []T
	stacks                 []hadamardStack[T]
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
	if s.Func == CosSin {
		f.weight2 = make([]T, n)
		for j := range n {
			f.weight2[j] = T(s.Weight[n+j])
		}
	}
	if len(s.Blocks) > 0 {
		f.stacks = newHadamardStacks[T](s.Blocks, unit)
	} else {
		f.w = convert[T](s.W, unit)
	}
	if s.Product.Data != nil {
		f.product = convert[T](s.Product, 1)
	}
	return f
}

package blas

// Sparse reports whether Some takes inputs away: whether angles are sums over the inputs, which
// zeros do not change. Hadamard blocks mix all inputs, and distances count zeros.
func (m *Features[T]) Sparse() bool { return len(m.spec.Blocks) == 0 && !m.spec.Func.Section() }

// Some returns the features of rows that have only these inputs, in ascending order, because
// the others are 0. On an exact backend they have the bits of the features of whole rows: an
// angle is a chain of fused multiply-adds, and those of zeros leave it as it is. It panics
// unless Sparse and there are inputs.
func (m *Features[T]) Some(inputs []int) *Features[T] {
	if !m.Sparse() || len(inputs) == 0 {
		panic(errSpec)
	}
	some := *m.spec
	some.Dim, some.W = len(inputs), NewGeneral[float64](m.spec.W.Rows, len(inputs))
	for i := range some.W.Rows {
		to, from := some.W.Row(i), m.spec.W.Row(i)
		for k, j := range inputs {
			to[k] = from[j]
		}
	}
	return Pack[T](&some)
}

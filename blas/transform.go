package blas

// Transform writes the features of the rows of x, n×d, to dst, n×s. dst must not overlap x.
//
// On an exact backend frequencies and phases are rounded to T, for Cos and CosSin after
// division by 2π. t = φ, then for each input k in order t = fma(x[k], W[j,k], t). Then
// z = weight·f(t) by the reference kernel of package asm. If all weights of a dense Cos or
// CosSin are equal, they are its Scale, not its Weight. Block and Spec define structured
// projections and Product.
func (m *Features[T]) Transform(e Engine, dst, x General[T]) {
	dst.check()
	x.check()
	in, out := m.Dims()
	if x.Cols != in || dst.Cols != out || dst.Rows != x.Rows {
		panic(errShape)
	}
	if Overlap(dst, x) {
		panic(errAlias)
	}
	if x.Rows == 0 {
		return
	}
	operationsOf[T](e).transform(e, m, dst, x)
}

// TransformRow writes the features of the row x to dst, on the calling
// goroutine and without allocation once the pool of scratch rows is warm.
func (m *Features[T]) TransformRow(e Engine, dst, x []T) {
	e.Workers = 1
	m.Transform(e, General[T]{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
		General[T]{Rows: 1, Cols: len(x), Stride: len(x), Data: x})
}

package blas

// Predict writes z·coef + intercept to dst, n×t. z are the features of the rows of x, n×d.
// coef is s×t, and intercept has t elements or is nil for none. Predict stores z for a few
// rows only. For a row, or so few that one task has them all, it allocates nothing once the pools of
// scratch rows are warm. dst must not overlap x.
//
// On an exact backend a value is Dot(z, coef[:,t]) + intercept[t], with the lanes of
// asm.Kernels.Dot. It does not depend on the other rows of x.
func (m *Features[T]) Predict(e Engine, dst, x, coef General[T], intercept []T) {
	coef.check()
	if coef.Cols == 1 && coef.Stride == 1 {
		m.PredictBy(e, dst, x, General[T]{Rows: 1, Cols: coef.Rows, Stride: coef.Rows, Data: coef.Data}, intercept)
		return
	}
	t := borrow[T](coef.Rows * coef.Cols)
	defer t.giveBack()
	ct := General[T]{Rows: coef.Cols, Cols: coef.Rows, Stride: coef.Rows, Data: t.data}
	transpose(ct, coef)
	m.PredictBy(e, dst, x, ct, intercept)
}

// PredictBy is Predict by coefficients that are t×s, a row for each target. Predict turns those of
// several targets at every call, which takes longer than the features of a row.
func (m *Features[T]) PredictBy(e Engine, dst, x, coef General[T], intercept []T) {
	dst.check()
	x.check()
	coef.check()
	in, s := m.Dims()
	if x.Cols != in || coef.Cols != s || coef.Rows != dst.Cols || dst.Rows != x.Rows || (intercept != nil && len(intercept) != coef.Rows) {
		panic(errShape)
	}
	if Overlap(dst, x) {
		panic(errAlias)
	}
	if x.Rows > 0 && dst.Cols > 0 {
		operationsOf[T](e).predict(e, m, dst, x, coef, intercept)
	}
}

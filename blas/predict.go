package blas

// Predictor evaluates linear functions of features, z·coef + intercept, without
// storing z for more than a few rows. It is immutable and safe for concurrent use.
type Predictor[T Float] struct {
	features  *Features[T]
	coef      General[T] // t×s: the coefficients of a target are contiguous
	intercept []T
}

// NewPredictor returns the predictor of coefficients coef, s×t, and intercepts
// (t, or nil for none), which it copies.
func NewPredictor[T Float](m *Features[T], coef General[T], intercept []T) *Predictor[T] {
	coef.check()
	if _, s := m.Dims(); coef.Rows != s || (intercept != nil && len(intercept) != coef.Cols) {
		panic(errShape)
	}
	p := &Predictor[T]{features: m, coef: NewGeneral[T](coef.Cols, coef.Rows), intercept: make([]T, coef.Cols)}
	transpose(p.coef, coef)
	copy(p.intercept, intercept)
	return p
}

// Predict writes z·coef + intercept to dst, n×t, for the features z of the rows
// of x, n×d. dst must not overlap x.
//
// On an exact backend a value is Dot(z, coef[:,t]) + intercept[t], with the
// lanes of asm.Kernels.Dot; it does not depend on the other rows of x.
func (p *Predictor[T]) Predict(e Engine, dst, x General[T]) {
	dst.check()
	x.check()
	if x.Cols != p.features.spec.Dim || dst.Cols != p.coef.Rows || dst.Rows != x.Rows {
		panic(errShape)
	}
	if dst.overlaps(x) {
		panic(errAlias)
	}
	p.features.predict(e, dst, x, p.coef, p.intercept)
}

// PredictRow writes the prediction of the row x to dst, of t elements, on the
// calling goroutine: the bits of Predict, and no allocation once the pool of
// scratch rows is warm.
func (p *Predictor[T]) PredictRow(e Engine, dst, x []T) {
	if len(x) != p.features.spec.Dim || len(dst) != p.coef.Rows {
		panic(errVectorLength)
	}
	e.Workers = 1
	p.features.predict(e, General[T]{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
		General[T]{Rows: 1, Cols: len(x), Stride: len(x), Data: x}, p.coef, p.intercept)
}

// Predict is Predictor.Predict for coefficients coef, s×t, used once.
func (m *Features[T]) Predict(e Engine, dst, x, coef General[T], intercept []T) {
	dst.check()
	x.check()
	coef.check()
	in, s := m.Dims()
	if x.Cols != in || coef.Rows != s || coef.Cols != dst.Cols || dst.Rows != x.Rows || (intercept != nil && len(intercept) != coef.Cols) {
		panic(errShape)
	}
	if dst.overlaps(x) {
		panic(errAlias)
	}
	if coef.Cols == 1 && coef.Stride == 1 {
		m.predict(e, dst, x, General[T]{Rows: 1, Cols: s, Stride: s, Data: coef.Data}, intercept)
		return
	}
	t := borrow[T](coef.Rows * coef.Cols)
	defer t.giveBack()
	ct := General[T]{Rows: coef.Cols, Cols: coef.Rows, Stride: coef.Rows, Data: t.data}
	transpose(ct, coef)
	m.predict(e, dst, x, ct, intercept)
}

// predict is Predict for coefficients t×s.
func (m *Features[T]) predict(e Engine, dst, x, coef General[T], intercept []T) {
	if x.Rows > 0 && dst.Cols > 0 {
		operationsOf[T](e).predict(e, m, dst, x, coef, intercept)
	}
}

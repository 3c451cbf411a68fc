package blas

// genericTrailing are the products of Trailing on a generic backend, which needs
// nothing packed.
type genericTrailing[T Float] struct {
	*Trailing[T]
	ops    Products[T]
	memory []T // of the update
}

func (o genericOperations[T]) trailing(t *Trailing[T]) trailingOperations[T] {
	return &genericTrailing[T]{Trailing: t, ops: o.products}
}

func (t *genericTrailing[T]) setUpdate(v, x General[T]) {
	if t.memory == nil {
		t.memory = make([]T, 2*t.n*t.update.inner)
	}
	t.update.set(t.memory, v, x)
}

func (t *genericTrailing[T]) bringUp(j, c0, c1, i0, i1 int) {
	u, col := &t.update, j*t.width-t.update.from
	t.ops.Gemm(false, true, -1, u.left.RowRange(i0-u.from, i1-u.from), u.right.RowRange(col+c0, col+c1), 1, t.view(j, i0, i1, c0, c1))
}

func (*genericTrailing[T]) pack(General[T]) (release func()) { return func() {} }

func (t *genericTrailing[T]) multiply(part General[T], row int, v, y General[T], overwrite bool) {
	var beta T = 1
	if overwrite {
		beta = 0
	}
	t.ops.Gemm(true, false, 1, part, v.RowRange(row, row+part.Rows), beta, y)
}

package blas

import "github.com/rffgo/rff/asm"

// nativeTrailing are the products of Trailing on micro-kernels, which read and
// write the blocks in place.
type nativeTrailing[T Float] struct {
	*Trailing[T]
	kern   *asm.Kernels[T]
	strips []T // the update's left operand, in strips of MR rows
	panels []T // the update's right operand, in panels from the first column of a block on
	size   int // of the panels of one block
	v      []T // the operand of Multiply, in panels
}

func (o nativeOperations[T]) trailing(t *Trailing[T]) trailingOperations[T] {
	return &nativeTrailing[T]{Trailing: t, kern: o.kern}
}

func (t *nativeTrailing[T]) setUpdate(v, x General[T]) {
	u, mr, panel, rows := &t.update, t.kern.MR, t.kern.Panel, v.Rows
	memory := borrow[T](2 * t.n * u.inner) // every step asks for as much, so that it is found again
	defer memory.giveBack()
	u.set(memory.data, v, x)
	t.size = roundUp(t.width, panel) * u.inner
	if t.strips == nil {
		t.strips, t.panels = make([]T, roundUp(t.n, mr)*u.inner), make([]T, len(t.blocks)*t.size+panel) // tiles that begin within a panel read whole rows
	}
	left := operand[T]{u.left, false}
	left.pack(t.strips, mr, 0, ceil(rows, mr), rows, 0, u.inner)
	for j := t.from / t.width; j < len(t.blocks); j++ {
		c0, c1 := max(u.from, j*t.width), min(t.n, (j+1)*t.width)
		right := operand[T]{u.right.RowRange(c0-u.from, c1-u.from), false}
		right.pack(t.panels[j*t.size:], panel, 0, ceil(c1-c0, panel), c1-c0, 0, u.inner)
	}
	u.left, u.right = General[T]{}, General[T]{}
}

func (t *nativeTrailing[T]) bringUp(j, c0, c1, i0, i1 int) {
	u, block := &t.update, t.blocks[j]
	first := max(0, u.from-j*t.width) // column of the block that the packed panels begin with
	mr, panel, above := t.kern.MR, t.kern.Panel, j*t.width
	for i := i0; i < i1; {
		strip, o := (i-u.from)/mr, (i-u.from)%mr
		m := min(mr-o, i1-i)
		// Meanwhile the rows after the next ones are prefetched.
		ahead := block.Data[(min(i+2*mr, t.n-1)-above)*block.Stride:]
		for c := c0; c < c1; {
			// The first product ends with its panel, the second takes all other columns.
			end, at := c1, (c-first)%panel
			if at > 0 {
				end = min(c1, c-at+panel)
			}
			t.kern.Gemm(m, end-c, u.inner, -1, t.strips[strip*u.inner*mr+o:], mr,
				t.panels[j*t.size+(c-first)/panel*u.inner*panel+at:], u.inner*panel,
				block.Data[(i-above)*block.Stride+c:], block.Stride, false, ahead)
			c = end
		}
		i += m
	}
}

func (t *nativeTrailing[T]) pack(v General[T]) (release func()) {
	panel := t.kern.Panel
	op, count := operand[T]{v, true}, ceil(v.Cols, panel)
	w := borrow[T](count*panel*v.Rows + panel)
	t.v = w.data
	op.pack(t.v, panel, 0, count, v.Cols, 0, v.Rows)
	return w.giveBack
}

func (t *nativeTrailing[T]) multiply(part General[T], row int, v, y General[T], overwrite bool) {
	mr, panel := t.kern.MR, t.kern.Panel
	for c := 0; c < part.Cols; c += mr {
		t.kern.Gemm(min(mr, part.Cols-c), v.Cols, part.Rows, 1, part.Data[c:], part.Stride,
			t.v[row*panel:], t.Rows()*panel, y.Data[c*y.Stride:], y.Stride, overwrite, nil)
	}
}

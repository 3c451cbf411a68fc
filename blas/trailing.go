package blas

import "github.com/rffgo/rff/internal/schedule"

// Trailing is the trailing matrix of a blocked two-sided reduction QᵀAQ of a
// symmetric A. It shrinks block by block from its first row and column on. Between
// two steps it becomes A − V·Xᵀ − X·Vᵀ and is multiplied by the next V. One pass
// over half of the matrix does both.
//
// The matrix is kept in blocks of columns. A block is contiguous and begins with its square on
// the diagonal; the kernels read and write it in place. A product that needs elements above
// the diagonal transposes those below it into memory that stays in cache.
type Trailing[T Float] struct {
	e       Engine
	ops     trailingOperations[T]
	n, from int          // A's order, and the first row and column that remain
	block   int          // columns of a step
	width   int          // of a block of columns, a multiple of it
	blocks  []General[T] // rows from j·width on of columns j·width … (j+1)·width−1
	fresh   bool         // the update has been applied to the columns of Head
	update  rankTwo[T]
}

// rankTwo is an update V·Xᵀ + X·Vᵀ that is to be subtracted, for rows from `from` on.
type rankTwo[T Float] struct {
	from        int
	inner       int        // 0 for no update
	left, right General[T] // [V X] and [X V], if they are not packed
}

// set copies V and X to memory, which has room for both twice.
func (u *rankTwo[T]) set(memory []T, v, x General[T]) {
	rows := v.Rows
	u.left = General[T]{rows, u.inner, u.inner, memory[:rows*u.inner]}
	u.right = General[T]{rows, u.inner, u.inner, memory[rows*u.inner : 2*rows*u.inner]}
	for i := range rows {
		copy(u.left.Row(i), v.Row(i))
		copy(u.left.Row(i)[v.Cols:], x.Row(i))
		copy(u.right.Row(i), x.Row(i))
		copy(u.right.Row(i)[v.Cols:], v.Row(i))
	}
}

// trailingOperations are the products of Trailing on one backend.
type trailingOperations[T Float] interface {
	// setUpdate prepares the update by v and x, of which it keeps a copy.
	setUpdate(v, x General[T])
	// bringUp applies the pending update to rows i0 … i1−1 of columns c0 … c1−1 of block j.
	// Neither range is empty.
	bringUp(j, c0, c1, i0, i1 int)
	// pack prepares v for multiply. multiply adds the product of part and v to y, or writes
	// it there if overwrite is set. part has the rows from row on of some columns of A.
	pack(v General[T]) (release func())
	multiply(part General[T], row int, v, y General[T], overwrite bool)
}

// NewTrailing returns the Trailing of a symmetric matrix of order n. A step takes block rows and
// columns, and every V and X has block columns. row writes the elements (i, j), (i, j+1) … of
// the matrix to dst, for i ≤ j; several goroutines call it. If former has the same order,
// block and engine, NewTrailing reuses it with all its memory.
func NewTrailing[T Float](e Engine, former *Trailing[T], n, block int, row func(dst []T, i, j int)) *Trailing[T] {
	if block < 1 || 2*block > BlockK {
		panic(errShape)
	}
	t := former
	if t == nil || t.n != n || t.block != block || t.e != e {
		t = &Trailing[T]{e: e, n: n, block: block, width: max(1, trailingWidth/block) * block}
		t.ops = operationsOf[T](e).(reducer[T]).trailing(t)
		t.blocks = make([]General[T], ceil(n, t.width))
		t.allocate()
	}
	t.from, t.fresh, t.update.inner = 0, false, 0
	schedule.Tasks(e.workersFor(float64(n)*float64(n), len(t.blocks)), len(t.blocks), func(_, j int) {
		c0 := j * t.width
		t.fill(t.blocks[j], c0, row)
	})
	return t
}

// allocate takes the memory of all blocks at once, because a single block may be too small for
// huge pages.
func (t *Trailing[T]) allocate() {
	size := 0
	for j := range t.blocks {
		c0, c1 := j*t.width, min(t.n, (j+1)*t.width)
		t.blocks[j] = General[T]{Rows: t.n - c0, Cols: c1 - c0, Stride: c1 - c0}
		size += (t.n - c0) * (c1 - c0)
	}
	memory := allocate[T](size)
	for j := range t.blocks {
		b := &t.blocks[j]
		b.Data, memory = memory[:b.Rows*b.Cols:b.Rows*b.Cols], memory[b.Rows*b.Cols:]
	}
}

// fill writes a block of columns of A. c0 is its first column and its first row.
func (t *Trailing[T]) fill(block General[T], c0 int, row func(dst []T, i, j int)) {
	memory := borrow[T](block.Cols * BlockK)
	defer memory.giveBack()
	for i := range block.Cols { // row gives the square from the diagonal on
		row(block.Row(i)[i:], c0+i, c0+i)
	}
	for l := 0; l < block.Rows; l += BlockK {
		end := min(block.Rows, l+BlockK)
		part := General[T]{block.Cols, end - l, end - l, memory.data[:block.Cols*(end-l)]}
		for i := range part.Rows {
			from := max(l, i)
			if from < end {
				row(part.Row(i)[from-l:], c0+i, c0+from)
			}
			for j := l; j < min(i, end); j++ {
				part.Row(i)[j-l] = block.Row(j)[i]
			}
		}
		// The rows of A above give the elements below the square, transposed.
		mirror := operand[T]{part, false}
		mirror.transpose(block.Data[l*block.Stride:], block.Stride, 0, part.Rows, 0, part.Cols)
	}
}

// Rows returns the order of the matrix that is left.
func (t *Trailing[T]) Rows() int { return t.n - t.from }

// Head returns the first cols columns of the matrix that is left, up to date. cols must not
// reach beyond a block of columns. Nothing else uses their memory after Drop.
func (t *Trailing[T]) Head(cols int) General[T] {
	j := t.from / t.width
	c := t.from - j*t.width
	if cols < 1 || t.Rows() == 0 || cols > t.blocks[j].Cols-c {
		panic(errShape)
	}
	if !t.fresh {
		t.each(ceil(t.Rows(), BlockK), cols*t.Rows(), t.update.inner, func(i int) {
			i0 := t.from + i*BlockK
			t.bringUp(j, c, c+cols, i0, min(t.n, i0+BlockK))
		})
		t.fresh = true
	}
	return t.view(j, t.from, t.n, c, c+cols)
}

// view returns rows i0 … i1−1 of columns c0 … c1−1 of block j, in or below its square on the
// diagonal. Rows are those of A, and columns are those of the block.
func (t *Trailing[T]) view(j, i0, i1, c0, c1 int) General[T] {
	return t.blocks[j].view(i0-j*t.width, i1-j*t.width, c0, c1)
}

// Drop removes that many of the first rows and columns.
func (t *Trailing[T]) Drop(rows int) {
	if rows < 0 || rows > t.Rows() {
		panic(errShape)
	}
	t.from += rows
	t.fresh = false
}

// Subtract makes the matrix that is left A − V·Xᵀ − X·Vᵀ, at the next Head or Multiply. It
// copies v and x, which have as many rows as are left. A Multiply must come between two calls
// of Subtract, and a Head must be dropped before the next Subtract.
func (t *Trailing[T]) Subtract(v, x General[T]) {
	v.check()
	x.check()
	rows := t.Rows()
	if v.Rows != rows || x.Rows != rows || v.Cols != t.block || x.Cols != t.block || t.fresh || t.update.inner > 0 {
		panic(errShape)
	}
	t.update.from, t.update.inner = t.from, 2*t.block
	t.ops.setUpdate(v, x)
}

// each runs tasks that together visit that many elements and make work multiply-adds with each
// element.
func (t *Trailing[T]) each(tasks, elements, work int, f func(i int)) {
	schedule.Tasks(t.e.workersFor(float64(elements)*float64(work), tasks), tasks, func(_, i int) { f(i) })
}

// bringUp applies the pending update, if there is one, to rows i0 … i1−1 of columns c0 … c1−1
// of block j.
func (t *Trailing[T]) bringUp(j, c0, c1, i0, i1 int) {
	if t.update.inner > 0 && c0 < c1 && i0 < i1 {
		t.ops.bringUp(j, c0, c1, i0, i1)
	}
}

// Multiply applies the pending update and writes A·V to y. v and y have as many rows as are
// left. A Head before it must have been dropped.
//
// On an exact backend an element of A that lies in or below its block's square
// on the diagonal is a = fma(−1, s, a), with s the fused chain over the columns
// of [V X], [X V] of Subtract, and any other is its mirror image. The element of
// y for row i is the sum of fused chains of at most BlockK rows, in the order of
// Gemm, over the rows of A from i's block on and then those before it.
func (t *Trailing[T]) Multiply(v, y General[T]) {
	v.check()
	y.check()
	rows := t.Rows()
	if v.Rows != rows || y.Rows != rows || v.Cols != t.block || y.Cols != t.block || t.fresh {
		panic(errShape)
	}
	if Overlap(y, v) {
		panic(errAlias)
	}
	defer t.ops.pack(v)()
	first := t.from / t.width
	done := make([]schedule.Progress, len(t.blocks)-first) // per block: its columns are up to date from their square down
	t.each(len(done), rows*rows, t.update.inner/2+v.Cols, func(b int) {
		j := first + b
		c0, c1 := max(t.from, j*t.width), min(t.n, (j+1)*t.width)
		overwrite := true
		for i0 := c0; i0 < t.n; i0 += BlockK {
			i1 := min(t.n, i0+BlockK)
			t.bringUp(j, c0-j*t.width, c1-j*t.width, i0, i1)
			t.multiply(t.view(j, i0, i1, c0-j*t.width, c1-j*t.width), i0, c0, v, y, overwrite)
			overwrite = false
		}
		done[b].Set(1)
		if c0 == t.from {
			return
		}
		memory := borrow[T](BlockK * t.width)
		defer memory.giveBack()
		for i0 := t.from; i0 < c0; i0 += BlockK {
			i1 := min(c0, i0+BlockK)
			above := General[T]{i1 - i0, c1 - c0, c1 - c0, memory.data[:(i1-i0)*(c1-c0)]}
			for l := i0; l < i1; {
				o := l / t.width
				end := min(i1, (o+1)*t.width)
				done[o-first].Reach(1)
				mirror := operand[T]{t.view(o, c0, c1, l-o*t.width, end-o*t.width), false}
				mirror.transpose(above.Data[(l-i0)*above.Stride:], above.Stride, 0, c1-c0, 0, end-l)
				l = end
			}
			t.multiply(above, i0, c0, v, y, overwrite)
		}
	})
	t.update.inner = 0
}

// multiply adds the contribution of part to the product with v. part has rows from i0 on of
// the columns of A from c0 on.
func (t *Trailing[T]) multiply(part General[T], i0, c0 int, v, y General[T], overwrite bool) {
	t.ops.multiply(part, i0-t.from, v, y.RowRange(c0-t.from, c0-t.from+part.Cols), overwrite)
}

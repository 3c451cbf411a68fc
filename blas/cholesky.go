package blas

import (
	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// choleskyRun factors a in two stages per block of rows. The first solves the rows; its tasks
// are chunks of columns. The second updates the rest of the matrix; its tasks are parts of
// groups of panels. The first task of the update brings the next diagonal block up to date
// and factors it, while other workers do the other tasks.
type choleskyRun[T Float] struct {
	kern    *asm.Kernels[T]
	a       General[T]
	workers int
	group   int // panels
	rows    []T // the solved rows, in panels
	scratch []T
	squares squares[T]
	diag    [2]triBlock[T] // two successive diagonal blocks: one is made while the other solves
	failed  []error        // the error of each diagonal block, or of one before it
}

func cholesky[T Float](kern *asm.Kernels[T], workers int, a General[T]) error {
	n, panel := a.Rows, kern.Panel
	if n == 0 {
		return nil
	}
	first := min(n, blockTri)
	scratch := first*roundUp(first, panel) + panel // tiles that begin within a panel read whole rows
	if n <= blockTri {
		memory := borrow[T](scratch + triSize(n))
		defer memory.giveBack()
		var d triBlock[T]
		d.use(memory.data[scratch:], n)
		return d.factor(kern, a, 0, memory.data[:scratch])
	}
	rows := roundUp(n, panel)*blockTri + panel
	memory := borrow[T](scratch + 2*triSize(blockTri) + rows)
	defer memory.giveBack()
	blocks := ceil(n, blockTri)
	c := &choleskyRun[T]{kern: kern, a: a, workers: workers,
		group: groupTiles(kern, blockTri) * kern.Width / panel, squares: newSquares(kern, workers), failed: make([]error, blocks)}
	c.scratch = memory.data[:scratch]
	for i := range c.diag {
		c.diag[i].use(memory.data[scratch+i*triSize(blockTri):], blockTri)
	}
	c.rows = memory.data[scratch+2*triSize(blockTri):]
	if err := c.diag[0].factor(kern, a, 0, c.scratch); err != nil {
		return err
	}
	schedule.Stages(workers, 2*(blocks-1), c.tasks, c.run)
	return c.failed[blocks-1]
}

// rest is the number of rows below block k.
func (c *choleskyRun[T]) rest(k int) int { return c.a.Rows - (k+1)*blockTri }

// chunk is the number of columns that a task solves after block k. It is a whole number of
// tiles. If there are few columns, each worker gets two tasks.
func (c *choleskyRun[T]) chunk(k int) int {
	width := c.kern.Width
	most := max(1, chunkCols/width) * width
	if c.workers == 1 {
		return most
	}
	return min(most, roundUp(ceil(c.rest(k), 2*c.workers), width))
}

// groups returns how many groups of panels the rest below block k has, and how
// many tasks each.
func (c *choleskyRun[T]) groups(k int) (groups, perGroup int) {
	return ceil(c.rest(k), c.group*c.kern.Panel), ceil(ceil(c.rest(k), c.kern.MR), stripsPerTask)
}

func (c *choleskyRun[T]) tasks(stage int) int {
	k := stage / 2
	if c.failed[k] != nil {
		return 0
	}
	if stage%2 == 0 {
		return ceil(c.rest(k), c.chunk(k))
	}
	groups, perGroup := c.groups(k)
	return 1 + groups*perGroup
}

func (c *choleskyRun[T]) run(worker, stage, task int) {
	k := stage / 2
	switch {
	case stage%2 == 0:
		chunk := c.chunk(k)
		k0, j0 := k*blockTri, (k+1)*blockTri+task*chunk
		j1 := min(j0+chunk, c.a.Rows)
		c.diag[k&1].solve(c.kern, c.a.view(k0, k0+blockTri, j0, j1), c.rows[task*chunk*blockTri:], blockTri)
	case task == 0:
		head := c.head(k)
		c.update(worker, k, 0, head, 0, head)
		if err := c.diag[(k+1)&1].factor(c.kern, c.a, (k+1)*blockTri, c.scratch); err != nil {
			for b := k + 1; b < len(c.failed); b++ {
				c.failed[b] = err
			}
		}
	default:
		c.updateGroup(worker, k, task-1)
	}
}

// head is the number of rows and columns of the rest below block k that the first task
// updates: those of the next block, rounded up to whole panels unless the matrix ends.
func (c *choleskyRun[T]) head(k int) int {
	return min(roundUp(min(blockTri, c.rest(k)), c.kern.Panel), c.rest(k))
}

// updateGroup updates a part of a group, without the head.
func (c *choleskyRun[T]) updateGroup(worker, k, task int) {
	_, perGroup := c.groups(k)
	rest, head, cols, rows := c.rest(k), c.head(k), c.group*c.kern.Panel, stripsPerTask*c.kern.MR
	g, part := task/perGroup, task%perGroup
	j0, j1 := g*cols, min((g+1)*cols, rest)
	i0, i1 := part*rows, min((part+1)*rows, rest)
	if i0 >= j1 {
		return
	}
	if top := min(i1, head); i0 < top && head < j1 {
		c.update(worker, k, max(j0, head), j1, i0, top)
	}
	if i1 > head {
		c.update(worker, k, max(j0, head), j1, max(i0, head), i1)
	}
}

// update subtracts the product of the solved rows of block k from columns j0 …
// j1−1 of rows i0 … i1−1 of the rest.
func (c *choleskyRun[T]) update(worker, k, j0, j1, i0, i1 int) {
	mr, panel, k1, n := c.kern.MR, c.kern.Panel, (k+1)*blockTri, c.a.Rows
	t := tiles[T]{kern: c.kern, tri: upperTriangle, alpha: -1, k: blockTri, c: c.a.view(k1, n, k1, n), square: c.squares.of(worker),
		j0: j0, j1: j1, b: c.rows[j0*blockTri:]}
	left := func(i int) []T { return c.rows[i/panel*panel*blockTri+i%panel:] }
	for i := i0; i < i1; i += mr {
		var next []T
		if i+mr < i1 {
			next = left(i + mr)
		}
		t.strip(left(i), panel, i, min(i+mr, i1), next)
	}
}

// factor replaces the diagonal block of a from row k0 on by its factor and
// keeps it for solve, unless it is the last one.
func (d *triBlock[T]) factor(kern *asm.Kernels[T], a General[T], k0 int, panels []T) error {
	n := min(blockTri, a.Rows-k0)
	d.n, d.trans = n, true
	panel := kern.Panel
	s := borrowSmall()
	defer s.giveBack()
	for i := range n {
		row := d.u[i*triLD : i*triLD+n]
		clear(row[:i])
		copy(row[i:], a.Data[(k0+i)*a.Stride+k0+i:])
	}
	for b := 0; b < n; b += blockInv {
		end := min(b+blockInv, n)
		if b > 0 {
			d.multiply(kern, rowRange{b, end}, b, b, -1, d.u[b:], triLD, panels)
		}
		triangle := d.triangle(b)
		triangle.load(s)
		if p, v := kern.Factor(&s.u, end-b); p >= 0 {
			return &NotPositiveDefiniteError{Pivot: k0 + b + p, Value: v}
		}
		triangle.store(s)
		if end < n || k0+n < a.Rows {
			kern.Invert(&s.v, &s.u, end-b)
			triangle.storeInverse(d.inverse(b), s)
		}
		if end == n {
			break
		}
		// Solve the rest of the rows through panels, from the panel that holds column end.
		q := end / panel
		whole := General[T]{Rows: end - b, Cols: n - q*panel, Stride: triLD, Data: d.u[b*triLD+q*panel:]}
		toPanels(panels[q*n*panel+b*panel:], panel, n*panel, whole)
		d.multiply(kern, rowRange{b, end}, end, end-b, 1, d.inv[b*blockInv:], blockInv, panels[b*panel:])
		toPanels(panels[q*n*panel+b*panel:], panel, n*panel, whole)
	}
	for i := range n {
		copy(a.Data[(k0+i)*a.Stride+k0+i:], d.u[i*triLD+i:i*triLD+n])
	}
	return nil
}

// rowRange is rows from … end−1.
type rowRange struct{ from, end int }

// multiply adds alpha·L·P to the columns from j0 on of some rows of the block. With alpha = 1
// the product replaces them. The inner dimension is k. Element (i, l) of L is
// left[l·ld+i], where i counts from the first of the rows, and P is in panels.
func (d *triBlock[T]) multiply(kern *asm.Kernels[T], rows rowRange, j0, k int, alpha T, left []T, ld int, panels []T) {
	mr, panel, n := kern.MR, kern.Panel, d.n
	for i := rows.from; i < rows.end; i += mr {
		// Column j0 lies within a panel if Panel does not divide blockInv.
		for j := j0; j < n; {
			j1 := n
			if j%panel != 0 {
				j1 = min(n, roundUp(j, panel))
			}
			kern.Gemm(min(mr, rows.end-i), j1-j, k, alpha, left[i-rows.from:], ld, panels[j/panel*n*panel+j%panel:], n*panel, d.u[i*triLD+j:], triLD, alpha == 1, nil)
			j = j1
		}
	}
}

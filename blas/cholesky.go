package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
	"github.com/rffgo/rff/internal/schedule"
)

// choleskyRun factors a in two stages per block of rows: solve the rows (tasks:
// chunks of columns); update the rest of the matrix (tasks: parts of groups of
// panels). The first task of the update brings the next diagonal block up to date
// and factors it, while other workers do the rest.
type choleskyRun[T Float] struct {
	kern    *asm.Kernels[T]
	a       General[T]
	chunk   int // columns of a task that solves
	group   int // panels
	rows    []T // the solved rows, in panels
	scratch []T
	squares squares[T]
	diag    [2]triBlock[T] // of successive blocks: one is made while the other solves
	failed  []error        // of each diagonal block, that of the block before included
}

func cholesky[T Float](kern *asm.Kernels[T], workers int, a General[T]) error {
	n, panel := a.Rows, kern.Panel
	if n == 0 {
		return nil
	}
	rows := borrow[T](roundUp(n, panel)*blockTri + panel) // tiles from mid-panel on read whole rows
	defer rows.giveBack()
	scratch := borrow[T](blockTri*roundUp(blockTri, panel) + panel)
	defer scratch.giveBack()
	blocks := ceil(n, blockTri)
	c := &choleskyRun[T]{kern: kern, a: a, chunk: max(1, chunkCols/kern.Width) * kern.Width,
		group: groupTiles(kern, blockTri) * kern.Width / panel, rows: rows.data, scratch: scratch.data,
		squares: newSquares(kern, workers), failed: make([]error, blocks)}
	if err := c.diag[0].factor(kern, a, 0, c.scratch); err != nil {
		return err
	}
	schedule.Stages(workers, 2*(blocks-1), c.tasks, c.run)
	return c.failed[blocks-1]
}

// rest is the number of rows below block k.
func (c *choleskyRun[T]) rest(k int) int { return c.a.Rows - (k+1)*blockTri }

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
		return ceil(c.rest(k), c.chunk)
	}
	groups, perGroup := c.groups(k)
	return 1 + groups*perGroup
}

func (c *choleskyRun[T]) run(worker, stage, task int) {
	k := stage / 2
	switch {
	case stage%2 == 0:
		k0, j0 := k*blockTri, (k+1)*blockTri+task*c.chunk
		j1 := min(j0+c.chunk, c.a.Rows)
		c.diag[k&1].solve(c.kern, c.a.view(k0, k0+blockTri, j0, j1), c.rows[task*c.chunk*blockTri:], blockTri)
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

// head is the number of rows and columns of the rest below block k that the
// first task does: those of the next block, which end on a strip's border except
// at the end of the matrix.
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
// keeps it for solve.
func (d *triBlock[T]) factor(kern *asm.Kernels[T], a General[T], k0 int, panels []T) error {
	n := min(blockTri, a.Rows-k0)
	d.alloc(n, true)
	mr, panel := kern.MR, kern.Panel
	for i := range n {
		row := d.u[i*triLD : i*triLD+n]
		clear(row[:i])
		copy(row[i:], a.Data[(k0+i)*a.Stride+k0+i:])
	}
	for b := 0; b < n; b += blockInv {
		end := min(b+blockInv, n)
		if b > 0 {
			for i := b; i < end; i += mr {
				// Columns b … n−1 start within a panel if Panel does not divide blockInv.
				for j := b; j < n; {
					j1 := n
					if j%panel != 0 {
						j1 = min(n, roundUp(j, panel))
					}
					kern.Gemm(min(mr, end-i), j1-j, b, -1, d.u[i:], triLD, panels[j/panel*n*panel+j%panel:], n*panel, d.u[i*triLD+j:], triLD, false, nil)
					j = j1
				}
			}
		}
		if p, v := d.factorSmall(b, end); p >= 0 {
			return &NotPositiveDefiniteError{Pivot: k0 + p, Value: v}
		}
		d.invert(b)
		if end == n {
			break
		}
		// The rest of the rows; whole panels from the one that holds column end.
		whole := General[T]{Rows: end - b, Cols: n, Stride: triLD, Data: d.u[b*triLD:]}
		toPanels(panels[b*panel:], panel, n*panel, whole)
		for i := b; i < end; i += mr {
			for j := end; j < n; {
				j1 := n
				if j%panel != 0 {
					j1 = min(n, roundUp(j, panel))
				}
				kern.Gemm(min(mr, end-i), j1-j, end-b, 1, d.inv[b*blockInv+i-b:], blockInv, panels[j/panel*n*panel+b*panel+j%panel:], n*panel, d.u[i*triLD+j:], triLD, true, nil)
				j = j1
			}
		}
		toPanels(panels[b*panel:], panel, n*panel, whole)
	}
	for i := range n {
		copy(a.Data[(k0+i)*a.Stride+k0+i:], d.u[i*triLD+i:i*triLD+n])
	}
	return nil
}

// factorSmall factors the triangle of rows and columns b … end−1 in float64.
// It returns the row and value of a pivot that is not positive, or −1.
func (d *triBlock[T]) factorSmall(b, end int) (int, float64) {
	n := end - b
	var u [blockInv][blockInv]float64
	for i := range n {
		for j := i; j < n; j++ {
			u[i][j] = float64(d.u[(b+i)*triLD+b+j])
		}
	}
	for l := range n {
		top := &u[l]
		p := top[l]
		if !(p > 0) || math.IsInf(p, 1) {
			return b + l, p
		}
		p = math.Sqrt(p)
		top[l] = p
		for j := l + 1; j < n; j++ {
			top[j] /= p
		}
		for i := l + 1; i < n; i++ {
			v, row := -top[i], &u[i]
			for j := i; j < n; j++ {
				row[j] = math.FMA(v, top[j], row[j])
			}
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			d.u[(b+i)*triLD+b+j] = T(u[i][j])
		}
		clear(d.u[(b+i)*triLD+b : (b+i)*triLD+b+i])
	}
	return -1, 0
}

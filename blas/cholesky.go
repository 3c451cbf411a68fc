package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// Cholesky replaces the upper triangle of the symmetric matrix a by its factor
// U, a = UᵀU, reading and writing only that triangle. The error is a
// *NotPositiveDefiniteError; a is then partly overwritten.
//
// On an exact backend the rows come in blocks of BlockTri. Within a block, for
// each BlockInv rows, a = fma(−1, s, a), s the fused chain over the rows l of
// the block above of U[l,i]·U[l,j]; then their own triangle is factored in
// float64 (chains of fma(−U[l,i], U[l,j], a)) and rounded, and the rest of the
// rows are solved as in TrsmUpper. Then a = fma(−1, s, a) below the block, with
// s over all rows of the block.
func Cholesky[T Float](e Engine, a General[T]) error {
	a.check()
	if a.Rows != a.Cols {
		panic(errShape)
	}
	n := float64(a.Rows)
	if kern := kernelsOf[T](e); kern != nil {
		return cholesky(kern, e.workersFor(n*n*n/6, a.Rows), a)
	}
	return choleskyBy(e, productsOf[T](e), a)
}

// CholeskySolve replaces b by the solution of UᵀU·x = b for the factor U of Cholesky.
func CholeskySolve[T Float](e Engine, u, b General[T]) {
	TrsmUpper(e, true, u, b)
	TrsmUpper(e, false, u, b)
}

// cholesky takes two stages per block of rows: solve the rows (tasks: chunks
// of columns); update the rest of the matrix (tasks: parts of groups of
// panels). The first task of the update brings the next diagonal block up to
// date and factors it, while other workers do the rest.
func cholesky[T Float](kern *asm.Kernels[T], workers int, a General[T]) error {
	n := a.Rows
	if n == 0 {
		return nil
	}
	mr, panel := kern.MR, kern.Panel
	chunk := max(1, chunkCols/kern.Width) * kern.Width
	rows := borrow[T](roundUp(n, panel)*BlockTri + panel) // the solved rows, in panels; tiles from mid-panel on read whole rows
	defer rows.giveBack()
	scratch := borrow[T](BlockTri*roundUp(BlockTri, panel) + panel)
	defer scratch.giveBack()
	squares := newSquares(kern, workers)
	group := groupTiles(kern, BlockTri) * kern.Width / panel
	const stripsPerTask = 16

	// Factors of successive blocks alternate: one is made while the other solves.
	var diag [2]triBlock[T]
	if err := diag[0].factor(kern, a, 0, scratch.data); err != nil {
		return err
	}
	var failed error
	blocks := ceil(n, BlockTri)
	run(workers, func(t *team, w int) {
		for k := range blocks - 1 {
			k0, k1 := k*BlockTri, (k+1)*BlockTri
			rest := n - k1
			d := &diag[k&1]
			stage := 2 * k
			for task := t.claim(stage); task < ceil(rest, chunk); task = t.claim(stage) {
				j0 := k1 + task*chunk
				j1 := min(j0+chunk, n)
				d.solve(kern, a.view(k0, k1, j0, j1), rows.data[(j0-k1)*BlockTri:], BlockTri)
			}
			t.wait(stage)

			stage++
			c := a.view(k1, n, k1, n)
			ts := tiles[T]{kern: kern, tri: upperTriangle, alpha: -1, k: BlockTri, c: c, square: squares.of(w)}
			next := min(BlockTri, rest)
			strips := func(j0, j1, i0, i1 int) {
				ts.j0, ts.j1, ts.b = j0, j1, rows.data[j0*BlockTri:]
				left := func(i int) []T { return rows.data[i/panel*panel*BlockTri+i%panel:] }
				for i := i0; i < i1; i += mr {
					var next []T
					if i+mr < i1 {
						next = left(i + mr)
					}
					ts.strip(left(i), panel, i, min(i+mr, i1), next)
				}
			}
			// Rows of the next block end on a strip's border except at the end of the matrix.
			head := min(roundUp(next, panel), rest)
			groups, perGroup := ceil(rest, group*panel), ceil(ceil(rest, mr), stripsPerTask)
			for task := t.claim(stage); task <= groups*perGroup; task = t.claim(stage) {
				if task == 0 {
					strips(0, head, 0, head)
					if err := diag[(k+1)&1].factor(kern, a, k1, scratch.data); err != nil {
						failed = err
					}
					continue
				}
				g, part := (task-1)/perGroup, (task-1)%perGroup
				j0, j1 := g*group*panel, min((g+1)*group*panel, rest)
				i0, i1 := part*stripsPerTask*mr, min((part+1)*stripsPerTask*mr, rest)
				if i0 >= j1 {
					continue
				}
				// Task 0 has done rows and columns below head.
				if top := min(i1, head); i0 < top && head < j1 {
					strips(max(j0, head), j1, i0, top)
				}
				if i1 > head {
					strips(max(j0, head), j1, max(i0, head), i1)
				}
			}
			t.wait(stage)
			if failed != nil {
				return
			}
		}
	})
	return failed
}

// factor replaces the diagonal block of a from row k0 on by its factor and
// keeps it for solve.
func (d *triBlock[T]) factor(kern *asm.Kernels[T], a General[T], k0 int, panels []T) error {
	n := min(BlockTri, a.Rows-k0)
	d.alloc(n, true)
	mr, panel := kern.MR, kern.Panel
	for i := range n {
		row := d.u[i*triLD : i*triLD+n]
		clear(row[:i])
		copy(row[i:], a.Data[(k0+i)*a.Stride+k0+i:])
	}
	for b := 0; b < n; b += BlockInv {
		end := min(b+BlockInv, n)
		if b > 0 {
			for i := b; i < end; i += mr {
				// Columns b … n−1 start within a panel if Panel does not divide BlockInv.
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
				kern.Gemm(min(mr, end-i), j1-j, end-b, 1, d.inv[b*BlockInv+i-b:], BlockInv, panels[j/panel*n*panel+b*panel+j%panel:], n*panel, d.u[i*triLD+j:], triLD, true, nil)
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
	var u [BlockInv][BlockInv]float64
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

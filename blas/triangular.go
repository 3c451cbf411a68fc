package blas

import (
	"math"

	"github.com/rffgo/rff/asm"
)

// Blocks of the triangular solver and of Cholesky: part of the definition of
// their results. A diagonal block of BlockTri rows is solved BlockInv rows at a
// time with the inverse of a BlockInv × BlockInv triangle, so that all but
// n·BlockInv² multiply-adds are products. The inverse of so small a triangle
// adds an error of its own condition number only, as in the solvers of GPU
// libraries.
const (
	BlockTri = 256
	BlockInv = 32
)

// triLD is the stride of a diagonal block: off the power of two, whose columns
// would meet in one set of the cache.
const triLD = BlockTri + 8

// TrsmUpper replaces b by op(U)⁻¹·b for the upper triangle U of u, n×n; b is
// n×r. The lower triangle of u is not read. A zero on the diagonal gives
// infinities, as division does.
//
// On an exact backend rows are solved in blocks of BlockTri, forwards for Uᵀ
// and backwards for U. For a block of solved rows X, every row i still to be
// solved then gets b = fma(−1, s, b), s the fused chain over l, ascending, of
// op(U)[i,l]·X[l] (see Gemm). Within a block the same happens for each
// BlockInv rows, with s over all rows of the block solved before; then these
// rows are x = s, the chain over l of V[i,l]·b[l] with V the rounded inverse of
// the BlockInv-triangle, computed in float64.
func TrsmUpper[T Float](e Engine, trans bool, u, b General[T]) {
	u.check()
	b.check()
	if u.Rows != u.Cols || b.Rows != u.Rows {
		panic(errShape)
	}
	if b.overlaps(u) {
		panic(errAlias)
	}
	if kern := kernelsOf[T](e); kern != nil {
		trsm(kern, e.workersFor(float64(u.Rows)*float64(u.Rows)*float64(b.Cols)/2, b.Cols), trans, u, b)
		return
	}
	trsmBy(e, productsOf[T](e), trans, u, b)
}

// TriInverse writes the inverse of the upper triangle of u to dst, with zeros
// below: U⁻¹ by TrsmUpper from the identity.
func TriInverse[T Float](e Engine, dst, u General[T]) {
	u.check()
	dst.check()
	if u.Rows != u.Cols || dst.Rows != u.Rows || dst.Cols != u.Cols {
		panic(errShape)
	}
	if dst.overlaps(u) {
		panic(errAlias)
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		clear(row)
		row[i] = 1
	}
	if kern := kernelsOf[T](e); kern != nil {
		n := float64(u.Rows)
		s := trsmState[T]{kern: kern, u: u, b: dst, upper: true}
		s.run(e.workersFor(n*n*n/6, dst.Cols))
		return
	}
	trsmBy(e, productsOf[T](e), false, u, dst)
}

// InverseDiagonal writes the diagonal of (UᵀU)⁻¹ to dst for the factor U of
// Cholesky: the squared norms of the rows of U⁻¹. It needs n² elements of
// memory and n³/3 floating-point operations.
func InverseDiagonal[T Float](e Engine, dst []T, u General[T]) {
	if len(dst) != u.Rows {
		panic(errVectorLength)
	}
	x := NewGeneral[T](u.Rows, u.Cols)
	TriInverse(e, x, u)
	dot := nativeDot[T](e)
	parallel(e.workersFor(float64(u.Rows)*float64(u.Rows)/2, u.Rows), u.Rows, func(_, i int) {
		row := x.Row(i)[i:]
		dst[i] = dot(row, row)
	})
}

// nativeDot returns the dot product of e's kernels, or of the fastest ones for
// a backend that is not native.
func nativeDot[T Float](e Engine) func(x, y []T) T {
	if kern := kernelsOf[T](e); kern != nil {
		return kern.Dot
	}
	return nativeKernels[T]().Dot
}

// trsm is TrsmUpper on native kernels.
func trsm[T Float](kern *asm.Kernels[T], workers int, trans bool, u, b General[T]) {
	s := trsmState[T]{kern: kern, u: u, b: b, trans: trans}
	s.run(workers)
}

type trsmState[T Float] struct {
	kern  *asm.Kernels[T]
	u, b  General[T]
	trans bool
	upper bool // b is upper triangular (and U is not transposed)
}

// chunkCols is the number of right-hand sides that one task solves: with
// BlockTri rows half of the second-level cache at most.
const chunkCols = 192

// run solves in stages, one per diagonal block. To prepare is to pack U's
// block and invert its small triangles; tasks of the use are chunks of
// right-hand sides, which do not depend on each other.
func (s *trsmState[T]) run(workers int) {
	n, rhs := s.u.Rows, s.b.Cols
	if n == 0 || rhs == 0 {
		return
	}
	kern := s.kern
	mr, panel := kern.MR, kern.Panel
	chunk := max(1, chunkCols/kern.Width) * kern.Width
	if rhs < chunk*workers {
		chunk = max(1, rhs/workers/kern.Width) * kern.Width
	}
	blocks := ceil(n, BlockTri)
	bufs := buffers(workers)
	size := roundUp(n, mr) * min(n, BlockTri)
	strips := borrow[T](size * bufs)
	defer strips.giveBack()
	x := borrow[T](workers * chunk * BlockTri)
	defer x.giveBack()
	diag := make([]triBlock[T], bufs)
	rows := func(stage int) (k0, k1, r0, r1 int) { // the block, the rows to update
		if s.trans {
			k0 = stage * BlockTri
			k1 = min(k0+BlockTri, n)
			return k0, k1, k1, n
		}
		k0 = (blocks - 1 - stage) * BlockTri
		return k0, min(k0+BlockTri, n), 0, k0
	}
	const stripsPerPack = 16
	direct := s.trans && rhs <= kern.Width // rows of U are strips as they lie, if each is read once
	p := pipeline{stages: blocks}
	p.prepares = func(stage int) int {
		if direct {
			return 1
		}
		_, _, r0, r1 := rows(stage)
		return 1 + ceil(ceil(r1-r0, mr), stripsPerPack)
	}
	p.prepare = func(_, stage, task int) {
		k0, k1, r0, r1 := rows(stage)
		if task == 0 {
			diag[stage%bufs].set(s.u.view(k0, k1, k0, k1), s.trans)
			return
		}
		op := operand[T]{s.u.view(k0, k1, r0, r1), true}
		if !s.trans {
			op = operand[T]{s.u.view(r0, r1, k0, k1), false}
		}
		first := (task - 1) * stripsPerPack
		end := min(first+stripsPerPack, ceil(r1-r0, mr))
		op.pack(strips.data[stage%bufs*size+first*mr*(k1-k0):], mr, first, end, r1-r0, 0, k1-k0)
	}
	p.uses = func(int) int { return ceil(rhs, chunk) }
	p.use = func(w, stage, task int) {
		k0, k1, r0, r1 := rows(stage)
		j0 := task * chunk
		j1 := min(j0+chunk, rhs)
		if s.upper && k0 >= j1 {
			return // zeros
		}
		k := k1 - k0
		buf := x.data[w*chunk*BlockTri:][:roundUp(j1-j0, panel)*k]
		diag[stage%bufs].solve(kern, s.b.view(k0, k1, j0, j1), buf, k)
		for i := r0; i < r1; i += mr {
			if direct {
				kern.Gemm(min(mr, r1-i), j1-j0, k, -1, s.u.Data[k0*s.u.Stride+i:], s.u.Stride, buf, k*panel, s.b.Data[i*s.b.Stride+j0:], s.b.Stride, false, nil)
				continue
			}
			kern.Gemm(min(mr, r1-i), j1-j0, k, -1, strips.data[stage%bufs*size+(i-r0)*k:], mr, buf, k*panel, s.b.Data[i*s.b.Stride+j0:], s.b.Stride, false, nil)
		}
	}
	p.run(workers)
}

// triBlock is a diagonal block op(U) with the inverses of its small triangles,
// as left operands: element (row i, inner l) of op(U) at u[l·triLD+i], of the
// inverse of the triangle from row b on at inv[b·BlockInv+l·BlockInv+i−b].
type triBlock[T Float] struct {
	n     int
	trans bool // op is the transpose: rows are solved forwards
	u     []T
	inv   []T
}

func (d *triBlock[T]) alloc(n int, trans bool) {
	d.n, d.trans = n, trans
	if d.u == nil {
		d.u, d.inv = make([]T, BlockTri*triLD), make([]T, BlockTri*BlockInv)
	}
}

// set fills d from the upper triangle of u.
func (d *triBlock[T]) set(u General[T], trans bool) {
	d.alloc(u.Rows, trans)
	for i := range u.Rows {
		row := u.Row(i)[i:]
		if trans {
			copy(d.u[i*triLD+i:], row)
		} else {
			for c, v := range row {
				d.u[(i+c)*triLD+i] = v
			}
		}
	}
	for b := 0; b < d.n; b += BlockInv {
		d.invert(b)
	}
}

// invert computes the inverse of the triangle from row b on.
func (d *triBlock[T]) invert(b int) {
	n := min(BlockInv, d.n-b)
	at := func(i, j int) float64 { // U[b+i, b+j]
		if d.trans {
			return float64(d.u[(b+i)*triLD+b+j])
		}
		return float64(d.u[(b+j)*triLD+b+i])
	}
	var u, v [BlockInv][BlockInv]float64 // v = U⁻¹ by columns: v[j][i]
	for i := range n {
		for j := i; j < n; j++ {
			u[i][j] = at(i, j)
		}
	}
	for j := range n {
		v[j][j] = 1 / u[j][j]
		for i := j - 1; i >= 0; i-- {
			var s float64
			for l := i + 1; l <= j; l++ {
				s = math.FMA(u[i][l], v[j][l], s)
			}
			v[j][i] = -s / u[i][i]
		}
	}
	inv := d.inv[b*BlockInv:]
	for i := range n {
		for j := range n {
			// trans: x_j = Σ_l V[l,j]·b_l; otherwise x_i = Σ_l V[i,l]·b_l.
			if d.trans {
				inv[i*BlockInv+j] = T(v[j][i])
			} else {
				inv[j*BlockInv+i] = T(v[j][i])
			}
		}
	}
}

// solve replaces b, of d.n rows, by op(U)⁻¹·b and leaves the result in panels
// of inner dimension k as well.
func (d *triBlock[T]) solve(kern *asm.Kernels[T], b General[T], panels []T, k int) {
	mr, panel := kern.MR, kern.Panel
	blocks := ceil(d.n, BlockInv)
	for step := range blocks {
		r0 := step * BlockInv
		if !d.trans {
			r0 = (blocks - 1 - step) * BlockInv
		}
		r1 := min(r0+BlockInv, d.n)
		l0, l1 := 0, r0 // rows solved before
		if !d.trans {
			l0, l1 = r1, d.n
		}
		if l0 < l1 {
			for i := r0; i < r1; i += mr {
				kern.Gemm(min(mr, r1-i), b.Cols, l1-l0, -1, d.u[l0*triLD+i:], triLD, panels[l0*panel:], k*panel, b.Data[i*b.Stride:], b.Stride, false, nil)
			}
		}
		toPanels(panels[r0*panel:], panel, k*panel, b.RowRange(r0, r1))
		inv := d.inv[r0*BlockInv:]
		for i := r0; i < r1; i += mr {
			kern.Gemm(min(mr, r1-i), b.Cols, r1-r0, 1, inv[i-r0:], BlockInv, panels[r0*panel:], k*panel, b.Data[i*b.Stride:], b.Stride, true, nil)
		}
		toPanels(panels[r0*panel:], panel, k*panel, b.RowRange(r0, r1))
	}
}

// toPanels copies the rows of m to panels stride apart.
func toPanels[T Float](panels []T, panel, stride int, m General[T]) {
	for i := range m.Rows {
		row := m.Row(i)
		to := i * panel
		for len(row) > panel {
			copy(panels[to:to+panel], row)
			row = row[panel:]
			to += stride
		}
		n := copy(panels[to:to+panel], row)
		clear(panels[to+n : to+panel])
	}
}
